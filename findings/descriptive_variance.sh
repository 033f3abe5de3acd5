#!/usr/bin/env bash
# Statistics::Descriptive 3.0800 (Perl): the variance of 1790000000.1, 1790000000.2 and 1790000000.4 s is 0.
#
# Guess: 0.023 s^2, whatever number is added to all.
# Seen:  the variance is the difference of two sums of squares, of which nothing is left for
#        numbers of that size. percentile(50) of 1, 2, 3 and 4 is 2, median and quantile(2) are 2.5.
# Who:   jitter of times of requests, and spread of cycles or addresses: large numbers whose differences matter. A
#        spread of 0 is taken for a perfectly regular run, or divided by.
# Why right to expect: the documentation gives no formula, and the mean is exact.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian libstatistics-descriptive-perl=3.0800-1 liblist-moreutils-perl=0.430-2 libexporter-tiny-perl=1.006000-1
export PERL5LIB=$work/unpacked/usr/share/perl5

seen=$(perl - <<'PL'
use Statistics::Descriptive;
for my $offset (0, 1e6, 1e8, 1790000000) {
    my $times = Statistics::Descriptive::Full->new;
    $times->add_data(map { $offset + $_ } 0.1, 0.2, 0.4);
    printf "%s: variance %.4g, standard deviation %.4g, mean %.10g\n", $offset, $times->variance,
        $times->standard_deviation, $times->mean;
}
my $four = Statistics::Descriptive::Full->new;
$four->add_data(1, 2, 3, 4);
printf "percentile(50) %s, median %s\n", scalar($four->percentile(50)), $four->median;
PL
)
same "$seen" <<'EXPECTED'
0: variance 0.02333, standard deviation 0.1528, mean 0.2333333333
1000000: variance 0.02344, standard deviation 0.1531, mean 1000000.233
100000000: variance 0, standard deviation 0, mean 100000000.2
1790000000: variance 0, standard deviation 0, mean 1790000000
percentile(50) 2, median 2.5
EXPECTED
