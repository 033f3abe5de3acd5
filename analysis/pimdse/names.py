"""Checks of names that users type, with suggestions."""
import difflib
import re

from .errors import UnknownName

MOST_NAMED = 12


def hint(name, known, likeness=0.6):
    """The end of a message about a name that is not `known`: the nearest known name, or some of the known names."""
    known = [str(one) for one in known]
    same_numbers = [one for one in known if _numbers(one) == _numbers(str(name))]
    near = difflib.get_close_matches(str(name), same_numbers, 1, likeness)
    if near:
        return f" Did you mean '{near[0]}'?"
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f" Known: {', '.join(known[:MOST_NAMED])}{more}."


def _numbers(name):
    """[3, 8] of llama-3-8b: a name with other numbers is no slip."""
    return re.findall(r"[0-9]+", name)


def known_name(name, names):
    """`name` if it is among `names`, else UnknownName with a suggestion."""
    if name in names:
        return name
    raise UnknownName(f"'{name}' is neither a parameter nor a metric of this file.{hint(name, names)}")


def known_metric(results, name):
    """`name` if it is a metric, or a formula of metrics, which becomes a metric. Else UnknownName with a suggestion."""
    results.take_formula(name)
    if name in results.metrics:
        return name
    if name in results.parameters:
        raise UnknownName(f"'{name}' is a parameter, but a metric is required (known:"
                          f" {', '.join(results.metrics[:MOST_NAMED])})")
    raise UnknownName(f"'{name}' is not a metric of this file.{hint(name, results.metrics)}")


SENSES = ("minimize", "maximize")


def check_senses(better, error):
    """Raises `error` if one of them is not a sense of an objective."""
    if isinstance(better, str):
        raise error(f"'{better}' is a text, but a list of senses is required."
                    f" Did you mean ['{better}']?")
    for sense in better:
        if sense not in SENSES:
            raise error(f"'{sense}' is not a sense of an objective.{hint(sense, SENSES, 0.4)}")
