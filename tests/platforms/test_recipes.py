"""What is said of other systems: the table of platforms, and recipes for Spack and Apptainer, as far as they can be
held without either."""
import ast
import os
import re
import subprocess

import pytest
from conftest import PIMDSE, ROOT

PLATFORMS = ROOT / "tests/platforms"


def run(*words, **environment):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def test_the_table_names_platforms_and_refuses_others():
    rows = run(PLATFORMS / "platforms.sh", "list").stdout.splitlines()
    assert len(rows) >= 6 and all(row.count("|") == 4 for row in rows)
    done = run(PLATFORMS / "platforms.sh", "debian3")
    assert done.returncode == 2 and "Known: debian12 " in done.stderr


def test_without_containers_it_is_skipped_and_says_so(tmp_path):
    for program in ("podman", "docker"):
        (tmp_path / program).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    if run("sh", "-c", "command -v debootstrap").returncode == 0:
        pytest.skip("debootstrap is here")
    done = run(PLATFORMS / "platforms.sh", PATH=f"{tmp_path}:{os.environ['PATH']}", TMPDIR=str(tmp_path))
    assert done.returncode == 77 and done.stdout.startswith("skipped: ")


def test_a_container_runs_what_is_done_inside(tmp_path):
    """With a program in podman's place that writes down how it was called."""
    (tmp_path / "podman").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    (tmp_path / "podman").chmod(0o755)
    done = run(PLATFORMS / "platforms.sh", "debian13", "debian12-mpich", PATH=f"{tmp_path}:{os.environ['PATH']}",
               TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stdout
    calls = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("run")]
    assert [re.search(r"(debian:\w+) bash /source/tests/platforms/inside.sh", call)[1] for call in calls] == [
        "debian:trixie", "debian:bookworm"]
    assert "PACKAGES=mpich libmpich-dev" in calls[1] and "mpicxx.mpich" in calls[1]


@pytest.mark.campaign
def test_what_is_done_inside_passes_on_what_was_built_here(tmp_path):
    """As a user of this machine, whose packages are there: it installs, moves and runs."""
    build = os.path.dirname(PIMDSE)
    script = (PLATFORMS / "inside.sh").read_text()
    begin, end = script.index("place=$(mktemp"), len(script)
    said = f'source_dir="$2"\nbuild="$1"\n{script[begin:end]}'
    done = run("bash", "-euo", "pipefail", "-c", said, "inside", build, ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^passed: pimdse \d.*; digests quick [0-9a-f]{12} .*$", done.stdout, re.M), done.stdout


def test_the_spack_recipe_is_python_and_knows_every_dependency():
    text = (ROOT / "jobs/spack/package.py").read_text()
    tree = ast.parse(text)
    calls = [node for node in ast.walk(tree)
             if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "depends_on"]
    named = " ".join(call.args[0].value for call in calls)
    for package in re.findall(r"find_package\((\w+) REQUIRED|pkg_check_modules\((\w+) REQUIRED",
                              (ROOT / "cmake/Dependencies.cmake").read_text()):
        assert SPACK_NAMES["".join(package)] in named, package
    assert "cmake@3.22:" in named
    version = re.search(r"project\(pimdse VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert f'version("{version}"' in text


SPACK_NAMES = {"MPI": "mpi", "TBB": "tbb", "HDF5": "hdf5", "Boost": "boost", "tomlplusplus": "tomlplusplus",
               "fmt": "fmt", "nlohmann_json": "nlohmann-json", "ZLIB": "zlib-api", "OpenSSL": "openssl",
               "PkgConfig": "pkgconfig", "libdeflate": "libdeflate", "libxxhash": "xxhash", "nlopt": "nlopt",
               "GTest": "googletest", "benchmark": "benchmark"}


def test_the_image_installs_by_the_lists_of_setup():
    text = (ROOT / "jobs/pimdse.def").read_text()
    sections = re.findall(r"^%(\w+)", text, re.M)
    assert {"files", "post", "environment", "runscript", "test"} <= set(sections)
    assert text.splitlines()[0].startswith("#") and "Bootstrap: docker" in text
    assert "jobs/setup.sh build analysis report" in text and "cmake --install" in text
