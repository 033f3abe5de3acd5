#!/usr/bin/env bash
# Graphviz 2.42: an energy of 1e-12 that gv2gml writes is read by gml2gv as the energy 1 and a value e = -12.
#
# Guess: a graph that goes through both has its values again.
# Seen:  gv2gml writes whatever looks like a number as it is, without quotes; gml2gv knows no exponents. 1e-12 ends
#        behind its 1, and what is left is another value, without a word; 1.0e-12 is a syntax error. 0.5 comes back.
# Who:   energies and times of links in graphs that go through GML to or from Cytoscape, yEd or NetworkX.
# Why right to expect: the two are one pair of converters with one manual page, and numbers of GML have exponents.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian graphviz=2.42.2-7+deb12u1 libgvc6=2.42.2-7+deb12u1 libcgraph6=2.42.2-7+deb12u1 libcdt5=2.42.2-7+deb12u1 \
    libgvpr2=2.42.2-7+deb12u1 libpathplan4=2.42.2-7+deb12u1

seen=$(
    for energy in 0.5 1.0e-12 1e-12; do
        echo "digraph { \"01\" -> b [energy=\"$energy\", lanes=\"16\"] }" | gv2gml >links.gml
        echo "$energy: $(tr -s ' \n' ' ' <links.gml | grep -o 'edge.*[^ ]')"
        echo "back:" $(gml2gv links.gml 2>&1)
    done
)
same "$seen" <<'EXPECTED'
0.5: edge [ id 1 source 0 target 1 energy 0.5 lanes 16 ] ]
back: digraph "" { graph [version=2]; 0 [name=01]; 1 [name=b]; 0 -> 1 [energy=0.5, id=1, lanes=16]; }
1.0e-12: edge [ id 1 source 0 target 1 energy 1.0e-12 lanes 16 ] ]
back: Warning: syntax error in line 16 near '2'
1e-12: edge [ id 1 source 0 target 1 energy 1e-12 lanes 16 ] ]
back: digraph "" { graph [version=2]; 0 [name=01]; 1 [name=b]; 0 -> 1 [e=-12, energy=1, id=1, lanes=16]; }
EXPECTED
