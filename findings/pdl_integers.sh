#!/usr/bin/env bash
# PDL 2.081: the mean of the integers 1 and 2 is 1, and the sum of two times 2,000,000,000 is -294,967,296.
#
# Guess: 1.5, as of numbers with a point, and 4,000,000,000: bytes and shorts are added up in a wider type, too.
# Seen:  mean (avg, average) and median of integers are cut off to an integer. Bytes and shorts are added up as long,
#        which has 32 bits here; longs are not added up in more, so the sum wraps. davg and dsum compute in double.
# Who:   cycles, bytes and lengths of traces that come as 32-bit integers, from a file of integers or by pdl(long, ...):
#        means lose up to 1, and sums of bytes wrap from 2 GB on.
# Why right to expect: NumPy's mean of integers is 1.5 and its sum has 64 bits; the name avg of the manual promises an
#        average.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs perl
debian pdl=1:2.081-2 libfile-which-perl=1.27-2
export PERL5LIB=$work/unpacked/usr/lib/x86_64-linux-gnu/perl5/5.36:$work/unpacked/usr/share/perl5

seen=$(perl - <<'PERL'
use PDL;
$, = " ";
$\ = "\n";
for my $type (\&byte, \&short, \&long, \&longlong, \&double) {
    my $two = $type->(pdl(1, 2));
    print $two->type, "mean", $two->avg, "median", $two->median, "davg", $two->davg;
}
my $large = long([2000000000, 2000000000]);
print "sum", $large->sum, "sumover", $large->sumover, "dsum", $large->dsum, "longlong", longlong($large)->sum;
print "sum of bytes", byte([200, 100])->sum, "of shorts", short([30000, 30000])->sum;
PERL
)
same "$seen" <<'EXPECTED'
byte mean 1 median 1 davg 1.5
short mean 1 median 1 davg 1.5
long mean 1 median 1 davg 1.5
longlong mean 1 median 1 davg 1.5
double mean 1.5 median 1.5 davg 1.5
sum -294967296 sumover -294967296 dsum 4000000000 longlong 4000000000
sum of bytes 300 of shorts 60000
EXPECTED
