"""The comparison of printed outputs notices what it should, and forgives only what it says."""
import pytest
from printed import difference, marked, parts_of, shown_in

OUTPUT = """120 points in 6.6 s (120 evaluated), 8 on the front
result file: a.h5  (digest 0123456789ab)
point   latency  vlen
  117  264.2 us  4096
  113  328.7 us  4096
  111  457.8 us  2048
"""


@pytest.mark.parametrize("shown", [
    OUTPUT,
    "120 points in 0.2 s (120 evaluated), 8 on the front\nresult file: a.h5 (digest ...)\n",
    "point latency vlen\n117 264.2 us 4096\n",
    "120 points in 1 min 3 s (120 evaluated), 8 on the front\n...\n  113  328.7 us  4096\n  ...\n",
    "120 points in 6.6 s ...\n...\n111 457.8 us 2048\n",
])
def test_what_is_printed_agrees(shown):
    assert difference(shown, OUTPUT) == ""


@pytest.mark.parametrize("shown", [
    OUTPUT.replace("264.2", "264.3"),
    OUTPUT.replace("8 on the front", "9 on the front"),
    "  117  264.2 us  4096\n  111  457.8 us  2048\n",
    "  113  328.7 us  4096\n...\n  117  264.2 us  4096\n",
    "a line that the program does not print\n",
])
def test_what_is_stale_is_noticed(shown):
    assert difference(shown, OUTPUT)


def test_blocks_belong_to_the_commands_before_them():
    page = ("```\none\n```\n\n```text\n1\n```\n<!-- not run: it takes too long here -->\n```\ntwo\n```\n"
            "```text\n1 too\n```\n```sh\nthree\n```\n<!-- printed by: four -->\n```text\n4\n```\n```text\n3\n```\n")
    assert [(shown.text, shown.command, shown.block) for shown in shown_in(page)] == [
        ("1\n", "", 0), ("1 too\n", "", 0), ("4\n", "four", 1), ("3\n", "", 1)]


def test_outputs_are_told_apart(typed):
    assert parts_of(typed(marked(["echo a; echo b", "true", "cat <<'END'\nc\nEND"]))) == ["a\nb\n", "", "c\n"]
