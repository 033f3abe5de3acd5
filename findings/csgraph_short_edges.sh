#!/usr/bin/env bash
# SciPy 1.10.1: in a matrix of 3, 1 and 1 ns, given in seconds, no path exists: edges of 1e-8 or less are none.
#
# Guess: 0 is no edge, and 1e-9 is one.
# Seen:  a dense matrix is compared with 0 within 1e-8 before a path, a tree or components are looked for. The same
#        matrix as csr_matrix is right, and so is each in ns.
# Who:   latencies of links in seconds, or energies of a hop in joules, in a network on a chip: all distances are
#        infinite, each node is a component of its own, and spanning trees are empty.
# Why right to expect: the documentation says that zero, infinity and NaN are no edges in a dense matrix.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-numpy=1:1.24.2-1+deb12u1 python3-scipy=1.10.1-2

seen=$(/usr/bin/python3 -B - <<'PY'
import numpy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, csgraph_from_dense, minimum_spanning_tree, shortest_path
for unit in (1, 1e-8, 1e-9):
    links = numpy.array([[0, 3, 1], [3, 0, 1], [1, 1, 0]]) * unit
    for name, graph in (("dense", links), ("csr_matrix", csr_matrix(links))):
        print(f"unit {unit:g}, {name}: from 0 to 1 {shortest_path(graph)[0, 1] / unit:.0f}, components",
              connected_components(graph)[0], "links of the tree", minimum_spanning_tree(graph).nnz)
print("edges of the last one:", csgraph_from_dense(links).nnz)
PY
)
same "$seen" <<'EXPECTED'
unit 1, dense: from 0 to 1 2, components 1 links of the tree 2
unit 1, csr_matrix: from 0 to 1 2, components 1 links of the tree 2
unit 1e-08, dense: from 0 to 1 3, components 2 links of the tree 1
unit 1e-08, csr_matrix: from 0 to 1 2, components 1 links of the tree 2
unit 1e-09, dense: from 0 to 1 inf, components 3 links of the tree 0
unit 1e-09, csr_matrix: from 0 to 1 2, components 1 links of the tree 2
edges of the last one: 0
EXPECTED
