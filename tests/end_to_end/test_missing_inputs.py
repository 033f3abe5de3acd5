"""An input that cannot be read gives exit code 4 and its name, wherever it is named."""
import shlex

import pytest
from conftest import refused

GPU = 'schema = 2\narchitecture = "gpu"\nobjectives = ["energy"]\n'
REQUEST = f'{GPU}[[scenario]]\nname = "s"\nllm = "opt-1.3b"\n'
COMMANDS = """
explore nowhere.toml -o a.h5
quick nowhere -o a.h5
serve nowhere.toml -o a.h5
flips nowhere.toml
front nowhere.h5
explain nowhere.h5 0
robust nowhere.h5
failures nowhere.h5
verify nowhere.h5
report nowhere.h5
merge nowhere.h5 -o a.h5
diff nowhere.h5 nowhere.h5
watch nowhere.h5 --once
condition nowhere.h5 "latency < 1 s"
evaluate --from nowhere.h5 --point 0
export nowhere.h5 a.json --point 0 --as perfetto
explore --refine nowhere.h5 --fidelity cycle -o a.h5
explore quick -o a.h5 --strategy nsga2 --warm-start nowhere.h5
evaluate ./nowhere.toml
describe ./nowhere.toml
validate ./nowhere.toml
layout ./nowhere.toml
evaluate pair:gpu:./nowhere.toml
evaluate gpu --model nowhere.json
evaluate umdam --set llm=nowhere.toml
layout umdam --model ./nowhere.toml
explore quick -o a.h5 --set llm=nowhere.json
describe model nowhere.json
evaluate upmem --set kernel=nowhere.toml
evaluate umdam --set dram=nowhere.toml
evaluate gpu --constants nowhere.toml
evaluate gpu --scenario s=llm=opt-1.3b,traffic.trace=nowhere.csv
evaluate gpu --scenario "s=llm=opt-1.3b,traffic.rate=1 1/s,traffic.input=nowhere.csv,traffic.output=9"
dram replay --dram nowhere.toml --stream seq:64
dram replay --dram L5J --trace nowhere.txt
dram check nowhere.csv
noc check nowhere.csv
noc run nowhere.txt
links check nowhere.csv
"""
SPACES = {
    "model": f'{GPU}[parameters]\nllm = ["opt-1.3b", "nowhere.toml"]\n',
    "models": f'{GPU}[parameters]\nllm = ["nowhere.toml", "nowhere.json"]\n',
    "constants": f'{GPU}constants = "nowhere.toml"\n',
    "architecture": GPU.replace("gpu", "./nowhere.toml"),
    "machine": GPU.replace('architecture = "gpu"\n', "") + '[[machine]]\narchitecture = "nowhere.toml"\n',
    "arrivals": f'{REQUEST}traffic.trace = "nowhere.csv"\n',
    "lengths": f'{REQUEST}traffic.rate = "1 1/s"\ntraffic.input = 9\ntraffic.output = "nowhere.csv"\n',
    "model of a request": REQUEST.replace("opt-1.3b", "nowhere.toml"),
    "table": f'{GPU}[parameters]\nbatch = [1, 2]\n[table]\nfile = "nowhere.csv"\nkeys = ["batch"]\n'
             'metrics = { accuracy = "higher" }\n',
}


@pytest.mark.parametrize("words", COMMANDS.strip().splitlines())
def test_of_a_command(pimdse, words):
    refused(pimdse(*shlex.split(words)), 4, "nowhere")
    assert not list(pimdse.folder.iterdir())


@pytest.mark.parametrize("name", SPACES)
def test_of_a_space(pimdse, name):
    (pimdse.folder / "s.toml").write_text(SPACES[name])
    done = pimdse("explore", "s.toml", "-o", "a.h5")
    assert done.returncode == 4 and done.stderr.count("nowhere") == SPACES[name].count("nowhere"), done.stderr
    assert [path.name for path in pimdse.folder.iterdir()] == ["s.toml"]


def test_among_other_mistakes_is_one_of_them(pimdse):
    (pimdse.folder / "s.toml").write_text(SPACES["model"] + "bach = 3\n")
    done = pimdse("explore", "s.toml", "-o", "a.h5")
    assert done.returncode == 3 and "nowhere.toml" in done.stderr and "'batch'" in done.stderr


def test_a_device_is_no_file_of_a_model(pimdse):
    # /dev/zero would have no end; /dev/null shows that a file without a size is not read
    for name in ("config.json", "model.safetensors.index.json"):
        (pimdse.folder / name).symlink_to("/dev/null")
        refused(pimdse("evaluate", "gpu", "--model", f"./{name}"), 4, f"{name}: cannot be read")
