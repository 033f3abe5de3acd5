"""A machine that is a text file: named wherever an architecture is, kept in results, refused when it changed."""
import json
import re
import shutil
import subprocess
import sys

import h5py
import pytest

from conftest import ROOT, holds, refused, same_file

REQUEST = 'llm = "opt-125m"\ninput = 64\noutput = 8\n'
SPACE = 'schema = 2\n{}objectives = ["latency", "energy"]\n[workload]\n' + REQUEST
BATCHES = "[parameters]\nbatch = [1, 2, 4]\n"
TWO = SPACE.format("") + '[[machine]]\n{}[machine.parameters]\nbatch = [1, 2]\n[[machine]]\n{}'
POINT = ("--set", "llm=opt-125m", "--set", "input=64", "--set", "output=8")
QUIET = ("--progress", "none")
TRAFFIC = """schema = 2
objectives = ["ttft_mean", "silicon"]
{}
[[scenario]]
name = "service"
llm = "opt-125m"
[scenario.traffic]
rate = "5 1/s"
requests = 20
input = 64
output = 8
"""


@pytest.fixture
def own(pimdse):
    """A folder with a machine and a space of it, which is not the current one."""
    folder = pimdse.folder / "mine"
    folder.mkdir()
    pimdse.ok("new-machine", "my_card")
    (pimdse.folder / "my_card.toml").rename(folder / "my_card.toml")
    (folder / "space.toml").write_text(SPACE.format('architecture = "./my_card.toml"\n') + BATCHES)
    return folder


def test_a_new_machine_is_written_to_the_file_that_is_named(pimdse):
    told = pimdse.ok("new-machine", "mine", "-o", "other.toml")
    assert "pimdse evaluate ./other.toml" in told and not (pimdse.folder / "mine.toml").exists()
    assert "mine at analytic fidelity" in pimdse.ok("evaluate", "./other.toml")
    refused(pimdse("new-machine", "mine", "--output", "other.toml"), 2, "other.toml", "exists")


def test_a_request_to_a_model_is_stated_and_says_how_the_model_generates(pimdse):
    def words(*flags):
        return " ".join(pimdse.ok("evaluate", *flags).split())

    assert "umdam at analytic fidelity: llm opt-6.7b, input 128, output 64, batch 1 " in words("umdam")
    assert "batch 16" in words("dplena", "--set", "scope=end_to_end")
    assert "input" not in words("dplena").partition("assuming")[0]
    asked = words("h100", "--model", "llada-8b")
    assert "generation diffusion" in asked and "infeasible" not in asked
    assert "generates by diffusion" in pimdse("evaluate", "h100", "--model", "llada-8b",
                                              "--set", "generation=autoregressive").stdout


def renamed(folder, name, file):
    """The machine of `folder` under another name, in another file."""
    text = (folder / "my_card.toml").read_text()
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(re.sub(r'(?m)^name *= *"my_card"', f'name = "{name}"', text))


def explore(pimdse, folder, text, output="a.h5", *flags, **options):
    (folder / "space.toml").write_text(text)
    return pimdse("explore", folder / "space.toml", "-o", output, *QUIET, *flags, **options)


def attributes(path, place="/"):
    with h5py.File(path) as file:
        return dict(file[place].attrs)


def test_a_default_beyond_its_limits_is_one_mistake(pimdse):
    pimdse.ok("new-machine", "mine")
    file = pimdse.folder / "mine.toml"
    file.write_text(file.read_text().replace("default  = 4096", "default = 5"))
    refused(pimdse("evaluate", "./mine.toml"), 3, "mine.toml:10: parameter 'lanes': the default is not within")


# pimdse new-machine

def test_a_new_machine_runs_and_is_never_overwritten(pimdse):
    said = pimdse.ok("new-machine", "my_card")
    commands = re.findall(r"pimdse (\w+) (\./my_card\.toml)", said)
    assert [verb for verb, _ in commands] == ["describe", "evaluate"]
    for words in commands:
        pimdse.ok(*words)
    text = (pimdse.folder / "my_card.toml").read_text()
    assert 'NAME' not in text and re.search(r'(?m)^name *= *"my_card"', text)
    (pimdse.folder / "my_card.toml").write_text(text + "# mine\n")
    refused(pimdse("new-machine", "my_card"), 2, "my_card.toml", "exists already")
    assert (pimdse.folder / "my_card.toml").read_text() == text + "# mine\n"


def test_a_new_machine_has_a_name_of_its_own(pimdse):
    before = set(pimdse.folder.iterdir())
    refused(pimdse("new-machine", "gpu"), 2, "'gpu'", "another name")
    refused(pimdse("new-machine", "my_card.toml"), 2, "'my_card.toml'", "new-machine my_card?")
    for name in ("9x", "a b", "../a", "a-b", ""):
        refused(pimdse("new-machine", name), 2)
    refused(pimdse("new-machine"), 2, "NAME")
    (pimdse.folder / "there.toml").symlink_to("nowhere.toml")
    refused(pimdse("new-machine", "there"), 2, "there.toml")
    assert set(pimdse.folder.iterdir()) - before == {pimdse.folder / "there.toml"}


# Wherever an architecture is named

def test_the_command_line_takes_a_file(pimdse, own):
    evaluated = pimdse.json("evaluate", "mine/my_card.toml", *POINT)
    assert evaluated["architecture"] == "my_card" and evaluated["status"] == "ok"
    assert pimdse.json("evaluate", own / "my_card.toml", *POINT) == evaluated
    assert "my_card at " in pimdse.ok("evaluate", "mine/my_card.toml", *POINT)
    described = pimdse.json("describe", "mine/my_card.toml")
    assert described["architecture"] == "my_card"
    assert set(evaluated["metrics"]) <= {metric["name"] for metric in described["metrics"]}
    assert "batch" in pimdse.ok("describe", "mine/my_card.toml", "batch")
    assert "energy" in pimdse.ok("describe", "mine/my_card.toml", "--ledger")
    assert pimdse.json("evaluate", "pair:gpu:./mine/my_card.toml", "--set", "llm=opt-125m", "--scenario",
                       "s=traffic.rate=5 1/s,traffic.requests=5,traffic.input=64,traffic.output=8")["status"] == "ok"
    refused(pimdse("layout", "mine/my_card.toml"), 2, "my_card does not state where it stores weights")
    refused(pimdse("validate", "mine/my_card.toml"), 3, "no published figures of my_card")


def test_hints_of_describe_name_the_file_as_the_command_did(pimdse, own):
    described = pimdse.ok("describe", "mine/my_card.toml")
    for words in re.findall(r"pimdse describe (\S+) (\S+)", re.sub(r"\s+", " ", described)):
        assert words[0] in ("mine/my_card.toml", "model")


@pytest.mark.parametrize("name", ["./my_card.toml", "my_card.toml", "../mine/my_card.toml", "{}/my_card.toml"])
def test_a_path_begins_at_the_space(pimdse, own, name):
    named = f'architecture = "{name.format(own)}"\n'
    assert explore(pimdse, own, SPACE.format(named) + BATCHES).returncode == 0
    assert attributes(pimdse.folder / "a.h5")["architecture"] == "my_card"
    assert holds(pimdse, "a.h5")["changed_input"] is None
    assert pimdse.json("front", "a.h5")["architecture"] == "my_card"


def test_machines_of_one_space_are_files_and_names(pimdse, own):
    renamed(own, "disk", "other/disk.toml")
    text = TWO.format('architecture = "./my_card.toml"\n', 'architecture = "other/disk.toml"\n') + \
        '[[machine]]\narchitecture = "gpu"\n'
    done = explore(pimdse, own, text)
    assert done.returncode == 0, done.stderr
    for machine in ("my_card", "disk", "gpu"):
        assert attributes(pimdse.folder / "a.h5", f"machines/{machine}")["architecture"] == machine
    assert str(own) not in pimdse.ok("front", "a.h5")
    assert len(pimdse.ok("front", "a.h5", "--where", "machine == my_card")) > 0
    holds(pimdse, "a.h5")
    pimdse.ok("flips", own / "space.toml", "--format", "json", timeout=600)


def test_two_versions_of_a_machine_are_compared_under_names_of_their_own(pimdse, own):
    renamed(own, "my_card", "old/my_card.toml")
    (own / "old/my_card.toml").write_text((own / "my_card.toml").read_text() + "# older\n")
    both = ('architecture = "./my_card.toml"\n', 'architecture = "./old/my_card.toml"\n')
    refused(explore(pimdse, own, TWO.format(*both)), 3, "space.toml:12", "two machines 'my_card'", "name = ...")
    done = explore(pimdse, own, TWO.format(both[0], 'name = "old"\n' + both[1]))
    assert done.returncode == 0, done.stderr
    with h5py.File(pimdse.folder / "a.h5") as file:
        texts = [text.decode() for text in file["machine_files/text"][()]]
    assert len(texts) == 2 and [text.endswith("# older\n") for text in texts] == [False, True]
    for place in ("my_card.toml", "old/my_card.toml"):
        (own / place).unlink()
    pimdse.ok("explain", "a.h5", 2)


@pytest.mark.parametrize("pair, name", [
    ('kind = "pair"\nprefill = "gpu"\ndecode = "./my_card.toml"', "pair:gpu:my_card"),
    ('kind = "pair"\nprefill = "./my_card.toml"\ndecode = "./my_card.toml"', "pair:my_card:my_card"),
    ('architecture = "pair:./my_card.toml:gpu"', "pair:my_card:gpu"),
])
def test_a_pair_has_files_in_it(pimdse, own, pair, name):
    done = explore(pimdse, own, TRAFFIC.format(pair + "\n[parameters]\nprefill_machines = [1, 2]"))
    assert done.returncode == 0, done.stderr
    assert attributes(pimdse.folder / "a.h5")["architecture"] == name
    holds(pimdse, "a.h5")
    (own / "my_card.toml").unlink()
    holds(pimdse, "a.h5")
    assert str(own) not in pimdse.ok("evaluate", "--from", "a.h5", "--point", 0)
    joint = explore(pimdse, own, TRAFFIC.format(f"[[machine]]\n{pair}\n[[machine]]\narchitecture = 'gpu'"))
    refused(joint, 4, "space.toml", "my_card.toml", "cannot be read")


def test_a_baseline_is_a_file(pimdse, own):
    text = ('schema = 2\narchitecture = "gpu"\nobjectives = ["speedup"]\n[parameters]\nbatch = [1, 2]\n[[scenario]]\n'
            'name = "chat"\n' + REQUEST + '[baseline]\narchitecture = "./my_card.toml"\n')
    done = explore(pimdse, own, text)
    assert done.returncode == 0, done.stderr
    with h5py.File(pimdse.folder / "a.h5") as file:
        assert [name.decode() for name in file["machine_files/file"][()]] == [str(own / "my_card.toml")]
    (own / "my_card.toml").unlink()
    holds(pimdse, "a.h5")


def test_shipped_machines_are_named_like_built_in_ones(pimdse, own):
    data = pimdse.folder / "data"
    (data / "models/machines").mkdir(parents=True)
    for entry in (ROOT / "models").iterdir():
        if entry.name != "machines":
            (data / "models" / entry.name).symlink_to(entry)
    for entry in (ROOT / "models/machines").iterdir():
        (data / "models/machines" / entry.name).symlink_to(entry)
    shutil.copy(own / "my_card.toml", data / "models/machines/my_card.toml")
    env = {"PIMDSE_DATA": str(data)}
    listed = pimdse.json("list", "architectures", env=env)
    names = [row["architecture"] for row in listed]
    assert "my_card" in names and names.count("gpu") == 1 and len(names) > 10
    assert "my_card" not in pimdse.ok("list", "architectures")
    assert pimdse.json("evaluate", "my_card", *POINT, env=env)["architecture"] == "my_card"
    done = explore(pimdse, own, SPACE.format('architecture = "my_card"\n') + BATCHES, env=env)
    assert done.returncode == 0, done.stderr
    with h5py.File(pimdse.folder / "a.h5") as file:
        assert "models/machines/my_card.toml" in {name.decode() for name in file["inputs/file"][()]}
        assert "machine_files" not in file, "its text is among the data of the program"
    assert pimdse.json("verify", "a.h5", env=env)["holds"]
    refused(pimdse("evaluate", "mine/my_card.toml", env=env), 3, "my_card.toml:", "another name")
    refused(pimdse("evaluate", "my_car", env=env), 3, "'my_card'")


# Results

def test_the_file_keeps_the_machine_and_its_digest(pimdse, own):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", *QUIET)
    text = (own / "my_card.toml").read_text()
    with h5py.File(pimdse.folder / "a.h5") as file:
        assert [name.decode() for name in file["machine_files/file"][()]] == [str(own / "my_card.toml")]
        assert [name.decode() for name in file["machine_files/text"][()]] == [text]
        assert str(own / "my_card.toml") in {name.decode() for name in file["inputs/file"][()]}
    moved = pimdse.folder / "moved"
    own.rename(moved)
    pimdse.ok("explore", "moved/space.toml", "-o", "b.h5", *QUIET)
    assert attributes(pimdse.folder / "a.h5")["digest"] == attributes(pimdse.folder / "b.h5")["digest"]
    assert pimdse.ok("diff", "a.h5", "b.h5") == "equal\n"
    (moved / "my_card.toml").write_text(text + "# another text\n")
    pimdse.ok("explore", "moved/space.toml", "-o", "c.h5", *QUIET)
    assert attributes(pimdse.folder / "a.h5")["digest"] != attributes(pimdse.folder / "c.h5")["digest"]


def test_a_run_is_not_gone_on_with_after_the_machine_has_changed(pimdse, own):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", "--budget", 1, *QUIET)
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", "--budget", 2, "--resume", *QUIET)
    text = (own / "my_card.toml").read_text()
    (own / "my_card.toml").write_text(text + "# changed\n")
    refused(pimdse("explore", "mine/space.toml", "-o", "a.h5", "--resume", *QUIET), 8, "my_card.toml")
    refused(pimdse("explore", "mine/space.toml", "-o", "b.h5", "--warm-start", "a.h5", "--strategy", "nsga2", *QUIET),
            8, "my_card.toml")
    (own / "my_card.toml").write_text(text)
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", "--resume", *QUIET)
    (own / "my_card.toml").unlink()
    refused(pimdse("explore", "mine/space.toml", "-o", "a.h5", "--resume", *QUIET), 4, "space.toml:2", "my_card.toml")


def test_shards_of_different_machines_are_not_merged(pimdse, own):
    for shard in (0, 1):
        pimdse.ok("explore", "mine/space.toml", "-o", f"{shard}.h5", "--shard", f"{shard}/2", *QUIET)
    pimdse.ok("merge", "0.h5", "1.h5", "-o", "all.h5")
    pimdse.ok("explore", "mine/space.toml", "-o", "whole.h5", *QUIET)
    assert same_file(pimdse.folder, "all.h5", "whole.h5")
    (own / "my_card.toml").write_text((own / "my_card.toml").read_text() + "# changed\n")
    pimdse.ok("explore", "mine/space.toml", "-o", "1.h5", "--shard", "1/2", "--force", *QUIET)
    refused(pimdse("merge", "0.h5", "1.h5", "-o", "mixed.h5"), 8, "my_card.toml")


@pytest.mark.parametrize("what", ["removed", "changed", "another kind of file"])
def test_a_result_file_is_read_without_the_file_of_its_machine(pimdse, own, what):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", *QUIET)
    verbs = [("front", "a.h5"), ("explain", "a.h5", 0), ("failures", "a.h5"), ("verify", "a.h5"),
             ("evaluate", "--from", "a.h5", "--point", 1), ("evaluate", "--from", "a.h5", "--point", 1, "--set",
                                                             "batch=8")]
    before = [pimdse.ok(*words) for words in verbs]
    file = own / "my_card.toml"
    if what == "removed":
        file.unlink()
    elif what == "changed":
        file.write_text(file.read_text().replace("my_card", "another"))
    else:
        file.write_text((own / "space.toml").read_text())
    for words, said in zip(verbs, before):
        done = pimdse(*words)
        assert done.returncode == 0 and done.stdout == said, (words, done.stderr)
        assert done.stderr == "", words
    pimdse.ok("report", "a.h5", "-o", "a.html")
    if what != "changed":
        refused(pimdse("explore", "--refine", "a.h5", "--fidelity", "cycle", "-o", "b.h5", *QUIET), 4, "my_card.toml")


def test_a_moved_machine_is_found_beside_the_results(pimdse, own):
    pimdse.ok("explore", "mine/space.toml", "-o", own / "a.h5", *QUIET)
    own.rename(pimdse.folder / "moved")
    holds(pimdse, "moved/a.h5")
    fidelities = pimdse.json("describe", "moved/my_card.toml")["fidelities"]
    done = pimdse("explore", "--refine", "moved/a.h5", "--fidelity", fidelities[-1], "-o", "b.h5", *QUIET)
    assert done.returncode == 0 or len(fidelities) == 1 and "is not finer" in done.stderr, done.stderr


def test_a_kept_text_that_was_edited_is_not_believed(pimdse, own):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", *QUIET)
    with h5py.File(pimdse.folder / "a.h5", "r+") as file:
        texts = file["machine_files/text"]
        texts[0] = texts[0].replace(b"my_card", b"My_card")
    refused(pimdse("front", "a.h5"), 7, "a.h5 was changed")


def test_the_page_calls_the_machine_by_its_name(pimdse, own):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", *QUIET)
    pimdse.ok("report", "a.h5", "-o", "a.html")
    page = (pimdse.folder / "a.html").read_text()
    facts = json.loads(re.search(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', page, re.S)[1])
    assert facts["architecture"] == "my_card"
    assert facts["command"]["architecture"].split() == [str(own / "my_card.toml")]
    for name in ("command", "inputs"):  # its path is there and nowhere else
        assert str(own) in json.dumps(facts.pop(name))
    assert str(own) not in json.dumps(facts)


def test_commands_that_evaluate_a_point_again_name_the_file(pimdse, own):
    text = SPACE.format('architecture = "./my_card.toml"\n') + BATCHES + \
        '[[constraint]]\nname = "never"\nexpr = "latency <= 0 s"\n'
    assert explore(pimdse, own, text).returncode == 6
    command = re.search(r"pimdse (evaluate \S+/my_card\.toml .*)", pimdse.ok("failures", "a.h5"))
    assert command, pimdse.ok("failures", "a.h5")
    assert pimdse.json(*command[1].replace("'", "").split())["architecture"] == "my_card"


# Python

@pytest.fixture
def package(pimdse, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "analysis"))
    monkeypatch.chdir(pimdse.folder)
    import pimdse as module
    yield module
    sys.modules.pop("pimdse", None)


def test_python_takes_a_file(pimdse, own, package, monkeypatch):
    named = dict(llm="opt-125m", input=64, output=8)
    one = package.evaluate(own / "my_card.toml", **named)
    assert one.architecture == "my_card" and one.ok
    assert package.evaluate("mine/my_card.toml", **named)["latency"] == one["latency"]
    table = package.evaluate("./mine/my_card.toml", [{"batch": 1}, {"batch": 2}], **named)
    assert table.latency.iloc[0] == one["latency"]
    monkeypatch.chdir(own)
    results = package.explore((own / "space.toml").read_text())
    assert results.architecture == "my_card" and len(results.table) == 3
    assert results.table.latency.iloc[0] == one["latency"]
    with pytest.raises(package.Refused, match="nowhere.toml"):
        package.evaluate("./nowhere.toml")


def test_python_draws_results_without_the_file(pimdse, own, package):
    pimdse.ok("explore", "mine/space.toml", "-o", "a.h5", *QUIET)
    text = (own / "my_card.toml").read_text()
    (own / "my_card.toml").unlink()
    results = package.load("a.h5")
    assert results.machine_files == {str(own / "my_card.toml"): text}
    from pimdse.drawing import breakdown
    answers = breakdown.asked_again(results, results.front())
    assert answers and all(answer.architecture == "my_card" for answer in answers.values())
    for point, answer in answers.items():
        assert answer["latency"] == results.table.set_index("point_id").latency[point]


# Mistakes

@pytest.mark.parametrize("text, facts", [
    (None, ("cannot be read", "No such file", "Did you mean 'mine/my_card.toml'")),
    ("", ("is empty", "pimdse new-machine")),
    ("# nothing\n", ("is empty",)),
    (b"\x7fELF\0\0\0", ("is not a text",)),
    (b"name = \"\xff\"\n", ("my_crd.toml:1",)),
    (SPACE.format('architecture = "gpu"\n'), ("is a space and not a machine", "pimdse explore mine/my_crd.toml")),
    ("name = \n", ("my_crd.toml:1",)),
    ('schema = 1\nname = "gpu"\nbase = "my_card.toml"\n', ("my_crd.toml:2", "'gpu'", "another name")),
    ('schema = 1\nname = "my card"\nbase = "my_card.toml"\n', ("my_crd.toml:2", "'my card'")),
])
def test_a_file_that_is_no_machine_is_refused_in_one_sentence(pimdse, own, text, facts):
    file = own / "my_crd.toml"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    for words in (("evaluate", "mine/my_crd.toml"), ("describe", "mine/my_crd.toml")):
        refused(pimdse(*words), 4 if text is None else 3, "mine/my_crd.toml", *facts)
    (own / "space.toml").write_text(SPACE.format('architecture = "my_crd.toml"\n'))
    where = [fact for fact in facts if "my_crd.toml:" in fact] or ["space.toml:2"]
    refused(pimdse("explore", "mine/space.toml", "-o", "a.h5"), 4 if text is None else 3, "my_crd.toml", *where)


def test_folders_are_no_machines(pimdse, own):
    refused(pimdse("evaluate", "mine/"), 4, "mine/", "it is a directory")
    refused(pimdse("evaluate", "./mine"), 4, "it is a directory")
    refused(pimdse("evaluate", "/dev/null"), 4, "/dev/null")
    refused(pimdse("evaluate", "./my_card"), 4, "./my_card: cannot be read")
    refused(pimdse("evaluate", "pair:gpu:./nowhere.toml"), 4, "./nowhere.toml")


def test_every_mistake_of_a_machine_is_reported_with_those_of_the_space(pimdse, own):
    (own / "my_card.toml").write_text('schema = 9\nname = "my card"\n')
    done = explore(pimdse, own, 'schema = 2\narchitecture = "my_card.toml"\nconstants = "x.json"\n')
    assert done.returncode == 3
    done = explore(pimdse, own, 'schema = 2\narchitecture = "my_card.toml"\n')
    lines = done.stderr.splitlines()
    assert done.returncode == 3 and len(lines) == 3, done.stderr
    for fact in ("my_card.toml:1: ", "my_card.toml:2: ", "[run] is missing"):
        assert sum(fact in line for line in lines) == 1, done.stderr


def test_a_machine_is_not_explored_as_a_space(pimdse, own):
    for verb in (("explore", "mine/my_card.toml", "-o", "a.h5"), ("flips", "mine/my_card.toml"),
                 ("condition", "mine/my_card.toml", "batch == 1"), ("serve", "mine/my_card.toml", "-o", "a.h5")):
        refused(pimdse(*verb), 3, "mine/my_card.toml", "is a machine and not a space", "pimdse evaluate")


def test_a_name_whose_file_is_there_is_suggested(pimdse, own):
    shutil.copy(own / "my_card.toml", pimdse.folder)
    refused(pimdse("evaluate", "my_card"), 3, "'my_card'", "./my_card.toml")


def test_a_run_keeps_the_machine_that_it_began_with(pimdse, own):
    text = (own / "my_card.toml").read_text()
    serve = subprocess.Popen([pimdse.program, "serve", "mine/space.toml", "-o", "a.h5"], cwd=pimdse.folder, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    serve.stdin.write('{"verb": "evaluate", "ids": [0]}\n')
    serve.stdin.flush()
    serve.stdout.readline()
    (own / "my_card.toml").write_text(text + "# changed\n")
    said, error = serve.communicate('{"verb": "evaluate", "ids": [1]}\n', timeout=60)
    assert serve.returncode == 0, error
    assert '"ok"' in said
    with h5py.File(pimdse.folder / "a.h5") as file:
        assert file["machine_files/text"][0].decode() == text
    refused(pimdse("serve", "mine/space.toml", "-o", "a.h5", "--resume"), 8, "my_card.toml")
