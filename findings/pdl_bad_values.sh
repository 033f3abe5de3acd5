#!/usr/bin/env bash
# PDL 2.081: as soon as one number of a byte column is set to missing, every 255 of it is missing, too.
#
# Guess: what is missing is kept apart from the numbers, or setting one is refused where its code is in use.
# Seen:  bytes have no code of their own for what is missing: it is 255, of unsigned shorts 65,535, of shorts and longs
#        the smallest number, of doubles the smallest finite one (-1.8e308). Before the first missing number all of them
#        are numbers; after it they are gone from sums, counts and extremes. What is read without the flag has them
#        again.
# Who:   quantised weights, loads of buses in bytes, counters that saturate at 255 or 65,535: exactly the saturated ones
#        vanish. Convert to a wider type first, whose codes do not occur.
# Why right to expect: the manual names the codes, but setbadat of one element should not change another one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs perl
debian pdl=1:2.081-2 libfile-which-perl=1.27-2
export PERL5LIB=$work/unpacked/usr/lib/x86_64-linux-gnu/perl5/5.36:$work/unpacked/usr/share/perl5

seen=$(perl - <<'PERL'
use PDL;
$, = " ";
$\ = "\n";
for my $numbers (byte([255, 1, 7]), ushort([65535, 1, 7]), short([-32768, 1, 7]), long([-2147483648, 1, 7])) {
    my @before = ($numbers->type, "$numbers sum", $numbers->sum);
    $numbers->setbadat(1);
    print @before, "-> $numbers sum", $numbers->sum, "missing", $numbers->nbad;
}
my $doubles = pdl(double, [-1.7976931348623157e308, 1, 7]);
print "double missing", $doubles->setbadat(1)->nbad;
PERL
)
same "$seen" <<'EXPECTED'
byte [255 1 7] sum 263 -> [BAD BAD 7] sum 7 missing 2
ushort [65535 1 7] sum 65543 -> [BAD BAD 7] sum 7 missing 2
short [-32768 1 7] sum -32760 -> [BAD BAD 7] sum 7 missing 2
long [-2147483648 1 7] sum -2147483640 -> [BAD BAD 7] sum 7 missing 2
double missing 2
EXPECTED
