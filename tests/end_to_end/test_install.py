"""What cmake --install puts somewhere, moved elsewhere: it needs no variable and nothing of the tree it comes from."""
import json
import os
import re
import subprocess
from pathlib import Path

import h5py
import pytest
from conftest import PIMDSE, Runner, refused

BUILD = Path(PIMDSE).parent
PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    if not (BUILD / "cmake_install.cmake").is_file():
        pytest.skip("the program is in no build folder")
    folder = tmp_path_factory.mktemp("install")
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "first"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "first").rename(folder / "moved here")


@pytest.fixture
def program(installed, tmp_path):
    return Runner(tmp_path, installed / "bin" / "pimdse")


def python(installed, folder, *words):
    packages = next(installed.glob("lib*/python*/*-packages"), None)
    if packages is None:
        pytest.skip("the Python it was built for has no folder of packages")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIMDSE")}
    return subprocess.run([PYTHON, "-B", *map(str, words)], cwd=folder, capture_output=True, text=True,
                          env={**kept, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(packages)})


def test_it_evaluates_explores_a_space_by_name_and_reports(program, installed):
    assert "latency" in program.ok("evaluate", "dplena", "--set", "vlen=2048")
    assert "quick.toml" in program.ok("list", "spaces")
    program.ok("explore", "quick", "-o", "quick.h5", "--progress", "none")
    program.ok("explore", "spaces/quick.toml", "-o", "again.h5", "--progress", "none")
    assert program.ok("diff", "quick.h5", "again.h5")
    if (installed / "share/pimdse/report/page.html").is_file():
        program.ok("report", "quick.h5", "-o", "quick.html")
        assert (program.folder / "quick.html").stat().st_size > 100_000


def test_it_opens_nothing_but_its_own_data(installed, program):
    """Its folders are taken from it: with the source tree still there it would not notice otherwise."""
    models = installed / "share/pimdse/models"
    (models / "llm/of-this-place.toml").write_text((models / "llm/opt-6.7b.toml").read_text())
    assert "of-this-place" in program.ok("list", "models")
    (models / "llm/of-this-place.toml").unlink()


def test_documents_speak_of_files_that_are_there(installed):
    documents = next((installed / "share/doc").iterdir())
    texts = {page: re.sub(r"```.*?```|`[^`\n]*`|^ {4}.*?$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
             for page in [documents / "README.md", *(documents / "docs").glob("*.md")]}
    links = [(page, link) for page, text in texts.items()
             for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert len(links) > 50
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def test_a_space_that_is_nowhere_is_compared_with_those_that_are_shipped(program):
    refused(program("explore", "quik", "-o", "a.h5"), 4, "quik", "'quick'")
    done = program("explore", "nothing-like-it", "-o", "a.h5")
    refused(done, 4, "nothing-like-it")
    assert "'" not in done.stderr.replace("'nothing-like-it'", "")


def test_a_file_of_that_name_comes_before_a_shipped_space(program):
    (program.folder / "quick").write_text(
        'schema = 1\narchitecture = "dplena"\nobjectives = ["latency"]\n[parameters]\nvlen = [64, 128]\n')
    program.ok("explore", "quick", "-o", "own.h5", "--progress", "none")
    with h5py.File(program.folder / "own.h5") as file:
        assert len(file["point_id"]) == 2


def test_python_finds_the_package_and_the_package_the_program(installed, tmp_path):
    done = python(installed, tmp_path, "-c",
                  "import pimdse; print(pimdse.find_program()); print(pimdse.evaluate('dplena', vlen=2048).status)")
    assert done.stdout.splitlines() == [str(installed / "bin/pimdse"), "ok"], done.stderr


def test_scripts_draw(installed, program):
    program.ok("explore", "quick", "-o", "quick.h5", "--progress", "none")
    done = python(installed, program.folder, installed / "share/pimdse/analysis/front.py", "quick.h5", "-o", "f.png")
    assert done.returncode == 0, done.stderr
    assert (program.folder / "f.png").stat().st_size > 5000


def test_bash_completes(installed, tmp_path):
    script = installed / "share/bash-completion/completions/pimdse"
    done = subprocess.run(
        ["bash", "-c", 'source "$0"; COMP_WORDS=("$1" expl); COMP_CWORD=1; _pimdse; printf "%s\\n" "${COMPREPLY[@]}"',
         script, installed / "bin/pimdse"], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == ["explore", "explain"] or done.stdout.split() == ["explore"], done.stderr


CONSUMER = """
#include "models/contract/architecture.hpp"
#include "models/find_architecture.hpp"
#include "sim/dram/standard.hpp"
#include <cstdio>

int main() {
    auto const& dplena = pimdse::models::find_architecture("dplena");
    auto const inputs = pimdse::models::prepare(dplena, dplena.parameters());
    auto const outcome = dplena.evaluate(inputs, pimdse::models::default_point(inputs.parameters),
                                         pimdse::models::Fidelity::analytic);
    auto const& metrics = std::get<pimdse::models::Metrics>(outcome);
    auto const latency = pimdse::models::find_metric(dplena.metrics(), "latency");
    std::printf("%.17g\\n", metrics[static_cast<std::size_t>(latency)].value);
}
"""


def test_another_program_links_the_models(installed, program, tmp_path):
    (tmp_path / "main.cpp").write_text(CONSUMER)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(other LANGUAGES CXX)\nfind_package(pimdse 0.2 REQUIRED)\n"
        "add_executable(other main.cpp)\ntarget_link_libraries(other PRIVATE pimdse::models pimdse::sim)\n")
    for words in (["-S", ".", "-B", "b", f"-DCMAKE_PREFIX_PATH={installed}"], ["--build", "b"]):
        done = subprocess.run(["cmake", *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([tmp_path / "b" / "other"], capture_output=True, text=True,
                          env={**os.environ, "PIMDSE_DATA": str(installed / "share/pimdse")})
    assert done.returncode == 0, done.stderr
    here = json.loads(program.ok("evaluate", "dplena", "--format", "json"))
    assert float(done.stdout) == here["metrics"]["latency"]["value"]


def test_documents_and_job_files_are_there(installed):
    for place in ("share/doc/pimdse/README.md", "share/doc/pimdse/LICENSE", "share/doc/pimdse/docs/spaces.md",
                  "share/pimdse/jobs/explore.sbatch", "share/pimdse/models/upmem/kernels/va.s"):
        assert (installed / place).is_file(), place
    assert os.access(installed / "share/pimdse/analysis/front.py", os.X_OK)
