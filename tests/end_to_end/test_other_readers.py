"""Result files in the hands of other programs: what they need of a file, and the programs that this host has."""
import shutil
import subprocess

import h5py
import numpy as np
import pytest

SPACE = """schema = 2
objectives = ["latency", "energy"]
[[machine]]
name = "umdam"
architecture = "umdam"
[machine.parameters]
channels = [1, 4]
dram = ["L5A", "L5J"]
[[machine]]
name = "board"
architecture = "gpu"
[machine.parameters]
device = ["a100", "h100"]
[[scenario]]
name = "chat"
llm = ["opt-125m", "opt-30b"]
input = 128
output = 16
"""


@pytest.fixture
def result(pimdse, explored_once):
    explored_once(pimdse, SPACE, "r.h5")
    return pimdse.folder / "r.h5"


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def test_every_row_of_a_result_has_its_point_and_scenario(result):
    with h5py.File(result) as file:
        machine = file["machines/umdam"]
        first, rows = machine.attrs["first_row"], machine.attrs["rows"]
        assert (machine["point"][()] == file["point_id"][first:first + rows]).all()
        table = machine["scenarios/metrics/footprint" if "footprint" in machine["scenarios/metrics"]
                        else f"scenarios/metrics/{next(iter(machine['scenarios/metrics']))}"]
        assert [table.dims[0][0], table.dims[1][0]] == [machine["point"], machine["scenarios/scenario"]]
        assert [name.decode() for name in machine["scenarios/scenario"]] == list(file["scenarios"].attrs["names"])
        assert file["metrics/latency"].dims[0][0] == file["timing/seconds"].dims[0][0] == file["point_id"]
        failed = file["failures/reason"]
        assert 0 < len(failed) and failed.dims[0][0] == file["failures/point"]
        assert (file["failures/point"][()] == file["point_id"][file["status"][()] != 0]).all()


def test_no_group_repeats_the_name_of_a_dimension_above_it(result):
    """netCDF and xarray would take such a column for the dimension. Nor is there a list that PyTables cannot read."""
    with h5py.File(result) as file:
        for name, item in datasets(file).items():
            assert "REFERENCE_LIST" not in item.attrs, name
            assert name == "point_id" or not name.endswith("/point_id"), name
            assert item.chunks is not None, f"{name}: h5repack cannot filter a column without chunks"
            if item.dtype.kind == "S":
                plain = all(value.isascii() for value in np.atleast_1d(item[()]).tolist())
                assert (h5py.check_string_dtype(item.dtype).encoding == "ascii") == plain, name


def test_xarray_opens_every_group(result):
    xarray, _ = pytest.importorskip("xarray"), pytest.importorskip("h5netcdf")
    with h5py.File(result) as file:
        groups = [""]
        file.visit(lambda name: groups.append(name) if isinstance(file[name], h5py.Group) else None)
        above = {}
        for group in groups:
            data = xarray.open_dataset(result, engine="h5netcdf", group=group or None, phony_dims="access")
            own = [name for name, item in file[group or "/"].items() if isinstance(item, h5py.Dataset) and len(item)]
            for name in own:
                assert data[name].shape == file[f"{group}/{name}"].shape, f"{group}/{name}"
            if group:   # a tree aligns a group with the coordinates above it
                parent = above[group.rpartition("/")[0]]
                xarray.align(data, parent, join="exact", copy=False)
                assert not set(own) & set(parent.coords), group
            else:
                parent = xarray.Dataset()
            above[group] = xarray.Dataset(coords={name: data.coords[name] for name in data.indexes} |
                                          {name: parent.coords[name] for name in parent.indexes})


@pytest.mark.filterwarnings("ignore:Unsupported type for attribute")
def test_PyTables_lists_every_node(result):
    tables = pytest.importorskip("tables")
    with h5py.File(result) as file, tables.open_file(str(result)) as other:
        assert {node._v_pathname[1:] for node in other.walk_nodes("/", "Array")} >= set(datasets(file))


@pytest.mark.parametrize("words", [["octave", "--no-gui", "-q", "--eval", "x = load('r.h5'); disp(numel(x.point_id))"],
                                   ["h5repack", "-f", "GZIP=9", "r.h5", "packed.h5"], ["ncdump", "-h", "r.h5"]])
def test_programs_read_it(result, words):
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]}")
    done = subprocess.run(words, cwd=result.parent, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    if words[0] == "octave":
        with h5py.File(result) as file:
            assert done.stdout.split() == [str(len(file["point_id"]))]


def test_a_missing_number_is_an_empty_field(pimdse, result):
    rows = pimdse.ok("front", result.name, "--format", "csv").splitlines()
    assert any(",," in row or row.endswith(",") for row in rows[1:]) and "nan" not in "".join(rows)
