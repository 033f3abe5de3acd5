#!/usr/bin/env bash
# Octave 7.3.0's csvread and Armadillo 11.4.2's load: a design without an energy has 0 J, and "n/a" and headings are 0.
#
# Guess: NaN, or an error.
# Seen:  empty cells, texts and the line of headings are zeros for both, and Octave reads 0x40 as 0; NaN and Inf are
#        read as such. There is no message, and Armadillo's load returns true.
# Who:   tables of designs in which a number is missing, such as an infeasible design's or a metric that does not apply
#        (an empty cell of pimdse's --format csv): the missing energy is the best of all, and row 1 is no design.
#        `dlmread(file, ",", 1, 0, "emptyvalue", NaN)` helps in Octave.
# Why right to expect: a number that is missing is not 0; Octave's importdata takes it for NA, and its textscan for NaN.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libarmadillo-dev=1:11.4.2+dfsg-1
unpack_octave

cat >designs.csv <<'CSV'
latency,energy
0.02,1.5
0.01,
0.03,n/a
0.04,NaN
64,0x40
CSV
cat >load.cpp <<'CPP'
#include <armadillo>
#include <iostream>
int main() {
    arma::mat table;
    std::cout << "Armadillo returns " << table.load("designs.csv", arma::csv_ascii) << ":";
    for (arma::uword row = 0; row < table.n_rows; ++row)
        std::cout << (row > 0 ? ", " : " ") << table(row, 0) << ' ' << table(row, 1);
    std::cout << '\n';
}
CPP
g++ -std=c++17 -O1 -DARMA_DONT_USE_{WRAPPER,LAPACK,BLAS,ARPACK,SUPERLU} -I"$work/unpacked/usr/include" load.cpp -o load
seen=$(
    ./load
    octave --eval '
        shown = @(table) sprintf(", %g %g", transpose(table))(3:end);
        printf("Octave: %s\n", shown(csvread("designs.csv")));
        printf("emptyvalue: %s\n", shown(dlmread("designs.csv", ",", "emptyvalue", NaN)));'
)
same "$seen" <<'EXPECTED'
Armadillo returns 1: 0 0, 0.02 1.5, 0.01 0, 0.03 0, 0.04 nan, 64 64
Octave: 0 0, 0.02 1.5, 0.01 0, 0.03 0, 0.04 NaN, 64 0
emptyvalue: NaN NaN, 0.02 1.5, 0.01 NaN, 0.03 NaN, 0.04 NaN, 64 0
EXPECTED
