#!/usr/bin/env bash
# tomlkit 0.11.7: tables in a list that hold only further lists of tables lose their header, so two become one.
#
# Guess: data that `tomlkit.dumps` writes are read back as they were.
# Seen:  for a list of two tables whose only key is a list of tables, both headers are missing: one table with the rows
#        of both is read. If only the second is so, its rows go to the first. No error; toml 0.10.2 writes the headers.
# Who:   whoever writes a file of machines or scenarios from a program: [[scenario]] with nothing but [[scenario.rows]].
# Why right to expect: TOML 1.0.0, "Array of Tables": each [[name]] begins an element, and what follows without it
#        belongs to the last one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-tomlkit=0.11.7-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import tomlkit, tomllib
for data in (
    {"scenario": [{"rows": [{"batch": 1}]}, {"rows": [{"batch": 8}]}]},
    {"scenario": [{"name": "chat"}, {"rows": [{"batch": 8}]}]},
):
    print(data, "is read as", tomllib.loads(tomlkit.dumps(data)), sep="\n  ")
PY
)
same "$seen" <<'EXPECTED'
{'scenario': [{'rows': [{'batch': 1}]}, {'rows': [{'batch': 8}]}]}
  is read as
  {'scenario': {'rows': [{'batch': 1}, {'batch': 8}]}}
{'scenario': [{'name': 'chat'}, {'rows': [{'batch': 8}]}]}
  is read as
  {'scenario': [{'name': 'chat', 'rows': [{'batch': 8}]}]}
EXPECTED
