#!/usr/bin/env bash
# MPICH 4.0.2: on a ring of two ranks MPI_Neighbor_alltoallv swaps left and right, MPI_Neighbor_alltoall does not.
#
# Guess: what a rank sends to its left arrives as what comes from the right, on any ring.
# Seen:  so it is with three ranks, and in both functions of Open MPI 4.1.4. With two ranks, or one, MPICH's function
#        with counts pairs messages by their order, so what was sent to the left comes from the left.
# Who:   halos of a mesh on a torus whose side is one or two processes, as in every first test and small machine: upper
#        and lower halos are exchanged, or right with one of the two functions only.
# Why right to expect: the standard describes the function with counts as the other one with counts and offsets, and
#        neighbours of a Cartesian communicator as MPI_Cart_shift gives them.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs_open_mpi
unpack_mpich
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >ring.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
    MPI_Init(&count, &words);
    int ranks, rank, ring_closed = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ring_closed, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    char to[] = {'<', '>'}, from[2], from_v[2];
    int counts[] = {1, 1}, offsets[] = {0, 1};
    MPI_Neighbor_alltoall(to, 1, MPI_CHAR, from, 1, MPI_CHAR, ring);
    MPI_Neighbor_alltoallv(to, counts, offsets, MPI_CHAR, from_v, counts, offsets, MPI_CHAR, ring);
    if (rank == 0)
        printf("%d ranks: from the left %c, from the right %c; with counts %c and %c\n", ranks, from[0], from[1],
               from_v[0], from_v[1]);
    MPI_Finalize();
}
C
mpich_program ring
mpicc.openmpi ring.c -o ring_of_open_mpi
seen=$(
    echo "MPICH"
    for ranks in 1 2 3; do mpiexec.hydra -launcher fork -hosts localhost -n $ranks ./ring; done
    echo "Open MPI"
    for ranks in 1 2 3; do env -u LD_LIBRARY_PATH mpirun.openmpi --oversubscribe -n $ranks ./ring_of_open_mpi; done
)
same "$seen" <<'EXPECTED'
MPICH
1 ranks: from the left >, from the right <; with counts < and >
2 ranks: from the left >, from the right <; with counts < and >
3 ranks: from the left >, from the right <; with counts > and <
Open MPI
1 ranks: from the left >, from the right <; with counts > and <
2 ranks: from the left >, from the right <; with counts > and <
3 ranks: from the left >, from the right <; with counts > and <
EXPECTED
