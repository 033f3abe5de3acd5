"""Names as people type them: whether one is known, and which one was probably meant."""
import difflib

MOST_NAMED = 12


def hint(name, known, likeness=0.6):
    """What stands behind a sentence about a name that is not `known`: the nearest, or some of them."""
    known = [str(one) for one in known]
    near = difflib.get_close_matches(str(name), known, 1, likeness)
    if near:
        return f" Did you mean '{near[0]}'?"
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f" Known: {', '.join(known[:MOST_NAMED])}{more}."


SENSES = ("minimize", "maximize")


def check_senses(better, error):
    """Raises `error` where one of them is no sense of an objective."""
    if isinstance(better, str):
        raise error(f"'{better}' is one text, and senses of objectives are a list."
                    f" Did you mean ['{better}']?")
    for sense in better:
        if sense not in SENSES:
            raise error(f"'{sense}' is no sense of an objective.{hint(sense, SENSES, 0.4)}")
