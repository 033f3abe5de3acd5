#!/usr/bin/env bash
# Eigen 3.4.0: of a symmetric matrix that SciPy 1.10.1 wrote, loadMarket reads one half: traffic of 16.1 is 8.1.
#
# Guess: the whole matrix, since the file says "symmetric" in its first line, or an error.
# Seen:  loadMarket returns true and the numbers that stand in the file, which are the lower triangle. scipy.io.mmwrite
#        finds by itself that a matrix is symmetric and writes half of it, so the same program is right for traffic that
#        is not. getMarketHeader tells what a caller would have to complete. 2^53 + 1 in a matrix of int becomes
#        2147483647.
# Who:   traffic between chips, costs of links and weights of graphs, passed from Python to C++: sums and products are
#        wrong only where each pair sends as much as it gets.
# Why right to expect: the format (Boisvert, Pozo and Remington, 1996) stores one triangle of a symmetric matrix, and a
#        reader supplies the other, as SciPy's own does.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ python3-scipy
debian libeigen3-dev=3.4.0-4

/usr/bin/python3 -B - <<'PY'
import numpy, scipy.io, scipy.sparse
both = numpy.array([[0, 3, 0], [3, 0, 5], [0, 5, 0.1]])
one = numpy.array([[0, 3, 0], [4, 0, 5], [0, 5, 0.1]])
for name, traffic in (("both", both), ("one", one)):
    scipy.io.mmwrite(f"{name}.mtx", scipy.sparse.coo_matrix(traffic))
    print(f"{name}: SciPy reads", scipy.io.mmread(f"{name}.mtx").sum(), file=open(f"{name}.txt", "w"))
scipy.io.mmwrite("bytes.mtx", scipy.sparse.coo_matrix(numpy.array([[2**53 + 1, 0], [7, 0]], dtype=numpy.int64)))
PY
cat >read.cpp <<'CPP'
#include <iostream>
#include <string>
#include <unsupported/Eigen/SparseExtra>
int main() {
    for (const std::string name : {"both", "one"}) {
        Eigen::SparseMatrix<double> traffic;
        const bool read = Eigen::loadMarket(traffic, name + ".mtx");
        std::cout << name << ": Eigen returns " << read << " and reads " << traffic.sum() << '\n';
    }
    Eigen::SparseMatrix<int> bytes;
    std::cout << "bytes: " << Eigen::loadMarket(bytes, "bytes.mtx") << ", " << bytes.coeff(0, 0) << '\n';
}
CPP
g++ -std=c++17 -O0 -isystem unpacked/usr/include/eigen3 read.cpp -o read
same "$(cat both.txt one.txt; ./read)" <<'EXPECTED'
both: SciPy reads 16.1
one: SciPy reads 17.1
both: Eigen returns 1 and reads 8.1
one: Eigen returns 1 and reads 17.1
bytes: 1, 2147483647
EXPECTED
