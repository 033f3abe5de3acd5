#!/usr/bin/env bash
# NetworkX 2.8.8 and igraph 0.10.2: 5e9 bytes become a text on one way, an id loses its 16th digit on the other.
#
# Guess: what one writes as GML or GraphML the other reads with the same numbers, at least up to 2^53.
# Seen:  write_gml puts integers from 2^31 on in quotes, so igraph has a column of texts, in which a small number is a
#        text, too. igraph writes numbers with 15 digits: 1234567890123457 is read by NetworkX as a float that ends in
#        460, from both formats, and 0.1 + 0.2 is 0.3. GraphML from NetworkX is read right.
# Who:   graphs of systems and traffic that pass between the two for layouts, partitions and cuts: bytes of links, ids
#        of designs, addresses.
# Why right to expect: both formats are text without such a limit in igraph's case; its reader keeps integers up to
#        2^53, which need 16 digits. NetworkX's page says that GML has 32 bits, not what igraph makes of it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-networkx=2.8.8-1 python3-igraph=0.10.2-1+b1 python3-texttable=1.6.7-1

seen=$(
    /usr/bin/python3 -B - 2>/dev/null <<'PY'
import igraph, networkx
graph = networkx.DiGraph()
graph.add_edge("a", "b", bytes=5000000000, id=1234567890123457, share=0.1 + 0.2)
graph.add_edge("b", "c", bytes=64, id=1, share=0.5)
for format in ("gml", "graphml"):
    getattr(networkx, f"write_{format}")(graph, f"links.{format}")
    links = igraph.Graph.Read(f"links.{format}", format=format).es
    print(f"{format}, NetworkX to igraph:", links["bytes"], links["id"], links["share"])
graph = igraph.Graph(n=2, edges=[(0, 1)], directed=True)
graph.es["bytes"], graph.es["id"], graph.es["share"] = [5000000000], [1234567890123457], [0.1 + 0.2]
graph.vs["label"] = ["a", "b"]
for format in ("gml", "graphml"):
    graph.write(f"links.{format}", format=format)
    links = getattr(networkx, f"read_{format}")(f"links.{format}").edges(data=True)
    print(f"{format}, igraph to NetworkX:", *(link[2] for link in links))
PY
)
same "$seen" <<'EXPECTED'
gml, NetworkX to igraph: ['5000000000', '64'] ['1234567890123457', '1'] [0.30000000000000004, 0.5]
graphml, NetworkX to igraph: [5000000000.0, 64.0] [1234567890123457.0, 1.0] [0.30000000000000004, 0.5]
gml, igraph to NetworkX: {'bytes': 5000000000, 'id': 1234567890123460.0, 'share': 0.3}
graphml, igraph to NetworkX: {'bytes': 5000000000.0, 'id': 1234567890123460.0, 'share': 0.3}
EXPECTED
