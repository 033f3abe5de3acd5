"""docs/file_format.md against result files: every object and attribute that it names is in one, and the reverse."""
import re
import subprocess

import pytest
from conftest import ROOT
from file_samples import RUNS, objects_in

PAGE = (ROOT / "docs/file_format.md").read_text(encoding="utf-8")
LISTED = re.search(r"^```objects\n(.*?)^```", PAGE, re.M | re.S)[1]
TABLE = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `")]
PLACES = [  # the same under every machine and for scenarios
    (re.compile(r"^/machines/[^/]+/point$"), "/machines/<machine>/point"),
    (re.compile(r"^/machines/[^/]+/scenarios/scenario$"), "/scenarios/scenario"),
    (re.compile(r"^/machines/[^<][^/]*(?=/)"), ""),
    (re.compile(r"^/scenarios(?=/)(?!/scenario$)"), ""),
    (re.compile(r"^/machines/[^/]+$"), "/machines/<machine>"),
    (re.compile(r"^/certificate/closed/best/[^/]+$"), "/certificate/closed/best/<objective>"),
    (re.compile(r"^/uncertain/draws/\d{4}$"), "/uncertain/draws/<number>"),
    (re.compile(r"^/uncertain/designs/.+(_q05|_q50|_q95)$"), r"/uncertain/designs/<objective>\1"),
    (re.compile(r"^/uncertain/machines/best_.+$"), "/uncertain/machines/best_<objective>"),
    (re.compile(r"^/bounds/.+(_low|_high|_kind)$"), r"/bounds/<metric>\1"),
    (re.compile(r"^/metrics/[^/]+$"), "/metrics/<metric>"),
    (re.compile(r"^/(parameters|choices|items)/[^/]+$"), r"/\1/<parameter>"),
]


def documented():
    """{object: attributes}. A line is `GROUP (attributes): DATA_SET (attributes), DATA_SET, ...`; it goes on where the
    next one is indented."""
    objects = {}
    for line in re.sub(r"\n +", " ", LISTED).splitlines():
        group, _, members = line.partition(": ")
        place, attributes = named(group)
        objects[place] = attributes
        for member in filter(None, members.split(", ")):
            name, attributes = named(member)
            objects[f"{place.rstrip('/')}/{name}"] = attributes
    return objects


def named(text):
    name, attributes = re.fullmatch(r"(\S+)(?: \(([\w ]+)\))?", text).groups()
    return name, set((attributes or "").split())


def general(place):
    for pattern, name in PLACES:
        place = pattern.sub(name, place)
    return place


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What is in the sample files, in general names: {file: {object: attributes}}."""
    import os
    folder, found = tmp_path_factory.mktemp("files"), {}
    subprocess.run([os.environ["PIMDSE"], "new-machine", "my_card"], cwd=folder, check=True, capture_output=True)
    for name, (space, flags, codes) in RUNS.items():
        (folder / f"{name}.toml").write_text(space)
        for turn in range(20 if name == "kept" else 1):  # a run may stop before its first block ends, or between two
            words = ["explore", f"{name}.toml", "-o", f"{name}.h5", "--progress", "none", *flags]
            words += ["--resume"] if turn else []
            done = subprocess.run([os.environ["PIMDSE"], *words], cwd=folder, capture_output=True, text=True,
                                  timeout=120, stdin=subprocess.DEVNULL)
            assert done.returncode in codes, done.stderr
            if turn and {"/blocks", "/open_blocks"} <= objects_in(folder / f"{name}.h5").keys():
                break
        found[name] = {}
        for place, attributes in objects_in(folder / f"{name}.h5").items():
            found[name].setdefault(general(place), set()).update(attributes)
    return found


def test_everything_in_a_file_is_documented(files):
    objects = documented()
    for name, found in files.items():
        for place, attributes in found.items():
            assert place in objects, f"{name}.h5 has {place}, which docs/file_format.md does not list"
            classes = {one for one in attributes if one.startswith("classes_of_")}
            assert attributes - classes <= objects[place], f"{name}.h5: attributes of {place}"


def test_everything_documented_is_in_a_file(files):
    objects = documented()
    for place, attributes in objects.items():
        there = [found[place] for found in files.values() if place in found]
        assert there, f"no sample file has {place}"
        assert set().union(*there) >= attributes, f"attributes of {place}"


def test_the_table_speaks_of_objects_that_are_listed():
    objects = documented()
    assert len(TABLE) > 25
    for first, *_ in TABLE:
        for cell in re.findall(r"`(/[^`]*)`", first):
            head, *others = re.split(r", ", cell)
            folder = head.rpartition("/")[0]
            for place in [head, *(f"{folder}/{other}" for other in others)]:
                place = general(place.replace("<machine>/", "umdam/")
                                .replace("<name>", "latency").replace("...", "latency_low"))
                assert place in objects or place + "/" in objects, f"{cell}: {place} is not listed"


def test_attributes_of_the_table_stand_on_the_object_that_it_names():
    """`/front` attributes `objectives`, `better`: as the list below the table has it."""
    objects = documented()
    found = 0
    for first, *_ in TABLE:
        for place, names in re.findall(r"`(/[^`]*)` attributes? ((?:`\w+`(?:, | and )?)+)", first):
            place = general(place.replace("<name>", "latency"))
            named = set(re.findall(r"`(\w+)`", names))
            found += len(named)
            assert named <= objects[place], f"{place}: {sorted(named - objects[place])}"
    assert found > 15
