#!/usr/bin/env bash
# texttable 1.6.7: the cell "12e4" is printed as 120000, "0012" as 12, 1099511627776 as 1.100e+12, and 5e-12 as 0.000.
#
# Guess: texts are printed as they are, and integers with all their digits.
# Seen:  every cell that Python's float() reads is printed as a number, also if it is a text: whole ones as integers,
#        others with three decimals, and from 1e8 on all with four digits, so that two ids are one and picojoules are 0.
#        Columns of the kind "t" keep their texts.
# Who:   tables of designs in a terminal: short hashes as names (12e4, 1e5), counts of bytes, joules, names with zeros
#        in front. Table.set_cols_dtype(["t", ...]) is needed for each of them.
# Why right to expect: the caller gave a text; a table is to show it. Digits that are lost are not marked.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
debian python3-texttable=1.6.7-1

seen=$(/usr/bin/python3 -B - <<'PY'
from texttable import Texttable
rows = [["design", "bytes", "joules", "address"], ["12e4", 1099511627776, 5e-12, "0012"],
        ["1e5", 1099511627999, 4.4e-4, "1_000"], ["3f0", 17, 1.5, "0x10"]]
for kinds in (None, ["t"] * 4):
    table = Texttable()
    table.set_deco(0)
    if kinds:
        table.set_cols_dtype(kinds)
    table.add_rows(rows)
    print("\n".join(line.rstrip() for line in table.draw().splitlines()))
PY
)
same "$seen" <<'EXPECTED'
design     bytes     joules   address
120000   1.100e+12   0.000    12
100000   1.100e+12   0.000    1000
3f0      17          1.500    0x10
design       bytes       joules    address
12e4     1099511627776   5e-12     0012
1e5      1099511627999   0.00044   1_000
3f0      17              1.5       0x10
EXPECTED
