#!/usr/bin/env bash
# mawk 1.3.4 (Debian 12's awk): printf "%d" of 5,000,000,000 is 2147483647, "%x" of 0x100000040 is ffffffff.
#
# Guess: integers up to 2^53 are printed with all their digits, as other awks print them.
# Seen:  %d stops at 2^31 - 1 and %x at 2^32 - 1, so all large addresses are one. A sum is right and is printed with six
#        digits (1.5e+10). "0x40" is the number 64, and 0 in gawk without an option.
# Who:   totals of bytes and addresses of memory traces (0x40 READ 120) in scripts that were written with gawk: all
#        requests above 4 GiB go to one address.
# Why right to expect: POSIX: awk's numbers are doubles, and %d of them is what printf of C prints of the same integer.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian mawk=1.3.4.20200120-3.1 gawk=1:5.2.1-2 libsigsegv2=2.14-1 libmpfr6=4.2.0-1

cat >trace.txt <<'TXT'
4294967360 5000000000
64 10000000000
TXT
seen=$(
    for awk in mawk gawk; do
        "$awk" -v name="$awk" '
            { printf "%s: %d at 0x%x\n", name, $2, $1; sum += $2 }
            END { printf "sum %d, ", sum; print sum; print "0x40 is", "0x40" + 0 }' trace.txt
    done
)
same "$seen" <<'EXPECTED'
mawk: 2147483647 at 0xffffffff
mawk: 2147483647 at 0x40
sum 2147483647, 1.5e+10
0x40 is 64
gawk: 5000000000 at 0x100000040
gawk: 10000000000 at 0x40
sum 15000000000, 15000000000
0x40 is 0
EXPECTED
