#!/usr/bin/env bash
# Boost.Accumulators 1.74: the median of 1, 2 and 100 is 100; of 100 and nine 1 it is 3.75; of seven 5 and 100, 2.5.
#
# Guess: a streaming median is an estimate, but it is one of the numbers that are most of the sample: 2, 1 and 5.
# Seen:  the P2 estimate (tag::median) of fewer than five numbers is the third that came, or 0 if there is none; markers
#        start at the first five numbers, and an early outlier pulls the middle one for long. median(with_density) lays
#        its bins over the first numbers: if they are equal, all others fall outside.
# Who:   latencies of a few runs, of which the first is slow because caches are cold, summarised while they are
#        measured. With so few numbers, sort them.
# Why right to expect: Jain and Chlamtac, whom the documentation cites, keep the first five numbers in order, so that up
#        to five a quantile is exact; the library gives no least number.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libboost1.74-dev=1.74.0+ds1-21

cat >medians.cpp <<'CPP'
#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics.hpp>
#include <iostream>
#include <vector>
using namespace boost::accumulators;
int main() {
    for (const std::vector<double>& times : {std::vector<double>{1}, {1, 2, 100}, {2, 1, 1, 1}, {3, 1, 2, 5, 4},
                                             {100, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {5, 5, 5, 5, 5, 5, 5, 100}}) {
        accumulator_set<double, stats<tag::median, tag::mean>> estimate;
        accumulator_set<double, stats<tag::median(with_density)>> bins(density_cache_size = 4, density_num_bins = 10);
        for (const double time : times) {
            estimate(time);
            bins(time);
            std::cout << time << ' ';
        }
        std::cout << "-> median " << median(estimate) << ", mean " << mean(estimate);
        if (times.size() > 4) std::cout << ", median from bins " << median(bins);
        std::cout << '\n';
    }
}
CPP
g++ -std=c++17 -O1 -w -Iunpacked/usr/include medians.cpp -o medians
same "$(./medians)" <<'EXPECTED'
1 -> median 0, mean 1
1 2 100 -> median 100, mean 34.3333
2 1 1 1 -> median 1, mean 1.25
3 1 2 5 4 -> median 3, mean 3, median from bins 3.2
100 1 1 1 1 1 1 1 1 1 -> median 3.75, mean 10.9, median from bins 6.5
5 5 5 5 5 5 5 100 -> median 5, mean 16.875, median from bins 2.5
EXPECTED
