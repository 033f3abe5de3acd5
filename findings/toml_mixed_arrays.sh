#!/usr/bin/env bash
# toml 0.10.2 (Python): it writes `[ 1, 2.5,]` and refuses to read that, as all arrays with more than one type.
#
# Guess: [1, 2.5] and [1, "all"] are read, as TOML 1.0 allows.
# Seen:  "Not a homogeneous array" for both, also for text that `toml.dumps` has just written. Mixed arrays of arrays
#        and of tables are read.
# Who:   whoever makes lists of values for a sweep (channels 1, 2.5, "all") with this module, of which many programs
#        from before Python's tomllib still consist.
# Why right to expect: TOML 1.0.0, "Array": values of different types may be mixed. A writer should read what it writes.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-toml=0.10.2-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import toml, tomllib
for value in ([1, 2.5], [1, "all"], [[1], ["all"]]):
    text = toml.dumps({"channels": value})
    try:
        read = toml.loads(text)["channels"]
    except toml.TomlDecodeError as error:
        read = f"refused ({str(error).split(' (')[0]})"
    print(f"{text.strip()}: toml {read}, tomllib {tomllib.loads(text)['channels']}")
PY
)
same "$seen" <<'EXPECTED'
channels = [ 1, 2.5,]: toml refused (Not a homogeneous array), tomllib [1, 2.5]
channels = [ 1, "all",]: toml refused (Not a homogeneous array), tomllib [1, 'all']
channels = [ [ 1,], [ "all",],]: toml [[1], ['all']], tomllib [[1], ['all']]
EXPECTED
