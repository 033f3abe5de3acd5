#!/usr/bin/env bash
# Open MPI 4.1.4: MPI_Dims_create lays 72 processes out as 12 x 6, 420 as 28 x 15; 9 x 8 and 21 x 20 are there.
#
# Guess: the factors that are closest to each other, for each number of processes; the same as from MPICH.
# Seen:  of 1 to 2000 processes, 44 numbers get a grid in two dimensions whose sides differ by more than they need to,
#        14 in three and one in four (the first 500 are shown). MPICH 4.0.2 has the closest ones for all of them.
# Who:   grids of chips and of ranks for halo exchanges and collectives: 28 x 15 has 5 % more edge, and traffic over it,
#        than 21 x 20, and two libraries place the same job differently.
# Why right to expect: the standard asks for dimensions that are as close to each other as possible.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs_open_mpi
unpack_mpich

cat >grid.c <<'C'
#include <mpi.h>
#include <stdio.h>
// The least difference of the largest and the smallest of `left` factors of `count`, with others from low to high.
static int least(int count, int left, int low, int high) {
    if (left == 1) return (high > count ? high : count) - (low < count ? low : count);
    int best = 1 << 30;
    for (int side = 1; side <= count; ++side) {
        if (count % side) continue;
        const int here = least(count / side, left - 1, low < side ? low : side, high > side ? high : side);
        if (here < best) best = here;
    }
    return best;
}
int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        int wider = 0;
        for (int ranks = 1; ranks <= 500; ++ranks) {
            int side[3] = {0, 0, 0};
            MPI_Dims_create(ranks, dimensions, side);
            if (side[0] - side[dimensions - 1] <= least(ranks, dimensions, 1 << 30, 0)) continue;
            ++wider;
            printf("%s%d: %d x %d", wider > 1 ? ", " : "", ranks, side[0], side[1]);
            if (dimensions > 2) printf(" x %d", side[2]);
        }
        printf("%s%d of 500 in %d dimensions\n", wider ? "; " : "", wider, dimensions);
    }
    MPI_Finalize();
}
C
mpich_program grid
seen=$(
    echo "MPICH"
    ./grid
    mpicc.openmpi -O1 grid.c -o grid_open
    echo "Open MPI"
    env -u LD_LIBRARY_PATH ./grid_open
)
same "$seen" <<'EXPECTED'
MPICH
0 of 500 in 2 dimensions
0 of 500 in 3 dimensions
Open MPI
72: 12 x 6, 180: 18 x 10, 240: 20 x 12, 288: 24 x 12, 336: 24 x 14, 420: 28 x 15, 450: 30 x 15; 7 of 500 in 2 dimensions
432: 12 x 6 x 6; 1 of 500 in 3 dimensions
EXPECTED
