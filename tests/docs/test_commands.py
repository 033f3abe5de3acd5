"""Every command that the pages below print is run as printed, in order."""
import os
import re
import subprocess
import sys

import pytest
from conftest import CAMPAIGN, ROOT
from pages import blocks, commands, programs
from printed import difference, marked, parts_of, shown_in

SHORT = ["README.md", "docs/commands.md", "docs/tutorial.md"]
OTHERS = ["docs/traffic.md", "docs/uncertain.md", "docs/own_machine.md", "docs/spaces.md", "docs/cost.md",
          "docs/simulators.md", "docs/cluster.md", "analysis/README.md"]  # minutes together: in the campaign
PAGES = [*SHORT, *OTHERS]
# In the campaign only: minutes together. No other command reads what they write.
LONG = re.compile(r"^pimdse (?:validate|explore which_machine|flips where_it_flips|report flips.h5|"
                  r"calibrate rtx_4090)\b.*$", re.M)
SCRIPTS = ["breakdown", "compare", "history", "parallel"]
SCRIPTS_OF_PAGES = ["fidelity", "front", "sensitivity"]  # the tutorial runs them


def test_what_is_not_run_says_why():
    for page in PAGES:
        for block in blocks(ROOT / page):
            assert block.language in ("", "sh", "bash", "text", "toml", "python", "cpp"), f"{page}:{block.line}"
            assert block.why is None or len(block.why.split()) > 3, f"{page}:{block.line}"


def test_the_machine_has_what_quick_installs_only(machine):
    if isinstance(machine, str):
        pytest.skip(f"no machine without the other packages: {machine}")
    for word in ("esbuild", "mpirun", "cmake"):
        assert machine.run("sh", "-c", f"command -v {word}").returncode == 0, word
    for word in ("chromium", "sinfo", "clang-format", "h5dump"):
        assert machine.run("sh", "-c", f"command -v {word}").returncode != 0, word
    assert machine.run("/usr/bin/python3", "-c", "import h5py, matplotlib").returncode == 0
    assert machine.run("/usr/bin/python3", "-c", "import pytest").returncode != 0
    assert machine.run("test", "-e", "/usr/include/gtest/gtest.h").returncode != 0


@pytest.mark.parametrize("page", [*SHORT, *(pytest.param(page, marks=pytest.mark.campaign) for page in OTHERS)])
def test_commands_run_as_printed(typed, page):
    found = commands(ROOT / page)
    assert found, "a page without commands needs no test"
    texts = [block.text if CAMPAIGN else LONG.sub("", block.text) for block in found]
    outputs = parts_of(typed(marked(texts)))
    assert len(outputs) == len(found)
    for shown in shown_in((ROOT / page).read_text(encoding="utf-8")):
        assert shown.command or shown.block >= 0, f"{page}:{shown.line}: no command is before it"
        wrong = difference(shown.text, typed(shown.command) if shown.command else outputs[shown.block])
        assert not wrong, f"{page}:{shown.line}: {wrong}"


def test_the_tutorial_ends_in_its_picture(typed, desk):
    text = "\n".join(block.text for block in commands(ROOT / "docs/tutorial.md"))
    said = typed("\n".join(part for part in re.split(r"^(?=pimdse|cat|analysis)", text, flags=re.M)
                           if part.startswith(("cat >", "pimdse explore my.toml -o", "analysis/front.py"))))
    assert re.search(r"\b120 ", said) and re.search(r"\b28 ", said)
    assert (desk / "my.png").stat().st_size > 20_000


def percent(value):
    return str(round(100 * value))


def test_the_tutorials_figures_are_those_of_its_files(typed, desk):
    """Numbers in its sentences, which no command prints."""
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    text = "\n".join(block.text for block in commands(ROOT / "docs/tutorial.md"))
    typed("\n".join(part for part in re.split(r"^(?=pimdse|cat|analysis)", text, flags=re.M)
                    if part.startswith(("cat >", "pimdse explore my.toml -o", "pimdse explore my.toml --strategy"))))
    sys.path.insert(0, str(ROOT / "analysis"))
    import pimdse
    coarse, exact = pimdse.load(desk / "my.h5"), pimdse.load(desk / "exact.h5")
    front = coarse.with_bounds("latency", rows=coarse.front()).set_index("point_id").sort_values("latency")
    cycle = exact.feasible("cycle").set_index("point_id").loc[front.index]
    more = set(exact.front_ids) - set(front.index)
    assert set(front.index) <= set(exact.front_ids)
    assert re.search(rf"\b{len(front)} designs\b", page) and re.search(rf"\b{len(more)} more\b", page)
    above = (front.latency_high / cycle.latency - 1).max()
    assert f" {percent(above)} %" in page
    change = cycle.latency / front.latency - 1
    assert re.search(rf"\b{percent(-change.min())} % [^.%]*\b{percent(change.max())} % ", page)
    widest = front[(front.vlen == 4096) & (front.prefetch == 8) & (front.loop_hardware == "on")].set_index("channels")
    for few, many in ((4, 8), (8, 16)):
        less = 1 - widest.latency[many] / widest.latency[few]
        more = (widest.area[many] - widest.area[few]) * 1e6
        assert re.search(rf"\b{many}\b[^.%]*\b{few}\b[^.%]*\b{percent(less)} %[^.%]*\b{more:.0f} mm²", page)


def test_python_of_the_manual_runs(typed):
    (page,) = [ROOT / "docs/python.md"]
    program = "\n".join(block.text for block in programs(page))
    typed(f"PYTHONPATH=analysis /usr/bin/python3 - <<'END'\n{program}\nEND")


def test_examples_of_scripts_run(typed, desk):
    """What --help of each script shows, on the files that it names."""
    typed("pimdse explore spaces/quick.toml -o quick.h5 --progress none;"
          "pimdse explore spaces/quick.toml -o cycle.h5 --progress none --strategy random --budget 12 --fidelity cycle;"
          "pimdse explore spaces/which_machine.toml -o which.h5 --progress none --strategy random --budget 500")
    for name in SCRIPTS + SCRIPTS_OF_PAGES * CAMPAIGN:
        shown = re.sub(r"\s+", " ", typed(f"COLUMNS=500 analysis/{name}.py --help"))
        example = re.search(r"example: (.*)", shown)[1].strip()
        said = typed("analysis/" + example)
        output = re.search(r"-o (\S+)", example)[1]
        assert said.startswith(output) and (desk / output).stat().st_size > 10_000, name


def test_the_notebook_runs(typed):
    said = typed("analysis/examples/notebook.py")
    assert "channels_power_of_two" in said and said.splitlines()[-1].startswith("vlen")


COMPLETIONS = [
    (["pimdse", "expl"], ["explore", "explain"]),
    (["pimdse", "explore", "--strat"], ["--strategy"]),
    (["pimdse", "explore", "--fidelity", "c"], ["cycle"]),
    (["pimdse", "explore", "spaces/qui"], ["spaces/quick.toml"]),
    (["pimdse", "fl"], ["flips"]),
    (["pimdse", "flips", "spaces/where"], ["spaces/where_it_flips.toml"]),
    (["pimdse", "flips", "which.toml", "--cand"], ["--candidates"]),
    (["pimdse", "explore", "which.toml", "--assume", "vi"], ["view="]),
    (["pimdse", "evaluate", "upm"], ["upmem"]),
    (["pimdse", "evaluate", "dplena", "--set", "vle"], ["vlen="]),
    (["pimdse", "list", "sp"], ["spaces"]),
    (["pimdse", "new-m"], ["new-machine"]),
    (["pimdse", "describe", "spaces/qui"], ["spaces/quick.toml"]),
    (["pimdse", "validate", "spaces/qui"], []),
    (["pimdse", "evaluate", "umdam", "--model", "opt-6.7"], ["opt-6.7b"]),
]


@pytest.mark.parametrize("words, wanted", COMPLETIONS)
def test_bash_completes(typed, words, wanted):
    given = " ".join(f"'{word}'" for word in words)
    said = typed(f"set +eu; source completions/pimdse.bash; COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; "
                 "_pimdse 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"")
    assert said.split() == wanted


def test_the_completion_is_correct_shell():
    done = subprocess.run(["bash", "-n", ROOT / "completions/pimdse.bash"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr and os.environ["PIMDSE"]
