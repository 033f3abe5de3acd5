#!/usr/bin/env bash
# wheel.sh DIST ROOT: the wheel in an empty virtual environment, without any index of packages.
# shellcheck source=tests/package/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"
wheel=$(made 'pimdse-*.whl')
/usr/bin/python3 -m venv "$place/venv" >"$place/venv.log" 2>&1 || skip "no venv: $(tail -1 "$place/venv.log")"
cd "$place"
from=$(now)
plainly venv/bin/pip install --quiet --no-index --no-cache-dir --disable-pip-version-check "$wheel"
plainly venv/bin/pimdse quick --progress none >front.txt
echo "wheel: $(seconds "$from") s from pip install to the first front"
has_front front.txt
package=$(echo "$place"/venv/lib/python3*/site-packages/pimdse)
brings_libraries "$package/_program/bin/pimdse" "$package/_program"
plainly venv/bin/pimdse quick --progress none --format json >front.json
same_digest wheel front.json
plainly venv/bin/pimdse report quick.h5 -o quick.html >/dev/null

# Without numpy: the package, its own program, and points.
plainly venv/bin/python -B - "$package" <<'PYTHON'
import sys
import pimdse
assert pimdse.find_program() == sys.argv[1] + "/_program/bin/pimdse", pimdse.find_program()
with pimdse.Explorer("quick", "served.h5") as explorer:
    assert [result["status"] for result in explorer.evaluate(ids=[0])] == ["ok"]
try:
    pimdse.load("quick.h5")
except ImportError as error:
    assert "pip install numpy h5py pandas" in str(error), error
else:
    sys.exit("a table without h5py")
PYTHON

# One process: under a launcher of several it says so once, and writes nothing.
status=0
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 venv/bin/pimdse quick -o ranks.h5 >ranks.txt 2>&1 || status=$?
if [ "$status" -ne 2 ] || [ "$(wc -l <ranks.txt)" -ne 1 ] || ! grep -q 'without MPI' ranks.txt || [ -e ranks.h5 ]; then
    failed "two ranks: exit code $status, $(cat ranks.txt)"
fi
status=0
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 venv/bin/pimdse quick -o ranks.h5 >ranks.txt 2>&1 || status=$?
if [ "$status" -ne 2 ] || [ -s ranks.txt ]; then failed "the second rank: exit code $status, $(cat ranks.txt)"; fi

# RECORD names every file.
plainly venv/bin/pip uninstall --quiet --yes pimdse
left=$(find venv/lib/python3*/site-packages/pimdse* venv/bin/pimdse -type f ! -name '*.pyc' 2>/dev/null || true)
[ -z "$left" ] || failed "RECORD does not name: $left"
