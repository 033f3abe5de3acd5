#!/usr/bin/env bash
# HDF5 1.10.8: h5import stores the text 300 in 8 bits as 44, and 2^64 - 1 in 64 bits without a sign as 2^63 - 1.
#
# Guess: a number that does not fit is refused, as one with a point is.
# Seen:  in 8, 16 and 32 bits with a sign the upper bits are cut off; in 64 bits without one all numbers from 2^63 on
#        are 2^63 - 1, so that two addresses are one. A last number 1e3 is 1.
# Who:   tables of addresses, hashes or counters brought into HDF5: the upper half of the addresses is one address.
# Why right to expect: the tool names the text that it cannot read and ends with an error in other cases.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1 hdf5-tools=1.10.8+repack1-1

# class, bits, numbers
stored() {
    local -a numbers=("${@:3}")
    printf '%s ' "${numbers[@]}" >numbers.txt
    printf '%s\n' 'PATH /numbers' "INPUT-CLASS TEXT$1" "INPUT-SIZE $2" 'RANK 1' "DIMENSION-SIZES ${#numbers[@]}" \
        "OUTPUT-CLASS $1" "OUTPUT-SIZE $2" >shape.txt
    rm -f numbers.h5
    h5import numbers.txt -c shape.txt -o numbers.h5 >said.txt 2>&1 || { head -1 said.txt; return; }
    echo "$1 $2: ${numbers[*]} -> $(h5dump -y -w 0 -d /numbers numbers.h5 | grep -A1 'DATA {' | tail -1 | xargs)"
}
seen=$(
    stored IN 8 300 -1 127
    stored IN 16 70000 -1
    stored IN 32 5000000000 -1
    stored IN 32 7 1e3
    stored UIN 32 3000000000 7
    stored UIN 64 9223372036854775813 18446744073709551615 7
    stored IN 32 1.5 2
)
same "$seen" <<'EXPECTED'
IN 8: 300 -1 127 -> 44, -1, 127
IN 16: 70000 -1 -> 4464, -1
IN 32: 5000000000 -1 -> 705032704, -1
IN 32: 7 1e3 -> 7, 1
UIN 32: 3000000000 7 -> 3000000000, 7
UIN 64: 9223372036854775813 18446744073709551615 7 -> 9223372036854775807, 9223372036854775807, 7
Unable to get integer value from file.
EXPECTED
