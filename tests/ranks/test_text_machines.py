"""Every rank has the same machine, whose file all of them read; another one ends the job in a sentence."""
import os
import re
import subprocess

import pytest

from conftest import MPIEXEC, same_file

SPACE = """schema = 2
objectives = ["latency", "energy"]
[workload]
llm = "opt-125m"
input = 64
output = 8
[[machine]]
architecture = "./my_card.toml"
[machine.parameters]
batch = { from = 1, to = 64, step = 1 }
[[machine]]
architecture = "gpu"
[machine.parameters]
batch = { from = 1, to = 64, step = 1 }
"""


@pytest.fixture
def space(pimdse):
    pimdse.ok("new-machine", "my_card")
    (pimdse.folder / "space.toml").write_text(SPACE)
    return pimdse.folder / "space.toml"


def on_two_hosts(pimdse, *folders):
    """Rank 0 and rank 1 in folders of their own, as on hosts that share none."""
    words = [pimdse.program, "explore", "space.toml", "-o", "a.h5", "--progress", "none"]
    contexts = [["-n", "1", "--wdir", str(folder), *words] for folder in folders]
    return subprocess.run([MPIEXEC, "--bind-to", "none", *contexts[0], ":", *contexts[1]], cwd=pimdse.folder,
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=os.environ)


@pytest.fixture
def hosts(pimdse, space):
    folders = [pimdse.folder / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
        for file in (space, space.with_name("my_card.toml")):
            (folder / file.name).write_text(file.read_text())
    return folders


def test_any_number_of_ranks_gives_the_same_bits(pimdse, space):
    pimdse.ok("explore", space, "-o", "1.h5", "--progress", "none")
    for ranks in (2, 4):
        pimdse.ok("explore", space, "-o", f"{ranks}.h5", "--progress", "none", ranks=ranks)
        assert same_file(pimdse.folder, "1.h5", f"{ranks}.h5")


def test_the_folder_of_a_rank_does_not_matter(pimdse, hosts):
    done = on_two_hosts(pimdse, *hosts)
    assert done.returncode == 0, done.stderr


def test_a_machine_that_only_the_first_rank_sees_ends_the_job(pimdse, hosts):
    (hosts[1] / "my_card.toml").unlink()
    done = on_two_hosts(pimdse, *hosts)
    assert done.returncode == 4, done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("pimdse: ")]
    assert "rank 1 on" in sentence and f"{hosts[1]}/my_card.toml: cannot be read" in sentence


def test_a_machine_that_differs_ends_the_job(pimdse, hosts):
    with (hosts[1] / "my_card.toml").open("a") as file:
        file.write("# another\n")
    done = on_two_hosts(pimdse, *hosts)
    assert done.returncode == 8, done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("pimdse: ")]
    assert "rank 1 on" in sentence and "my_card.toml differs from that of rank 0" in sentence
    assert "the same file" in sentence


def test_a_mistake_in_the_machine_is_said_once(pimdse, space):
    text = re.sub(r'(?m)^name( *)= "my_card"', r'name\1= "gpu"', (pimdse.folder / "my_card.toml").read_text())
    (pimdse.folder / "my_card.toml").write_text(text)
    line = 1 + [one.startswith("name") for one in text.splitlines()].index(True)
    done = pimdse("explore", space, "-o", "a.h5", ranks=2)
    assert done.returncode == 3
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("pimdse: ")]
    assert f"my_card.toml:{line}: 'gpu'" in sentence
