#!/usr/bin/env bash
# PuLP 2.6.0 with CBC 2.10.8: the least size of at least 1,099,511,627,777,123 bytes is "optimal" at 28 million less.
#
# Guess: numbers are handed over with all digits of a double (17), in both directions.
# Seen:  the bound has 13 digits in the MPS file that PuLP writes for CBC, and 12 in an LP file, where 2^40 + 1 is
#        1.09951162778e+12. The solution that CBC writes has eight: PuLP reads 1,099,511,600,000,000, which breaks the
#        constraint that the model holds.
# Who:   capacities in bytes and totals of traffic or cycles that a mapping is checked with afterwards. Count in larger
#        units, and evaluate the constraints again.
# Why right to expect: the LP format allows any number of digits, and an integer below 2^53 is exact on either side.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-pulp=2.6.0+dfsg-1
unpack_cbc

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import pulp

model = pulp.LpProblem("capacity", pulp.LpMinimize)
size = pulp.LpVariable("size", 0, cat="Integer")
model += size
model += size >= 1099511627777123, "needed"
model.writeLP("model.lp")
model.writeMPS("model.mps")
print("LP: ", next(line.strip() for line in open("model.lp") if "needed" in line))
print("MPS:", " ".join(next(line for line in open("model.mps") if line.startswith("    RHS")).split()))
status = model.solve(pulp.COIN_CMD(path=pulp.COIN_CMD().path, msg=False))
print(f"{pulp.LpStatus[status]}: {size.value():.0f}, less what is needed {model.constraints['needed'].value():.0f}")
PY
)
same "$seen" <<'EXPECTED'
LP:  needed: size >= 1.09951162778e+15
MPS: RHS needed 1.099511627777e+15
Optimal: 1099511600000000, less what is needed -27777123
EXPECTED
