#!/usr/bin/env bash
# pandas 1.5.3 with PyTables 3.7.0: read_hdf(where="id == 9007199254740993") returns the row of 9007199254740992.
#
# Guess: an integer column is compared with the integer that the condition names.
# Seen:  the condition's number goes through a double before it is an integer: another row is returned, none for 2^62 +
#        1, and `id in [...]` does the same. Numbers of both ends of > and < move likewise. PyTables itself returns the
#        right row, for the same text and the same table.
# Who:   tables of designs or of requests with 64-bit ids, seeds, hashes or addresses, of which one is looked up: the
#        figures of another design are read, without a warning.
# Why right to expect: the column is int64, the condition is text that Python reads exactly, and table.query() finds it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-pandas python3-numpy
debian python3-tables=3.7.0-5 python3-tables-lib=3.7.0-5+b1 python3-numexpr=2.8.4-1+b2 libblosc1=1.21.3+ds-1 \
    libsnappy1v5=1.1.9-3

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import pandas, tables
ids = [2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1]
designs = pandas.DataFrame({"id": ids, "joules": [1.0, 2.0, 3.0, 4.0]})
designs.to_hdf("designs.h5", "designs", format="table", data_columns=True)
for where in (f"id == {ids[1]}", f"id == {ids[3]}", f"id in [{ids[1]}]", f"id >= {ids[1]}"):
    print(where, "->", pandas.read_hdf("designs.h5", "designs", where=where).id.tolist())
where = f"id == {ids[1]}"
print("query:", designs.query(where).id.tolist())
with tables.open_file("designs.h5") as file:
    print("PyTables:", file.root.designs.table.read_where(where)["id"].tolist())
PY
)
same "$seen" <<'EXPECTED'
id == 9007199254740993 -> [9007199254740992]
id == 4611686018427387905 -> []
id in [9007199254740993] -> [9007199254740992]
id >= 9007199254740993 -> [9007199254740992, 9007199254740993, 9007199254740994, 4611686018427387905]
query: [9007199254740993]
PyTables: [9007199254740993]
EXPECTED
