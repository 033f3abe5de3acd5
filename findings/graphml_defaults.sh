#!/usr/bin/env bash
# NetworkX 2.8.8, graphml-js 0.4.0, graphology-graphml 0.5.2: the default of a GraphML key is no value, or a text.
#
# Guess: a node or link without a value has the default of its key.
# Seen:  so in igraph 0.10.2. NetworkX keeps defaults beside the graph, and graphml-js drops them: such links have no
#        bandwidth, and functions that take 1 for a weight that is missing go on. graphology gives them the text "64"
#        beside the number 32, so that a sum is a longer text.
# Who:   graphs of chips and links in which the file states what most of them have once.
# Why right to expect: the GraphML primer: a node or edge without data for a key has the key's default.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages graphology-graphml@0.5.2 graphology@0.26.0 graphml-js@0.4.0
debian python3-networkx=2.8.8-1 python3-igraph=0.10.2-1+b1 python3-texttable=1.6.7-1

cat >links.graphml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k" for="node" attr.name="kind" attr.type="string"><default>chip</default></key>
  <key id="b" for="edge" attr.name="bandwidth" attr.type="double"><default>64</default></key>
  <graph edgedefault="undirected">
    <node id="a"/><node id="b"><data key="k">host</data></node><node id="c"/>
    <edge source="a" target="b"/><edge source="b" target="c"><data key="b">32</data></edge>
  </graph>
</graphml>
XML
seen=$(
    /usr/bin/python3 -B - 2>/dev/null <<'PY'
import igraph, networkx
graph = igraph.Graph.Read_GraphML("links.graphml")
print("igraph:", graph.vs["kind"], graph.es["bandwidth"])
graph = networkx.read_graphml("links.graphml")
print("NetworkX:", graph.nodes(data=True), graph.edges(data=True))
print("NetworkX, path from a to c by bandwidth:", networkx.shortest_path_length(graph, "a", "c", "bandwidth"))
PY
    node - <<'JS'
const text = require("fs").readFileSync("links.graphml", "utf8");
new (require("graphml-js").GraphMLParser)().parse(text, (error, graph) => console.log("graphml-js:",
    JSON.stringify([...graph.nodes, ...graph.edges].map((each) => each._attributes))));
const graph = require("graphology-graphml").parse(require("graphology"), text);
console.log("graphology:", JSON.stringify([...graph.mapNodes((_, values) => values),
    ...graph.mapEdges((_, values) => values)]));
console.log("graphology, bandwidths added up:", graph.reduceEdges((sum, _, { bandwidth }) => sum + bandwidth, 0));
JS
)
same "$seen" <<'EXPECTED'
igraph: ['chip', 'host', 'chip'] [64.0, 32.0]
NetworkX: [('a', {}), ('b', {'kind': 'host'}), ('c', {})] [('a', 'b', {}), ('b', 'c', {'bandwidth': 32.0})]
NetworkX, path from a to c by bandwidth: 33.0
graphml-js: [{},{"kind":"host"},{},{},{"bandwidth":32}]
graphology: [{"kind":"chip"},{"kind":"host"},{"kind":"chip"},{"bandwidth":"64"},{"bandwidth":32}]
graphology, bandwidths added up: 06432
EXPECTED
