#!/usr/bin/env bash
# MPICH 4.0.2: with one NaN, MPI_Allreduce(MPI_MAX) of four ranks is 4 on three of them and NaN on the other.
#
# Guess: the same on every rank, be it NaN or not; MPI_MIN of 2, 3, 4 and NaN is 2 where it is a number.
# Seen:  ranks exchange in pairs, and the smaller of a and NaN is whichever stands second. So the ranks hold different
#        maxima, and minima such as 2, 3, 2 and NaN: some are not even the smallest of the numbers. With three ranks
#        also two of them agree on a wrong one.
# Who:   a parallel search in which each rank prunes by the best latency so far: one rank whose model returned NaN makes
#        the ranks go on with different bounds, or leave a loop at different times.
# Why right to expect: the standard says that the call returns the same result to all ranks, and only advises
#        implementors on rounding. (Open MPI 4.1.4 gives one result to all, which depends on where the NaN is.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_mpich

cat >bound.c <<'C'
#include <math.h>
#include <mpi.h>
#include <stdio.h>
int main(int count, char **arguments) {
    int rank, ranks;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int bad = 0; bad < ranks; ++bad) {
        const double mine = rank == bad ? NAN : rank + 1;
        double bound[2], all[2 * 8];
        MPI_Allreduce(&mine, &bound[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &bound[1], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Gather(bound, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank) continue;
        printf("rank %d of %d has NaN: largest", bad, ranks);
        for (int i = 0; i < ranks; ++i) printf(" %g", all[2 * i]);
        printf(", smallest");
        for (int i = 0; i < ranks; ++i) printf(" %g", all[2 * i + 1]);
        printf("\n");
    }
    MPI_Finalize();
}
C
mpich_program bound
seen=$(for ranks in 3 4; do mpiexec.hydra -launcher fork -hosts localhost -n $ranks ./bound; done)
same "$seen" <<'EXPECTED'
rank 0 of 3 has NaN: largest 3 3 nan, smallest 3 3 nan
rank 1 of 3 has NaN: largest 3 3 3, smallest 1 1 1
rank 2 of 3 has NaN: largest nan nan 2, smallest nan nan 1
rank 0 of 4 has NaN: largest 4 4 4 nan, smallest 2 3 2 nan
rank 1 of 4 has NaN: largest 4 4 nan 4, smallest 3 1 nan 1
rank 2 of 4 has NaN: largest 4 nan 4 2, smallest 1 nan 1 1
rank 3 of 4 has NaN: largest nan 3 2 3, smallest nan 1 1 1
EXPECTED
