"""Only the command line prints; exit codes are on their page; every shipped file is read."""
import re

from conftest import ROOT


def test_every_exit_code_is_on_its_page_and_no_other():
    codes = re.findall(r"^    \w+ = (\d+),", (ROOT / "dse/cli/verdict.hpp").read_text(), re.M)
    assert codes == re.findall(r"^\| (\d+) \|", (ROOT / "docs/exit_codes.md").read_text(), re.M)


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
