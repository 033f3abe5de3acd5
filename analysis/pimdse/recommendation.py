"""One question, one answer: `pimdse recommend` from Python."""
import json
import os

from .errors import Refused
from .program import call


def recommend(model, *, under=(), machines=(), devices=(), folder="answer", program=None, **asked):
    """What `pimdse recommend` says, as a dict: `answer` (None if no machine can), `machines`, `proved`, `designs`,
    `flips`, `sure`, `rests_on` and `files` (docs/commands.md); `metrics`, `intervals` and `slack` of each machine that
    can are by name. Flags are given by name (rate="3 1/s", input=1500, output=250, ttft="1.5 s", minimize="itl",
    draws=0). `under`: a condition or several; `machines`: names and files; `devices`: numbers, or a text such as
    "1..8". `folder`: the folder for space and results."""
    words = ["recommend", "--model", os.fspath(model), "--format", "json", "--progress", "none",
             "--output-folder", os.fspath(folder)]
    for condition in [under] if isinstance(under, str) else under:
        words += ["--under", condition]
    for name, values in (("machines", machines), ("devices", devices)):
        if values:
            words += [f"--{name}", values if isinstance(values, str) else ",".join(map(str, values))]
    for name, value in asked.items():
        if isinstance(value, bool) or value is None:
            raise Refused(f"{name}={value!r} is not a value of a flag (give a number or a text)")
        words += [f"--{name.replace('_', '-')}", str(value)]
    return json.loads(call(words, program))
