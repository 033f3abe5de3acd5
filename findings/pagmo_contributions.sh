#!/usr/bin/env bash
# pagmo 2.18.0: a design contributes 3 to a front by contributions() and 2 by exclusive(), if another is as fast.
#
# Guess: points that are dominated or occur twice contribute 0, and the two functions agree, with 2 and 3 objectives.
# Seen:  so they do, but where with two objectives a dominated point has the first objective of the one that dominates
#        it: then all others contribute too much. Two of three are 3 and 2 instead of 2 and 1, which the differences of
#        hypervolumes confirm.
# Who:   archives that keep the designs that contribute most: equal latencies of two designs are common where a model
#        rounds to cycles.
# Why right to expect: a contribution is by definition what the hypervolume loses without the point, and it is right for
#        points that are dominated without a tie.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libpagmo-dev=2.18.0-2+b1 libpagmo8=2.18.0-2+b1 libboost1.74-dev=1.74.0+ds1-21 \
    libboost-serialization1.74.0=1.74.0+ds1-21 libnlopt0=2.7.1-5 libtbb12=2021.8.0-2+deb12u1

cat >front.cc <<'CPP'
#include <iostream>
#include <pagmo/utils/hypervolume.hpp>
using Points = std::vector<pagmo::vector_double>;
void print(const char* name, const Points& points) {
    const pagmo::vector_double reference(points[0].size(), 4);
    const pagmo::hypervolume front(points, true);
    const double whole = front.compute(reference);
    std::cout << name << ": hypervolume " << whole << ", contributions";
    for (const double contribution : front.contributions(reference)) std::cout << ' ' << contribution;
    std::cout << ", exclusive";
    for (std::size_t index = 0; index < points.size(); ++index) std::cout << ' ' << front.exclusive(index, reference);
    std::cout << ", lost without it";
    for (std::size_t index = 0; index < points.size(); ++index) {
        Points others = points;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
        std::cout << ' ' << whole - pagmo::hypervolume(others, true).compute(reference);
    }
    std::cout << '\n';
}
int main() {
    print("a front", {{1, 3}, {2, 2}, {3, 1}});
    print("twice", {{1, 3}, {2, 2}, {2, 2}, {3, 1}});
    print("dominated", {{2, 3}, {1, 2}, {3, 1}});
    print("dominated and as fast", {{1, 3}, {1, 2}, {3, 1}});
    print("as fast, three objectives", {{1, 2, 3}, {1, 2, 2}, {2, 1, 3}, {3, 3, 1}});
}
CPP
g++ -O0 -std=c++17 -Iunpacked/usr/include front.cc -o front -Lunpacked/usr/lib/x86_64-linux-gnu \
    -lpagmo -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(./front)" <<'EXPECTED'
a front: hypervolume 6, contributions 1 1 1, exclusive 1 1 1, lost without it 1 1 1
twice: hypervolume 6, contributions 1 0 0 1, exclusive 1 0 0 1, lost without it 1 0 0 1
dominated: hypervolume 7, contributions 0 3 1, exclusive 0 3 1, lost without it 0 3 1
dominated and as fast: hypervolume 7, contributions 0 3 2, exclusive 0 2 1, lost without it 0 2 1
as fast, three objectives: hypervolume 15, contributions 0 5 2 1, exclusive 0 5 2 1, lost without it 0 5 2 1
EXPECTED
