#!/usr/bin/env bash
# yamljs 0.3.0: 0o100 is 0, and infinity is written as a word that other readers take for a text.
#
# Guess: 0o100 is 64, since the package reads YAML 1.2, or a text, as in YAML 1.1; .inf comes back as .inf.
# Seen:  0o100 is the number 0; 0100 is 64, which is YAML 1.1. Infinity and NaN are written without a point, as Infinity
#        and NaN: PyYAML reads texts, and yamljs itself reads a text for NaN.
# Who:   settings with masks or sizes in octal digits, and results with infinite or missing values that a script of
#        JavaScript passes to one of Python.
# Why right to expect: the first line of its page says YAML 1.2, where octal numbers begin with 0o and infinity is .inf.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-yaml
npm_packages yamljs@0.3.0

cat >numbers.cjs <<'JS'
const YAML = require("yamljs");
for (const text of ["0o100", "0100", "0x40", ".inf", ".nan"]) {
    const value = YAML.parse(`x: ${text}`).x;
    const written = YAML.stringify({ x: value }).trim();
    const again = YAML.parse(written).x;
    console.log(`${text}: ${typeof value} ${value}; written "${written}"; read again: ${typeof again} ${again}`);
}
require("fs").writeFileSync("written.yaml", YAML.stringify({ latency: Infinity, energy: NaN }));
JS
seen=$(
    node numbers.cjs
    /usr/bin/python3 -B -c 'import yaml; print("PyYAML", yaml.safe_load(open("written.yaml")))'
)
same "$seen" <<'EXPECTED'
0o100: number 0; written "x: 0"; read again: number 0
0100: number 64; written "x: 64"; read again: number 64
0x40: number 64; written "x: 64"; read again: number 64
.inf: number Infinity; written "x: Infinity"; read again: number Infinity
.nan: number NaN; written "x: NaN"; read again: string NaN
PyYAML {'latency': 'Infinity', 'energy': 'NaN'}
EXPECTED
