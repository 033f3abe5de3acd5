#!/usr/bin/env bash
# Boost.Graph 1.74: the largest cycle ratio of a graph of 1 to 20 ns is 11.5 ns, and 5 ns if they are given in seconds.
#
# Guess: 11.5 in either unit.
# Seen:  Howard's algorithm improves a policy only by more than 0.005, whatever the numbers are, and ends with the ratio
#        of another cycle. With an epsilon of 1e-15 it is right. (The smallest ratio happens to be right here.)
# Who:   initiation intervals and throughput of dataflow graphs: the bound is half of what it is. Multiply by 1e9, or
#        pass traits with an epsilon of the size of the numbers.
# Why right to expect: a ratio in another unit is the same ratio; the header says of its epsilon that it is less precise
#        than that of the type, and not that it is a number of the same unit as the weights.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libboost1.74-dev=1.74.0+ds1-21

cat >cycles.cpp <<'CPP'
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>
#include <iostream>
using namespace boost;
using Tokens = property<edge_weight2_t, double>;
using Graph = adjacency_list<listS, listS, directedS, property<vertex_index_t, int>,
                             property<edge_weight_t, double, Tokens>>;
struct Fine {
    using value_type = double;
    static double infinity() { return std::numeric_limits<double>::infinity(); }
    static double epsilon() { return -1e-15; }
};
int main() {
    for (const double unit : {1.0, 1e-3, 1e-9}) {
        Graph graph;
        Graph::vertex_descriptor actor[4];
        for (int i = 0; i < 4; ++i) actor[i] = add_vertex(i, graph);
        for (const auto& [from, to, time, tokens] : {std::tuple{0, 1, 3, 1}, {1, 0, 4, 1}, {1, 2, 1, 0}, {2, 3, 20, 0},
                                                     {3, 1, 2, 2}, {2, 0, 1, 1}, {3, 3, 5, 1}})
            add_edge(actor[from], actor[to], {time * unit, Tokens(tokens)}, graph);
        const auto index = get(vertex_index, graph);
        const auto times = get(edge_weight, graph);
        const auto tokens = get(edge_weight2, graph);
        std::vector<Graph::edge_descriptor> cycle;
        std::cout << "unit " << unit << ": largest " << maximum_cycle_ratio(graph, index, times, tokens) / unit
                  << ", smallest " << minimum_cycle_ratio(graph, index, times, tokens) / unit << ", largest with 1e-15 "
                  << maximum_cycle_ratio(graph, index, times, tokens, &cycle, Fine()) / unit << '\n';
    }
}
CPP
g++ -std=c++17 -O1 -w -Iunpacked/usr/include cycles.cpp -o cycles
same "$(./cycles)" <<'EXPECTED'
unit 1: largest 11.5, smallest 2.5, largest with 1e-15 11.5
unit 0.001: largest 11.5, smallest 2.5, largest with 1e-15 11.5
unit 1e-09: largest 5, smallest 2.5, largest with 1e-15 11.5
EXPECTED
