#!/usr/bin/env bash
# ViennaCL 1.7.1: of two entries for one place in a Matrix Market file the last counts; 123456789.125 is written as
# 1.23457e+08.
#
# Guess: entries for one place are added up, as where finite elements or counts of a trace are written one by one, and a
#        matrix that is written is read back as it was.
# Seen:  1.5 and 2 for one place are 2; SciPy reads 3.5. Written numbers have six digits, so that counts from 10^6 on
#        and energies are others.
# Who:   matrices of transfers between chips or experts, where one pair occurs once for each step: the last step is all
#        that is left, and totals of bytes differ from program to program for one file.
# Why right to expect: two readers of one file give one matrix; solvers work in double precision.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ python3-scipy
debian libviennacl-dev=1.7.1+dfsg1-6

cat >market.cc <<'CC'
#include "viennacl/io/matrix_market.hpp"
#include <iostream>
#include <map>
#include <vector>
int main() {
    std::vector<std::map<unsigned, double>> rows;
    viennacl::io::read_matrix_market_file(rows, "transfers.mtx");
    std::cout.precision(17);
    for (auto const& row : rows)
        for (auto const& entry : row)
            std::cout << &row - rows.data() + 1 << ' ' << entry.first + 1 << ' ' << entry.second << '\n';
    viennacl::io::write_matrix_market_file(rows, "written.mtx");
}
CC
cat >transfers.mtx <<'MTX'
%%MatrixMarket matrix coordinate real general
3 3 4
1 1 1.5
1 1 2
2 3 123456789.125
3 2 5.123456789e-12
MTX
g++ -O1 -std=c++14 -Iunpacked/usr/include market.cc -o market
same "$(
    ./market
    echo SciPy
    /usr/bin/python3 -B -c 'import scipy.io; print(*scipy.io.mmread("transfers.mtx").tocsr().tocoo().data)'
    cat written.mtx
)" <<'EXPECTED'
1 1 2
2 3 123456789.125
3 2 5.1234567889999998e-12
SciPy
3.5 123456789.125 5.123456789e-12
%%MatrixMarket matrix coordinate real general
3 3 3
1 1 2
2 3 1.23457e+08
3 2 5.12346e-12
EXPECTED
