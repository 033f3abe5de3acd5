"""The layers hold: sim knows no models, models know no search, MPI and HDF5 are met in one place each."""
import re

from conftest import ROOT

INCLUDE = re.compile(r'^\s*#include\s+[<"]([^>"]+)[>"]', re.M)


def includes(folder):
    for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
        for name in INCLUDE.findall(path.read_text()):
            yield path.relative_to(ROOT), name


def test_dependencies_run_one_way():
    assert not [(p, n) for p, n in includes("sim") if n.startswith(("models/", "dse/"))]
    assert not [(p, n) for p, n in includes("models") if n.startswith("dse/")]
    named = ("models/umdam/", "models/upmem/", "models/dplena/", "models/cim_mesh/")
    assert not [(p, n) for p, n in includes("dse") if n.startswith(named)]


def test_mpi_and_hdf5_are_met_in_one_place_each():
    everything = [pair for folder in ("sim", "models", "dse") for pair in includes(folder)]
    assert {str(p) for p, n in everything if n == "mpi.h"} == {"dse/job/mpi.cpp"}
    assert {str(p) for p, n in everything if n in ("hdf5.h", "H5public.h")} <= {"dse/store/hdf5/hdf5.hpp", "dse/store/hdf5/hdf5.cpp", "dse/store/hdf5/hdf5_internal.hpp"}


def test_only_the_command_line_prints_or_exits():
    wrong = []
    for folder in ("sim", "models", "dse"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if "cli" not in path.parts and re.search(r"std::cout|[^_\w.:>]exit\(|[^_\w.:>]abort\(", path.read_text()):
                wrong.append(path)
    assert not wrong


def test_every_constant_file_and_space_is_read_by_the_program(pimdse):
    for space in sorted((ROOT / "spaces").glob("*.toml")):
        done = pimdse("explore", space, "--dry-run")
        assert done.returncode == 0, f"{space.name}: {done.stderr}"
