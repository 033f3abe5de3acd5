#!/usr/bin/env bash
# Armadillo 11.4.2, xtensor 0.24.3: the median of the unsigned integers 1 and 2 is 9223372036854775809, or 1.
#
# Guess: means and medians of integers are numbers with a point, as in NumPy: 1.5, and 1.67 for the mean of 1, 2, 2.
# Seen:  Armadillo computes both in the type of the elements: the mean of 1, 2, 2 is 1, and in the median of unsigned 1
#        and 2 half of their difference, 1 - 2, is half of 2^64 - 1. xtensor's mean is right, and its median of 1 and 2
#        is 1. Converted to double first, all are right.
# Who:   counters and cycle counts are unsigned, and a median over runs is what one reports.
# Why right to expect: a median of integers lies between them. xtensor itself returns double from `mean`.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libarmadillo-dev=1:11.4.2+dfsg-1 libxtensor-dev=0.24.3-1 xtl-dev=0.7.2-2.1

cat >medians.cpp <<'CPP'
#include <armadillo>
#include <iostream>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
int main() {
    const arma::uvec cycles = {1, 2}, three = {1, 2, 2};
    std::cout << "Armadillo: median " << arma::median(cycles) << ", mean " << arma::mean(three) << "; as double "
              << arma::median(arma::conv_to<arma::vec>::from(cycles)) << ", "
              << arma::mean(arma::conv_to<arma::vec>::from(three)) << '\n';
    const xt::xarray<unsigned> counts = {1, 2};
    const xt::xarray<unsigned char> bytes = {200, 101};
    std::cout << "xtensor: median " << xt::median(counts) << ", mean " << xt::mean(counts)() << "; of bytes "
              << +xt::median(bytes) << ", " << xt::mean(bytes)() << "; as double "
              << xt::median(xt::cast<double>(counts)) << '\n';
}
CPP
g++ -std=c++17 -O1 -DARMA_DONT_USE_{WRAPPER,LAPACK,BLAS,ARPACK,SUPERLU} -I"$work/unpacked/usr/include" \
    medians.cpp -o medians
same "$(./medians)" <<'EXPECTED'
Armadillo: median 9223372036854775809, mean 1; as double 1.5, 1.66667
xtensor: median 1, mean 1.5; of bytes 150, 150.5; as double 1.5
EXPECTED
