#!/usr/bin/env bash
# fast-toml 0.5.4: nan is false, and -inf a text.
#
# Guess: NaN and minus infinity, or errors.
# Seen:  nan is the boolean false, alone, in lists and in tables; +nan, -nan and -inf are texts; inf is infinity. A line
#        of a text that ends with a backslash keeps the blanks of the next line.
# Who:   measured values in TOML, such as a table of accuracies or powers with nan for what was not measured: false is 0
#        in every sum, mean and comparison, so that the least energy is that of the design without a measurement.
# Why right to expect: TOML 0.5, which the package names, has nan, and blanks after such a backslash are trimmed.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages fast-toml@0.5.4

seen=$(node --input-type=module - <<'JS'
import toml from "fast-toml";

for (const text of ["nan", "+nan", "-nan", "inf", "-inf", "[1.5, nan, 2.5]", "{ watts = nan }", '"""a \\\n    b"""']) {
    let read;
    try {
        read = toml.parse(`x = ${text}`).x;
    } catch (error) {
        read = error.constructor;
    }
    console.log(text.replace("\n", "\\n"), "->", read);
}
const joules = toml.parse("joules = [1.5, nan, 2.5]").joules;
console.log("least", Math.min(...joules), "mean", joules.reduce((sum, one) => sum + one) / joules.length);
JS
)
same "$seen" <<'EXPECTED'
nan -> false
+nan -> +nan
-nan -> -nan
inf -> Infinity
-inf -> -inf
[1.5, nan, 2.5] -> [ 1.5, false, 2.5 ]
{ watts = nan } -> { watts: false }
"""a \\n    b""" -> a     b
least 0 mean 1.3333333333333333
EXPECTED
