"""Tests of tidy.py --summary: headers with a single user, forward declarations, and the Ninja log."""
import figures
import ninja_log
import pytest
from catalogue import Catalogue
from test_rules import IN_ORDER, append, build
from tree import Tree

NINJA = """\
build sim/a.o: CXX unity/Unity/unity_0_cxx.cxx | pch.gch || order
build tests/b.o: CXX {root}/tests/b.cpp
build made.cpp {build}/made.cpp: CUSTOM
build all: phony sim/a.o
"""
LOG = """\
# ninja log v5
0\t9000\t1\tsim/a.o\tff
0\t4000\t1\ttests/b.o\tfe
10\t510\t1\tmade.cpp\tfd
10\t510\t1\t{build}/made.cpp\tfd
0\t99000\t1\tgone.o\tfc
5\t2505\t1\tsim/a.o\tff
"""


@pytest.fixture
def tree(tmp_path):
    return build(tmp_path / "root", IN_ORDER)


@pytest.fixture
def ninja(tmp_path):
    folder, root = tmp_path / "build", tmp_path / "root"
    (folder / "unity/Unity").mkdir(parents=True)
    (folder / "unity/Unity/unity_0_cxx.cxx").write_text(f'#include "{root}/sim/x.cpp"\n\n#include "{root}/sim/y.cpp"\n')
    (folder / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\n")
    (folder / "build.ninja").write_text(NINJA.format(root=root, build=folder))
    (folder / ".ninja_log").write_text(LOG.format(build=folder))
    return folder


def lines(root, **options):
    return list(figures.summary(Tree(root), Catalogue(root / "modules.toml"), [], **options))


def test_the_summary_counts_files_modules_and_words(tree):
    text = "\n".join(lines(tree))
    assert "production files (sim, models, dse): 5 with 29 lines; median 5 lines, 95 % have at most 11" in text
    assert "modules: 4 with 3 arrows between them; forward declarations hide 0 more" in text
    assert "of which sources and pages contain 0" in text
    assert "violations: 0" in text


def test_a_header_with_a_single_user_is_listed(tree):
    append(tree, "tests/unit/check_test.cpp", '#include "sim/base/check.hpp"\n')
    found = lines(tree, verbose=True)
    assert any(line.endswith("includes: 3 of 3; no test includes 2 of them") for line in found)
    assert "  sim/base/check.hpp (5 lines): dse/job.cpp, and 1 test files" in found


def test_a_forward_declaration_of_another_module_is_an_arrow(tree):
    append(tree, "sim/base/check.hpp", "namespace pimdse::models::upmem {\nstruct Design;\n}\n")
    assert any(line.endswith("hide 1 more (sim/base -> models/upmem)") for line in lines(tree))


def test_the_last_run_of_each_edge_counts_once(ninja):
    found = ninja_log.edges(ninja)
    assert [(e.output, e.seconds, e.owner, e.kind, e.sources) for e in found] == [
        ("tests/b.o", 4.0, "tests", "compile", ["tests/b.cpp"]),
        ("sim/a.o", 2.5, "program", "compile", ["sim/x.cpp", "sim/y.cpp"]),
        ("made.cpp", 0.5, "program", "other", [])]


def test_the_summary_prints_the_cost_of_a_build(tree, ninja):
    text = "\n".join(lines(tree, build=ninja))
    assert f"build in {ninja}: 3 edges, 7 s" in text
    assert "  tests: 1 edges, 4 s (compile 4 s in 1)" in text
    assert "       2.5 s  sim/a.o (2 sources: sim/x.cpp, sim/y.cpp)" in text


def test_an_unknown_log_is_an_error(ninja):
    (ninja / ".ninja_log").write_text("# ninja log v99\n")
    with pytest.raises(SystemExit, match="unknown format"):
        ninja_log.edges(ninja)
