#!/usr/bin/env bash
# HDF5 1.10.8: H5LTfind_dataset(file, "energy") finds "energy_total" in a file without a column energy.
#
# Guess: it finds a dataset of that name.
# Seen:  of each name only as many letters are compared as the one that is sought has. H5LTfind_attribute beside it
#        compares all of them.
# Who:   readers that look for an optional column and then open it, which fails, or that skip writing one because it
#        seems to be there. H5Lexists is right.
# Why right to expect: its reference says that it determines whether a dataset of the name exists in the group.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc libhdf5-dev
debian libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1

cat >find.c <<'C'
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
int main(void) {
    const char* names[] = {"energy_total", "energy", "en", "energy_total_2", "total"};
    const hsize_t rows = 1;
    const double joules = 5e-12;
    const hid_t file = H5Fcreate("file.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5LTmake_dataset_double(file, "energy_total", 1, &rows, &joules);
    H5LTset_attribute_string(file, "energy_total", "unit_of_energy", "J");
    const hid_t column = H5Dopen2(file, "energy_total", H5P_DEFAULT);
    for (int i = 0; i < 5; ++i)
        printf("%s: found %d, exists %d\n", names[i], H5LTfind_dataset(file, names[i]) == 1,
               H5Lexists(file, names[i], H5P_DEFAULT) == 1);
    printf("attribute unit_of_energy: found %d; unit: found %d\n", H5LTfind_attribute(column, "unit_of_energy") == 1,
           H5LTfind_attribute(column, "unit") == 1);
    H5Dclose(column);
    H5Fclose(file);
    return 0;
}
C
gcc -O1 -I/usr/include/hdf5/serial find.c -o find unpacked/usr/lib/x86_64-linux-gnu/libhdf5_serial_hl.so.100.* \
    unpacked/usr/lib/x86_64-linux-gnu/libhdf5_serial.so.103.* -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(./find)" <<'EXPECTED'
energy_total: found 1, exists 1
energy: found 1, exists 0
en: found 1, exists 0
energy_total_2: found 0, exists 0
total: found 0, exists 0
attribute unit_of_energy: found 1; unit: found 0
EXPECTED
