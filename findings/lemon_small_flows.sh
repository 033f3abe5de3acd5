#!/usr/bin/env bash
# LEMON 1.3.1: the largest flow through links of 2e-11 and 3e-11 is 0; the shortest path is right at any size.
#
# Guess: five times the unit for every unit, as for 1 and for 1e-9.
# Seen:  Preflow and Edmonds-Karp compare with a tolerance of 1e-10 that does not depend on the numbers, so smaller
#        capacities are none. Dijkstra and NetworkSimplex, with such costs, are right.
# Who:   cuts of a graph of layers by least energy or time (between an NPU and units in memory) with joules or seconds
#        as capacities: the cut costs nothing, and puts everything on one side. Multiply by 1e12, or pass a Tolerance.
# Why right to expect: a flow in other units is the same flow. The class Tolerance is documented; of the algorithms' own
#        pages only Preflow's and Edmonds-Karp's lists of types show that there is one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian liblemon-dev=1.3.1+dfsg-6 liblemon1.3.1=1.3.1+dfsg-6 libglpk40=5.0-1 libamd2=1:5.12.0+dfsg-2 \
    libcolamd2=1:5.12.0+dfsg-2 libsuitesparseconfig5=1:5.12.0+dfsg-2

cat >flow.cpp <<'CPP'
#include <iostream>
#include <lemon/dijkstra.h>
#include <lemon/edmonds_karp.h>
#include <lemon/preflow.h>
#include <lemon/smart_graph.h>
using namespace lemon;
int main() {
    using Numbers = SmartDigraph::ArcMap<double>;
    for (const double unit : {1.0, 1e-9, 1e-11, 1e-12}) {
        SmartDigraph graph;
        Numbers number(graph);
        const auto from = graph.addNode(), one = graph.addNode(), other = graph.addNode(), to = graph.addNode();
        for (const auto& [tail, head, size] : {std::tuple{from, one, 3}, {from, other, 2}, {one, to, 2}, {other, to, 3},
                                              {one, other, 1}})
            number[graph.addArc(tail, head)] = size * unit;
        Preflow<SmartDigraph, Numbers> preflow(graph, number, from, to);
        preflow.run();
        EdmondsKarp<SmartDigraph, Numbers> karp(graph, number, from, to);
        karp.run();
        Dijkstra<SmartDigraph, Numbers> path(graph, number);
        path.run(from);
        std::cout << "in units of " << unit << ": preflow " << preflow.flowValue() / unit << ", Edmonds-Karp "
                  << karp.flowValue() / unit << ", shortest path " << path.dist(to) / unit << '\n';
    }
}
CPP
g++ -std=c++17 -O1 -w -Iunpacked/usr/include flow.cpp -o flow unpacked/usr/lib/x86_64-linux-gnu/liblemon.so.1.3.1 \
    -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(./flow)" <<'EXPECTED'
in units of 1: preflow 5, Edmonds-Karp 5, shortest path 5
in units of 1e-09: preflow 5, Edmonds-Karp 5, shortest path 5
in units of 1e-11: preflow 0, Edmonds-Karp 0, shortest path 5
in units of 1e-12: preflow 0, Edmonds-Karp 0, shortest path 5
EXPECTED
