"""Models contain no bare decimals: physical constants and assumptions are rows of constants.toml."""
import re

from tree import Violation

NAME = "decimals"
EXPONENT = r"[eE][+-]?\d+"
DECIMAL = re.compile(rf"(?<![\w.'])(?:\d[\d']*\.\d*(?:{EXPONENT})?|\.\d+(?:{EXPONENT})?|\d[\d']*{EXPONENT})(?![\w.])")
ADVICE = "move a unit conversion to sim/base/units, any other number to constants.toml"


def check(tree, catalogue):
    harmless = {float(v) for v in catalogue["decimals"].get("harmless", [])}
    for path in tree.named(".cpp", ".hpp", under=("models",)):
        for number, line in enumerate(tree.code(path).splitlines(), 1):
            for found in DECIMAL.findall(line):
                if float(found.replace("'", "")) not in harmless:
                    yield Violation(path, number, NAME, f"the code contains the decimal {found}: {ADVICE}", found)
