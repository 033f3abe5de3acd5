"""Models hold no bare decimals: a number about the world or of our choosing is a row of constants.toml."""
import re

from tree import Violation

NAME = "decimals"
EXPONENT = r"[eE][+-]?\d+"
DECIMAL = re.compile(rf"(?<![\w.'])(?:\d[\d']*\.\d*(?:{EXPONENT})?|\.\d+(?:{EXPONENT})?|\d[\d']*{EXPONENT})(?![\w.])")
ADVICE = "a conversion belongs to sim/base/units, anything else to constants.toml"


def check(tree, catalogue):
    harmless = {float(v) for v in catalogue["decimals"].get("harmless", [])}
    for path in tree.named(".cpp", ".hpp", under=("models",)):
        for number, line in enumerate(tree.code(path).splitlines(), 1):
            for found in DECIMAL.findall(line):
                if float(found.replace("'", "")) not in harmless:
                    yield Violation(path, number, NAME, f"{found}: {ADVICE}", found)
