#!/usr/bin/env bash
# json2toml 6.1.2 (npm): rows of the scenarios in a list become one list beside them; Infinity becomes null.
#
# Guess: what it writes is TOML that has the same data.
# Seen:  the header of a list of tables inside a list of tables lacks its parent, [[rows]] for [[scenario.rows]], so
#        that the rows of all scenarios are read as one list of the file, and the scenarios have none. Infinity and NaN
#        are written as null, which no TOML reader takes; 1e-12 and 1e21 are right.
# Who:   files of scenarios, machines or traffic for a TOML reader such as pimdse's, made by a script from JSON. Where
#        the reader takes the new list as well, nothing tells that the scenarios are empty.
# Why right to expect: TOML 1.0.0, "Array of Tables": a nested list has a header of all its names, and inf and nan are
#        numbers. The README says that JSON is converted to TOML.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
npm_packages json2toml@6.1.2

node --input-type=module - <<'JS'
import { writeFileSync } from "node:fs";
import json2toml from "json2toml";
const scenarios = [{ name: "a", rows: [{ x: 1 }] }, { name: "b", rows: [{ x: 2 }] }];
writeFileSync("nested.toml", json2toml({ scenario: scenarios }));
writeFileSync("numbers.toml", json2toml({ energy: 1e-12, bytes: 1e21 }));
writeFileSync("infinite.toml", json2toml({ latency: Infinity }));
JS
seen=$(
    /usr/bin/python3 -B - <<'PY'
import tomllib
for name in ("nested", "numbers", "infinite"):
    text = open(f"{name}.toml").read()
    try:
        print(f"{name}: {tomllib.loads(text)}")
    except tomllib.TOMLDecodeError as error:
        print(f"{name}: {text.strip()}: {error}")
PY
)
same "$seen" <<'EXPECTED'
nested: {'scenario': [{'name': 'a'}, {'name': 'b'}], 'rows': [{'x': 1}, {'x': 2}]}
numbers: {'energy': 1e-12, 'bytes': 1e+21}
infinite: latency = null: Invalid value (at line 1, column 11)
EXPECTED
