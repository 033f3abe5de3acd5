"""Several result files in one picture: their names, and differences that limit the comparison."""
import warnings

from ..errors import DifferentRuns, NothingToDraw
from . import designs, style

MOST_SETTINGS, VARIES = 3, "varies"
MOST_RUNS = len(style.SERIES_COLOURS)


def _short(runs):
    """The stems of the files, or their paths if stems are equal, or paths with a number if paths are equal."""
    names = [results.path.stem for results in runs]
    if len(set(names)) < len(names):
        names = [str(results.path) for results in runs]
    return [f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name
            for i, name in enumerate(names)]


def names_of(runs, rows):
    """Names of the files, with machines and fidelity if these differ."""
    if len(runs) > MOST_RUNS:
        raise NothingToDraw(f"{len(runs)} files are too many for one picture (at most {MOST_RUNS})")
    names = _short(runs)
    for kinds in ([results.architecture for results in runs], [_level(some) for some in rows]):
        if len(set(kinds)) > 1:
            names = [f"{name}, {kind}" for name, kind in zip(names, kinds)]
    return names


def _level(rows):
    return str(rows["fidelity"].iloc[0])


def differences(runs, rows):
    """Sentences on differences that limit the comparison of these files; each is also a warning."""
    names, found = _short(runs), []
    for what, kinds in (("machines", [results.architecture for results in runs]),
                        ("levels", [_level(some) for some in rows])):
        if len(set(kinds)) > 1:
            found.append(f"results of different {what}: {_each(names, kinds)}")
    same_machines = len({results.architecture for results in runs}) == 1
    if same_machines and (settings := _other_settings(runs, names)):
        found.append(f"designs of different spaces: {settings}")
    scenarios = [", ".join(results.scenarios) or "one request" for results in runs]
    if len(set(scenarios)) > 1:
        found.append("results for different scenarios: "
                     + "; ".join(f"{name} {what}" for name, what in zip(names, scenarios)))
    parts = [name for name, results in zip(names, runs) if results.state != "complete"]
    if parts:
        found.append(f"not all results of the run are there: {', '.join(parts)}"
                     f" ({', '.join(dict.fromkeys(r.state for r in runs if r.state != 'complete'))})")
    for sentence in found:
        warnings.warn(sentence, DifferentRuns, stacklevel=3)
    return found


def _each(names, texts):
    return ", ".join(f"{name} {text}" for name, text in zip(names, texts))


def _other_settings(runs, names):
    """Parameters that only some of the files have, or that have different fixed values. Files of one space may contain
    different parts of it, so that only parameters that are fixed in all of them count."""
    one_space = len({(results.space, results.points_in_space) for results in runs}) == 1
    found = []
    for name in dict.fromkeys(name for results in runs for name in results.parameters):
        kinds = [_setting(results, name) for results in runs]
        if len(set(kinds)) > 1 and not (one_space and VARIES in kinds):
            found.append(f"{name} ({_each(names, kinds)})")
    if not found and len({results.points_in_space for results in runs}) > 1:
        return _each(names, [f"has {results.points_in_space:,} points" for results in runs])
    return ", ".join(found[:MOST_SETTINGS]) + (f" and {len(found) - MOST_SETTINGS} more"
                                               if len(found) > MOST_SETTINGS else "")


def _setting(results, name):
    """The common value of all designs of a file, if there is one."""
    values = results.table[name].dropna().unique() if name in results.parameters else ()
    if len(values) != 1:
        return VARIES if len(values) else "not stated"
    return designs.setting("", values[0], results.units[name]).strip()
