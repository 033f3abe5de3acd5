#!/usr/bin/env bash
# sqlite-utils 3.30 --detect-types: the mean of a column with inf and 1.5 is 0.75.
#
# Guess: a column that is detected as FLOAT has numbers: infinity, or the column is text.
# Seen:  inf and nan count as numbers when types are detected, but SQLite stores them as texts in the FLOAT column: they
#        are 0 in avg, nothing in sum, and the largest value in max. 18446744073709551615 in a column that is detected
#        as INTEGER is stored as 1.8e19, so that two ids are one.
# Who:   results of a search that are put into a database from CSV: infeasible designs have infinite objectives, and
#        64-bit ids and hashes are unsigned. Without --detect-types all cells are texts.
# Why right to expect: detection is there so that columns can be computed with, and FLOAT holds infinity.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3 python3-pluggy
debian sqlite-utils=3.30-1+deb12u1 python3-click=8.1.3-2 python3-click-default-group=1.2.2-3 \
    python3-sqlite-fts4=1.0.3-2 python3-dateutil=2.8.2-2 python3-tabulate=0.8.9-1

printf 'id,latency\n18446744073709551615,inf\n18446744073709551614,1.5\n' >designs.csv
utils() { /usr/bin/python3 -B -W ignore "$work/unpacked/usr/bin/sqlite-utils" "$@"; }
utils insert designs.db designs designs.csv --csv --detect-types >progress.txt
seen=$(
    utils schema designs.db
    utils designs.db 'select avg(latency), sum(latency), max(latency), min(latency) from designs'
    utils designs.db 'select typeof(latency), latency, typeof(id), id from designs'
)
same "$seen" <<'EXPECTED'
CREATE TABLE "designs" (
   [id] INTEGER,
   [latency] FLOAT
);
[{"avg(latency)": 0.75, "sum(latency)": 1.5, "max(latency)": "inf", "min(latency)": 1.5}]
[{"typeof(latency)": "text", "latency": "inf", "typeof(id)": "real", "id": 1.8446744073709552e+19},
 {"typeof(latency)": "real", "latency": 1.5, "typeof(id)": "real", "id": 1.8446744073709552e+19}]
EXPECTED
