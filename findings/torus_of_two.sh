#!/usr/bin/env bash
# NetworkX 2.8.8 and igraph 0.10.2: a torus of 2 x 4 chips has 12 links instead of 16, also as a multigraph.
#
# Guess: each chip has four links, as in a torus of 4 x 4; a graph without parallel edges may merge those of a ring of
#        two, and igraph, whose graphs have parallel edges, or NetworkX's MultiGraph keep both.
# Seen:  the link around a ring of two is left out. Of 2 x 2 x 4 chips each has four links instead of six, and the cut
#        between two layers has 8 links instead of 16; only the cut of the third axis is right.
# Who:   bisections, collectives and mean loads of small slices of tori, such as 2 x 2 x 4 chips, which have both links.
# Why right to expect: NetworkX's text says that a node is connected to its four nearest neighbours, and a periodic
#        dimension wraps around. Neither text excepts the length two.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-networkx=2.8.8-1 python3-igraph=0.10.2-1+b1 python3-texttable=1.6.7-1

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
import igraph
import networkx


def cut(edges, coordinates, axis, length):
    "Links between the lower and the upper half of one axis."
    return sum((coordinates[one][axis] < length / 2) != (coordinates[other][axis] < length / 2) for one, other in edges)


for shape in ((4, 4), (2, 4), (2, 2, 4)):
    name = " x ".join(map(str, shape))
    graph = networkx.grid_graph(shape[::-1], periodic=True)
    edges, nodes = list(graph.edges()), {node: node for node in graph}
    print(f"NetworkX, {name}: {len(edges)} links, cuts", *(cut(edges, nodes, axis, n) for axis, n in enumerate(shape)))
    edges = igraph.Graph.Lattice(list(shape), circular=True).get_edgelist()
    nodes, count = [()], 1
    for length in shape:
        nodes = [node + (place,) for place in range(length) for node in nodes]
    print(f"igraph,   {name}: {len(edges)} links, cuts", *(cut(edges, nodes, axis, n) for axis, n in enumerate(shape)))
print("MultiGraph, 2 x 4:", networkx.grid_2d_graph(2, 4, True, networkx.MultiGraph).number_of_edges())
PY
)
same "$seen" <<'EXPECTED'
NetworkX, 4 x 4: 32 links, cuts 8 8
igraph,   4 x 4: 32 links, cuts 8 8
NetworkX, 2 x 4: 12 links, cuts 4 4
igraph,   2 x 4: 12 links, cuts 4 4
NetworkX, 2 x 2 x 4: 32 links, cuts 8 8 8
igraph,   2 x 2 x 4: 32 links, cuts 8 8 8
MultiGraph, 2 x 4: 12
EXPECTED
