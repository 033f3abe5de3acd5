#!/usr/bin/env bash
# toml-patch 0.2.3 (npm): a table called "llama-3.1" is written as [llama-3.1], which is a table "1" in "llama-3".
#
# Guess: keys that are not bare are written in quotes, as from @iarna/toml 3.0.0 and js-toml 2.0.1.
# Seen:  the keys are written bare: the table of a model called llama-3.1 becomes two, the key v0.5 a table v0 with a
#        key 5, and a key with a blank a text that no reader takes. The package's own reader reads its text back in the
#        same wrong shape.
# Who:   files keyed by names of models and versions, written by a page or script that chose this package because it
#        keeps comments when it edits.
# Why right to expect: TOML 1.0.0, "Keys": a bare key has letters, digits, _ and -; dots between bare keys are tables.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
npm_packages toml-patch@0.2.3

node --input-type=module - <<'JS' >written.txt
import { parse, stringify } from "toml-patch";
for (const data of [{ name: "a", "llama-3.1": { layers: 32 } }, { name: "b", "v0.5": 1 }, { "two words": 1 }])
    console.log(JSON.stringify([data, stringify(data)]));
console.log(JSON.stringify([parse(stringify({ name: "a", "llama-3.1": { layers: 32 } })), ""]));
JS
seen=$(
    /usr/bin/python3 -B - <<'PY'
import json, tomllib
for line in open("written.txt"):
    data, text = json.loads(line)
    try:
        print(f"{data}: {tomllib.loads(text)}" if text else f"its own reader: {data}")
    except tomllib.TOMLDecodeError as error:
        print(f"{data}: {error}")
PY
)
same "$seen" <<'EXPECTED'
{'name': 'a', 'llama-3.1': {'layers': 32}}: {'name': 'a', 'llama-3': {'1': {'layers': 32}}}
{'name': 'b', 'v0.5': 1}: {'name': 'b', 'v0': {'5': 1}}
{'two words': 1}: Expected '=' after a key in a key/value pair (at line 1, column 5)
its own reader: {'name': 'a', 'llama-3': {'1': {'layers': 32}}}
EXPECTED
