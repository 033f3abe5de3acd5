"""The cost of a build by its Ninja log.

A .ninja_log has a line for each output: start and end of its edge [ms since the start of that run of Ninja], time of
the last modification, path, and hash of the command. It has no CPU times. The elapsed times of all edges add up to
about the CPU time only if every edge that runs has a core for itself."""
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

KINDS = (("precompiled headers", re.compile(r"\.(gch|pch)$")), ("compile", re.compile(r"\.o$")),
         ("archive", re.compile(r"\.a$")), ("other", re.compile(r"\.(cpp|hpp|html|txt|json)$|verify_globs$")),
         ("link", re.compile(r"")))
OWNERS = (("benchmarks", "tests/bench/"), ("tests", "tests/"), ("program", ""))


@dataclass
class Edge:
    output: str  # relative to the build folder
    seconds: float
    sources: list  # of an object file: several for a unity file

    @property
    def kind(self):
        return next(kind for kind, pattern in KINDS if pattern.search(self.output))

    @property
    def owner(self):
        return next(owner for owner, folder in OWNERS if self.output.startswith(folder))


def edges(build):
    """The last run of every edge of build.ninja, the dearest first."""
    build = Path(build)
    inputs = inputs_of(build)
    last = {}
    for start, end, _, output, command in rows(build / ".ninja_log"):
        output = output.removeprefix(f"{build.resolve()}/")
        last[output] = (int(start), int(end), command)
    edge_of = {}
    for output, run in last.items():  # an edge with several outputs has a line for each
        if output in inputs and run not in edge_of:
            edge_of[run] = output
    found = [Edge(output, (run[1] - run[0]) / 1000.0, sources_of(build, inputs[output]))
             for run, output in edge_of.items()]
    return sorted(found, key=lambda edge: -edge.seconds)


def rows(log):
    if not log.is_file():
        raise SystemExit(f"{log} does not exist: build with Ninja, or name another build folder")
    first, *lines = log.read_text().splitlines()
    if not re.fullmatch(r"# ninja log v[5-7]", first):
        raise SystemExit(f"{log} has an unknown format ({first}): versions 5 to 7 are supported")
    return [line.split("\t") for line in lines]


def inputs_of(build):
    """{output: explicit inputs} of the edges of build.ninja."""
    found = {}
    for line in re.findall(r"^build (.*)$", (build / "build.ninja").read_text(), re.M):
        outputs, _, rest = line.replace("$ ", "\0").replace("$:", "\1").partition(": ")
        rule, *inputs = re.split(r" \|", rest)[0].split()
        if rule != "phony":
            for output in outputs.replace("|", " ").split():
                found[output.replace("\0", " ").replace("\1", ":").removeprefix(f"{build.resolve()}/")] = inputs
    return found


def sources_of(build, inputs):
    """The sources that an object file is compiled from, relative to the root of the sources."""
    root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    found = []
    for name in (name for name in inputs if name.endswith((".cpp", ".cxx", ".c"))):
        unity = build / name
        text = unity.read_text() if "/Unity/" in name and unity.is_file() else ""
        found += re.findall(r'^#include "(.*)"$', text, re.M) or [name]
    return [name.removeprefix(root + "/") for name in found]


def seconds_by_kind(found):
    """{owner: {kind: [edges, seconds]}}"""
    sums = defaultdict(lambda: defaultdict(lambda: [0, 0.0]))
    for edge in found:
        sums[edge.owner][edge.kind][0] += 1
        sums[edge.owner][edge.kind][1] += edge.seconds
    return sums
