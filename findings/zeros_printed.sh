#!/usr/bin/env bash
# csvstat 1.0.7, Graphviz 2.42.2's dijkstra and pj_dump 1.3.6: picojoules and nanoseconds in SI units are printed as 0.
#
# Guess: the least, mean and largest of 1e-12, 2e-12 and 9e-12 J; a path of 3.5e-9 s; a state of 22.5e-9 s.
# Seen:  csvstat prints three decimals, so all statistics of the column are 0, also with --csv for programs, though it
#        names 9e-12 among the frequent values; dijkstra writes dist=0.000 into the graph that it returns, which the
#        next tool reads; pj_dump writes six decimals, so every state of a DRAM bank lasts 0.000000.
# Who:   tables and traces in SI units, as simulators and pimdse write them. pj_dump has --float-precision; the others
#        have nothing: multiply first.
# Why right to expect: each reads the numbers to all their digits, and a reader of the output cannot see what is lost.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_csvkit
debian graphviz=2.42.2-7+deb12u1 libcgraph6=2.42.2-7+deb12u1 libcdt5=2.42.2-7+deb12u1
debian pajeng=1.3.6-3 libpaje2=1.3.6-3 libfl2=2.6.4-8.2

printf 'energy\n1e-12\n2e-12\n9e-12\n' >energies.csv
cat >trace.paje <<'PAJE'
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Container string
% Type string
%EndEventDef
1 B 0 "bank"
2 S B "state"
3 0 b B 0 "bank0"
4 0.000000001 b S "ACT"
5 0.0000000235 b S
PAJE
seen=$(
    /usr/bin/python3 -B -W ignore "$work/unpacked/usr/bin/csvstat" --csv energies.csv
    echo 'graph { a -- b [len="1e-9"]; b -- c [len="2.5e-9"]; a -- c [len="1e-8"] }' | dijkstra a | grep 'c.*dist'
    pj_dump trace.paje | grep ACT
)
same "$seen" <<'EXPECTED'
column_id,column_name,type,nulls,unique,min,max,sum,mean,median,stdev,len,freq
1,energy,Number,False,3,0,0,0,0,0,0,,"1E-12, 2E-12, 9E-12"
	c	[dist=0.000];
State, bank0, state, 0.000000, 0.000000, 0.000000, 0.000000, ACT
EXPECTED
