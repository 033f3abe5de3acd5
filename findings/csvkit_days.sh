#!/usr/bin/env bash
# csvkit 1.0.7: csvsort writes the topologies 2d and 3d as "2 days, 0:00:00" and the flags 0 and 1 as False and True.
#
# Guess: a column of names stays as it is; a table is sorted and nothing else.
# Seen:  each column is read as the first type that fits all of its cells, and written back in that type's own text:
#        2d and 3d become times, 0 and 1 truth values.
# Who:   tables of designs with a column of topologies, chips a side or switches: sorted for a report, they no longer
#        match the space they came from.
# Why right to expect: csvsort's help says that it sorts, as `sort` does for CSV. (`--no-inference` keeps the texts, and
#        sorts 10 before 9.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_csvkit

cat >designs.csv <<'CSV'
design,topology,flag,energy,latency
mesh,2d,0,1e-12,0.02
cube,3d,1,2.5e-12,0.01
CSV
csvsort() { /usr/bin/python3 -B -W ignore "$work/unpacked/usr/bin/csvsort" "$@"; }
same "$(csvsort -c latency designs.csv; echo; csvsort --no-inference -c latency designs.csv)" <<'EXPECTED'
design,topology,flag,energy,latency
cube,"3 days, 0:00:00",True,2.5E-12,0.01
mesh,"2 days, 0:00:00",False,1E-12,0.02

design,topology,flag,energy,latency
cube,3d,1,2.5e-12,0.01
mesh,2d,0,1e-12,0.02
EXPECTED
