"""Only the command line prints; exit codes are on their page; every shipped file is read."""
import re

import pytest

from conftest import ROOT, one_of


def test_every_exit_code_is_on_its_page_and_no_other():
    codes = re.findall(r"^    \w+ = (\d+),", (ROOT / "dse/cli/verdict.hpp").read_text(), re.M)
    assert codes == re.findall(r"^\| (\d+) \|", (ROOT / "docs/commands.md").read_text(), re.M)


def test_only_the_command_line_prints_or_exits():
    wrong = []
    for folder in ("sim", "models", "dse"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if "cli" not in path.parts and re.search(r"std::cout|[^_\w.:>]exit\(|[^_\w.:>]abort\(", path.read_text()):
                wrong.append(path)
    assert not wrong


SPACES = sorted((ROOT / "spaces").glob("*.toml"))


def test_every_constant_file_and_space_is_read_by_the_program(pimdse):
    for space in SPACES:
        done = pimdse("serve", space, "-o", "a.h5", "--force")
        assert done.returncode == 0, f"{space.name}: {done.stderr}"


@pytest.mark.parametrize("space", one_of(8, SPACES), ids=lambda space: space.stem)
def test_a_dry_run_of_every_space_says_what_it_costs(pimdse, space):
    assert re.search(r"\d+ points", pimdse.ok("explore", space, "--dry-run"))
