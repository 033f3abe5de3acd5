#!/usr/bin/env bash
# @huggingface/jinja 0.5.11: chat templates render other texts than in Python: 1.0 is 1, True is true, -7 % 3 is -1.
#
# Guess: -7 % 3 is 2 and -7 // 2 is -4 as in Jinja, and 1.0 stays 1.0.
# Seen:  `//` rounds down as Python does, `%` does not go with it. tojson writes 1.0 as 1, so a tool whose schema has
#        numbers with a point is shorter by two characters each. A text equals the number that it spells. Python's
#        Jinja 3.1.2 with the json.dumps that servers give it renders the others.
# Who:   counts of input tokens of traffic with tools, made by a script in Node: prompts differ from those served.
# Why right to expect: the package says that it is for chat templates of models, which are written for Python's Jinja.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-jinja2=3.1.2-1+deb12u3 python3-markupsafe=2.1.2-1+b1
npm_packages @huggingface/jinja@0.5.11

cat >templates.json <<'JSON'
["{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }}", "{{ {'default': 1.0, 'minimum': 0.5} | tojson }}", "{{ true }}",
 "{{ '1' == 1 }}", "{{ [1, 'a'] }}"]
JSON
seen=$(node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
for (const text of JSON.parse(readFileSync("templates.json"))) console.log("node:  ", new Template(text).render({}));
JS
/usr/bin/python3 -B - <<'PY'
import json
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
for text in json.load(open("templates.json")):
    print("python:", environment.from_string(text).render())
PY
)
same "$seen" <<'EXPECTED'
node:   3 -4 -1
node:   {"default": 1, "minimum": 0.5}
node:   true
node:   true
node:   [1, "a"]
python: 3 -4 2
python: {"default": 1.0, "minimum": 0.5}
python: True
python: False
python: [1, 'a']
EXPECTED
