#!/usr/bin/env bash
# MPICH 4.0.2: mpiexec's exit code is the bitwise OR of those of all ranks, so it may be one that no rank has.
#
# Guess: the code of one rank: the highest, or as under Open MPI that of the lowest rank that failed.
# Seen:  ranks that end with 3 and 5 make 7, with 1 and 2 make 3, with 75 and 4 make 79. Ranks with the same code make
#        that one.
# Who:   job scripts that requeue after one code (75, EX_TEMPFAIL) and stop after others.
# Why right to expect: the MPI standard leaves it open, and the help of mpiexec does not say it. Open MPI's manual
#        promises the code of the lowest rank that has one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian mpich=4.0.2-3+b1 libmpich12=4.0.2-3+b1 libslurm38 libhwloc15

seen=$(
    for codes in "3 5" "1 2" "75 4" "75 75" "0 6"; do
        set -- $codes
        code=0
        mpiexec.hydra -launcher fork -hosts localhost -n 1 sh -c "exit $1" : -n 1 sh -c "exit $2" >/dev/null || code=$?
        echo "ranks $1 and $2: $code"
    done
)
same "$seen" <<'EXPECTED'
ranks 3 and 5: 7
ranks 1 and 2: 3
ranks 75 and 4: 79
ranks 75 and 75: 75
ranks 0 and 6: 6
EXPECTED
