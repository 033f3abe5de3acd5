#!/usr/bin/env bash
# NumPy 1.24.2, csvkit 1.0.7, Snakemake 7.21.0, Fire 0.5.0, OmegaConf 2.2.2, Dynaconf 3.1.7: the mesh 4_8 is 48.
#
# Guess: 4_8 is a text, as for pandas.read_csv, csv files and the command line of a shell.
# Seen:  it is the integer 48 in genfromtxt, csvsort, `--config mesh=4_8`, `--mesh=4_8`, a list of `mesh=4_8` and the
#        environment: they try Python's int() or YAML 1.1, in which underscores group digits. loadtxt refuses it. The
#        names 4x8 and 4-8 stay texts. In Snakemake a model that is called infinity is a number, too.
# Who:   sweeps whose designs are called by their shape, such as 4_8 and 48_1: names are changed, 4_8 and 48 fall
#        together, and folders and rows are not found again.
# Why right to expect: none of the manuals speaks of underscores, and a csv file has no rule for them.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-pandas python3-yaml python3-pkg-resources
unpack_csvkit
debian snakemake=7.21.0-1 python3-configargparse=1.5.3-1 python3-fire=0.5.0-1 python3-termcolor=1.1.0-3 \
    python3-omegaconf=2.2.2-2.1 python3-antlr4=4.9.1-1 python3-dynaconf=3.1.7-2

cat >names.py <<'PY'
import argparse

import dynaconf
import fire
import numpy
import omegaconf
import pandas
import snakemake

for name in "4_8", "4x8", "4-8":
    with open("designs.csv", "w") as file:
        file.write(f"mesh,joules\n{name},1\n")
    print(name, "read_csv", pandas.read_csv("designs.csv").mesh[0], "genfromtxt",
          numpy.genfromtxt("designs.csv", delimiter=",", names=True, dtype=None, encoding="utf8")["mesh"], "Fire",
          repr(fire.parser.DefaultParseValue(name)), "OmegaConf",
          repr(omegaconf.OmegaConf.from_dotlist([f"mesh={name}"]).mesh))
print("Snakemake", snakemake.parse_config(argparse.Namespace(config=["mesh=4_8", "model=infinity"])))
print("Dynaconf", repr(dynaconf.Dynaconf(envvar_prefix="SWEEP").MESH))
PY
seen=$(
    SWEEP_MESH=4_8 /usr/bin/python3 -B -W ignore names.py
    printf 'mesh,joules\n4_8,2\n48_1,1\n' >designs.csv
    echo "csvsort: $(/usr/bin/python3 -B -W ignore unpacked/usr/bin/csvsort -c joules designs.csv | paste -sd' ')"
)
same "$seen" <<'EXPECTED'
4_8 read_csv 4_8 genfromtxt 48 Fire 48 OmegaConf 48
4x8 read_csv 4x8 genfromtxt 4x8 Fire '4x8' OmegaConf '4x8'
4-8 read_csv 4-8 genfromtxt 4-8 Fire '4-8' OmegaConf '4-8'
Snakemake {'mesh': 48, 'model': inf}
Dynaconf 48
csvsort: mesh,joules 481,1 48,2
EXPECTED
