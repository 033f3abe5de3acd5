#!/usr/bin/env bash
# datamash 1.7: the largest of three addresses is printed as 1.0995116277761e+15, so two addresses are one.
#
# Guess: integers are printed with all their digits: max, min and mode print a cell that is there.
# Seen:  every number is printed with 14 significant digits: 1099511627776123 and 1099511627776127 become one text, as
#        smallest, largest, median, mode and sum. As the text of a group (-g) or of `unique` it keeps its digits.
# Who:   ids, seeds, byte counts and addresses of traces and tables of designs: the id of the best design is no id.
#        `--format %.0f` prints all digits.
# Why right to expect: it computes in long double, which holds all 64-bit integers, and `max` of awk, R and sort prints
#        the cell. The manual names the formats that may be set; that the usual one has 14 digits stands nowhere in it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian datamash=1.7-2

seen=$(
    printf '%s\n' 1099511627776123 1099511627776127 1099511627776123 >addresses.txt
    for operation in min max median mode sum unique; do
        for format in "" "--format %.0f"; do
            echo "$operation $format: $(datamash $format $operation 1 <addresses.txt)"
        done
    done
    datamash -s -g 1 count 1 max 1 <addresses.txt
)
same "$seen" <<'EXPECTED'
min : 1.0995116277761e+15
min --format %.0f: 1099511627776123
max : 1.0995116277761e+15
max --format %.0f: 1099511627776127
median : 1.0995116277761e+15
median --format %.0f: 1099511627776123
mode : 1.0995116277761e+15
mode --format %.0f: 1099511627776123
sum : 3.2985348833284e+15
sum --format %.0f: 3298534883328373
unique : 1099511627776123,1099511627776127
unique --format %.0f: 1099511627776123,1099511627776127
1099511627776123	2	1.0995116277761e+15
1099511627776127	1	1.0995116277761e+15
EXPECTED
