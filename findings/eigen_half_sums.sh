#!/usr/bin/env bash
# Eigen 3.4.0: the mean of 100,000 ones is 0 in half precision; 4,096 ones of bfloat16 have the sum 256.
#
# Guess: sums and means of halves are accumulated in single precision and rounded once, as accelerators do.
# Seen:  each partial sum is rounded: adding 1 to 256 (bfloat16) or 2048 (half) changes nothing. The sum of ones stays
#        there, and the mean divides by their number, which as a half is infinite from 65,520 on.
# Who:   reference results for kernels in 16 bits: errors of a matrix unit are measured against a worse number.
# Why right to expect: NumPy's mean and AMX accumulate halves in single precision; the documentation of `sum` and `mean`
#        names no precision. `a.cast<float>().sum()` is right.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ python3-numpy
debian libeigen3-dev=3.4.0-4

cat >sums.cpp <<'CPP'
#include <Eigen/Core>
#include <iostream>
using namespace Eigen;
template <class Number> void sums(const char *name, int count) {
    const Array<Number, Dynamic, 1> ones = Array<Number, Dynamic, 1>::Constant(count, Number(1));
    std::cout << count << " ones, " << name << ": sum " << ones.sum() << ", mean " << ones.mean()
              << "; in single precision " << ones.template cast<float>().sum() << ", "
              << ones.template cast<float>().mean() << '\n';
}
int main() {
    sums<bfloat16>("bfloat16", 4096);
    sums<half>("half", 8192);
    sums<half>("half", 100000);
}
CPP
g++ -std=c++17 -O1 -I"$work/unpacked/usr/include/eigen3" sums.cpp -o sums
seen=$(
    ./sums
    /usr/bin/python3 -B -c 'import numpy as np; print("NumPy, half: mean", np.ones(100000, "f2").mean())'
)
same "$seen" <<'EXPECTED'
4096 ones, bfloat16: sum 256, mean 0.0625; in single precision 4096, 1
8192 ones, half: sum 2048, mean 0.25; in single precision 8192, 1
100000 ones, half: sum 2048, mean 0; in single precision 100000, 1
NumPy, half: mean 1.0
EXPECTED
