#!/usr/bin/env bash
# MPICH 4.0.2 and Open MPI 4.1.4: packed as external32, the long 4294967301 is read back as 5, without an error.
#
# Guess: MPI_LONG has eight bytes there as it has in memory, or what does not fit is an error.
# Seen:  external32 gives MPI_LONG and MPI_UNSIGNED_LONG four bytes, and both libraries cut to the lower ones. The size
#        that Open MPI announces is eight bytes all the same. MPI_INT64_T, MPI_UINT64_T and MPI_COUNT keep all digits.
# Who:   files of MPI-IO that other machines read (MPI_File_set_view with "external32"), and messages between different
#        libraries: addresses, seeds, ids and counts of bytes above 4 GiB.
# Why right to expect: a portable form is chosen so that numbers survive. The four bytes are in the standard's table of
#        sizes; the standard foresees an error, MPI_ERR_CONVERSION, for conversions that fail.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs_open_mpi
unpack_mpich

cat >longs.c <<'C'
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
static void there_and_back(const char* name, MPI_Datatype type) {
    const int64_t number = 4294967301;
    int64_t back = -1;
    char bytes[64];
    MPI_Aint room, written = 0, at = 0;
    MPI_Pack_external_size("external32", 1, type, &room);
    const int first = MPI_Pack_external("external32", &number, 1, type, bytes, sizeof bytes, &written);
    const int second = MPI_Unpack_external("external32", bytes, written, &at, &back, 1, type);
    printf("%s: %ld bytes announced, %ld written, %" PRId64 " read%s\n", name, (long)room, (long)written, back,
           first == MPI_SUCCESS && second == MPI_SUCCESS ? "" : ", an error");
}
int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    there_and_back("MPI_LONG", MPI_LONG);
    there_and_back("MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG);
    there_and_back("MPI_INT64_T", MPI_INT64_T);
    there_and_back("MPI_UINT64_T", MPI_UINT64_T);
    there_and_back("MPI_COUNT", MPI_COUNT);
    MPI_Finalize();
}
C
mpich_program longs
seen=$(
    echo "MPICH"
    ./longs
    mpicc.openmpi -O1 longs.c -o longs_open
    echo "Open MPI"
    env -u LD_LIBRARY_PATH ./longs_open
)
same "$seen" <<'EXPECTED'
MPICH
MPI_LONG: 4 bytes announced, 4 written, 5 read
MPI_UNSIGNED_LONG: 4 bytes announced, 4 written, 5 read
MPI_INT64_T: 8 bytes announced, 8 written, 4294967301 read
MPI_UINT64_T: 8 bytes announced, 8 written, 4294967301 read
MPI_COUNT: 8 bytes announced, 8 written, 4294967301 read
Open MPI
MPI_LONG: 8 bytes announced, 4 written, 5 read
MPI_UNSIGNED_LONG: 8 bytes announced, 4 written, 5 read
MPI_INT64_T: 8 bytes announced, 8 written, 4294967301 read
MPI_UINT64_T: 8 bytes announced, 8 written, 4294967301 read
MPI_COUNT: 8 bytes announced, 8 written, 4294967301 read
EXPECTED
