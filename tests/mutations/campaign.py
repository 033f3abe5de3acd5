#!/usr/bin/python3
"""Changes result files at random and gives them to every verb that reads one.

    tests/mutations/campaign.py --program build/run/pimdse --mutations 2000

Whatever is in a file, a verb ends with a documented exit code and no signal; and where it prints another front than
that of the file nobody changed, `verify` says that something is wrong. Exit code 0: that held.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import h5py
import numpy as np

SPACE = """schema = 1
architecture = "cim_mesh"
workload = { input = 128, output = 64 }
objectives = ["latency", "adapter_weights", "power"]
[parameters]
llm       = ["llama-3.2-1b", "llama-2-13b"]
lora_rank = [0, 8, 64]
gating    = ["srpg", "none"]
mesh_rows = { from = 16, to = 64, step = 16 }
[[constraint]]
name = "short"
expr = "latency <= 10 s"
"""
HEAD = 512
SOMETIMES = {0, 3, 6, 7, 8}   # what a reader may end with; 5 would be a bug of pimdse
PATIENCE = 120


class Broken(Exception):
    """A verb crashed, hung, blamed pimdse or passed over a change."""


def sealed(content):
    """The content with a seal that fits it: what a forger would do."""
    text = f"pimdse sealed result, HDF5 from byte 512\nbytes {len(content)}\ncrc32 {zlib.crc32(content):08x}\n"
    return text.encode().ljust(HEAD, b"\0") + content


class Mutator:
    """Knows the ways to change a file; each returns what it did."""

    def __init__(self, whole, folder, seed):
        self.whole, self.folder, self.random = whole, folder, random.Random(seed)

    def make(self, path):
        kind = self.random.choice(
            ["flips in a sealed file", "flips in a file without a seal", "cut", "edited", "edited", "edited and sealed"]
        )
        if kind == "flips in a sealed file":
            path.write_bytes(self.flipped(self.whole, self.random.choice([1, 1, 1, 3])))
        elif kind == "flips in a file without a seal":
            path.write_bytes(self.flipped(self.whole[HEAD:], self.random.choice([1, 1, 3, 20])))
        elif kind == "cut":
            content = self.whole if self.random.random() < 0.5 else self.whole[HEAD:]
            path.write_bytes(content[:self.random.randrange(len(content))])
        else:
            path.write_bytes(self.whole[HEAD:])
            what = self.edit(path)
            if kind == "edited and sealed":
                path.write_bytes(sealed(path.read_bytes()))
            return kind, what
        return kind, ""

    def flipped(self, content, count):
        changed = bytearray(content)
        for _ in range(count):
            changed[self.random.randrange(len(changed))] ^= 1 << self.random.randrange(8)
        return bytes(changed)

    def edit(self, path):
        with h5py.File(path, "r+") as file:
            groups, columns = ["/"], []
            file.visititems(lambda name, item: (columns if isinstance(item, h5py.Dataset) else groups).append(name))
            way = self.random.choice(
                [self.row, self.row, self.attribute, self.attribute, self.column, self.removal, self.json]
            )
            return way(file, groups, columns)

    def value(self, kind):
        if kind == "f":
            return self.random.choice([0.0, -1.0, 1e308, float("nan"), float("inf"), self.random.random()])
        return self.random.choice(
            [0, 1, 2, 3, 77, 255, 2**31 - 1, 2**31, 2**63 - 1, 2**64 - 1, self.random.randrange(1000)]
        )

    def row(self, file, _, columns):
        name = self.random.choice([c for c in columns if file[c].shape[0] > 0])
        dataset = file[name]
        at = self.random.randrange(dataset.shape[0])
        if dataset.dtype.kind == "S":
            dataset[at] = bytes(self.random.choices(b"abc-\xff/0", k=dataset.dtype.itemsize))
        elif dataset.dtype.kind == "f":
            dataset[at] = self.value("f")
        else:
            dataset[at] = np.array(
                self.value("i") & (2 ** (8 * dataset.dtype.itemsize) - 1), dtype=f"u{dataset.dtype.itemsize}"
            ).view(dataset.dtype)
        return f"row {at} of {name}"

    def attribute(self, file, groups, columns):
        owners = [o for o in groups + columns if len(file[o].attrs) > 0]
        owner = self.random.choice(owners)
        attributes = file[owner].attrs
        name = self.random.choice([a for a in attributes])
        if name in ("DIMENSION_LIST", "REFERENCE_LIST"):
            return "nothing"
        attributes[name] = self.random.choice(
            [
                self.value("i"),
                self.value("f"),
                np.arange(5000, dtype="u8"),
                np.zeros((30, 30), dtype="f8"),
                "",
                "none",
                "/etc/passwd",
                "x" * 70000,
                "none minimize",
                np.array([b"a", b"\xff"]),
                np.bytes_(b"\xff\xfe"),
                ["a", "b"],
                h5py.Empty("f8"),
                "{}",
                "[]",
                "maximize",
                "integer",
                "B",
            ]
        )
        return f"attribute {name} of {owner}"

    def column(self, file, _, columns):
        name = self.random.choice(columns)
        rows, kind = file[name].shape[0], file[name].dtype
        old = dict(file[name].attrs)
        del file[name]
        shape = self.random.choice([(rows,), (rows + 1,), (max(rows - 1, 0),), (2**40,), (2**32,), (rows, 2), ()])
        kind = self.random.choice(
            [kind, np.dtype("i2"), np.dtype("f4"), np.dtype("u8"), np.dtype("f8"), np.dtype("S3"), h5py.string_dtype()]
        )
        made = file.create_dataset(name, shape=shape, dtype=kind, chunks=True if shape and 0 not in shape else None)
        for attribute, value in old.items():
            if attribute not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                made.attrs[attribute] = value
        return f"column {name} as {shape} of {kind}"

    def removal(self, file, groups, columns):
        name = self.random.choice([n for n in groups + columns if n != "/"])
        del file[name]
        return f"no {name}"

    def json(self, file, *_):
        text = file.attrs["canonical_space"]
        changed = self.random.choice(
            [
                "{}",
                "[]",
                "null",
                "",
                "{",
                text + "}",
                text.replace('"constraints":[', '"constraints":[{},'),
                text.replace('"expr"', '"exp"'),
                text.replace("[0,8,64]", "[]"),
                text.replace("[0,8,64]", "[0,8.5,64]"),
                text.replace("[0,8,64]", "[0,8,18446744073709551615]"),
                text.replace("[0,8,64]", '{"permute":["a"]}'),
                text.replace('"cim_mesh"', '"none"'),
                text.replace('"cim_mesh"', "7"),
                text.replace("{", "{" * 5000),
                "[" * 100000,
                text[: len(text) // 2],
                text.replace('"llama-3.2-1b"', '"llama-9"'),
                text.replace("16,32,48,64", "-16,32,48,64"),
                text.replace("16,32,48,64", "16,32"),
            ]
        )
        file.attrs["canonical_space"] = changed
        return f"canonical_space {changed[:60]}"


class Campaign:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.codes = program, Path(folder), Counter()
        (self.folder / "s.toml").write_text(SPACE)
        done = self.run("explore", "s.toml", "-o", "whole.h5")
        assert done.returncode == 0, done.stderr
        self.front = self.run("front", "whole.h5", "--format", "csv").stdout
        self.mutator = Mutator((self.folder / "whole.h5").read_bytes(), self.folder, seed)

    def run(self, *words):
        return subprocess.run(
            [self.program, *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE
        )

    def ask(self, what, verb, *words):
        try:
            done = self.run(verb, *words)
        except subprocess.TimeoutExpired:
            raise Broken(f"{verb} hangs on {what}") from None
        self.codes[f"{verb} {done.returncode}"] += 1
        said = done.stderr.decode(errors="replace")
        if done.returncode not in SOMETIMES or "bug of pimdse" in said:
            raise Broken(f"{verb} ends with {done.returncode} on {what}: {said[-500:]}")
        if done.returncode in (3, 7) and not said.startswith("pimdse: "):
            raise Broken(f"{verb} ends with {done.returncode} on {what} and says '{said}'")
        return done

    def one(self, number):
        what = self.mutator.make(self.folder / "changed.h5")
        front = self.ask(what, "front", "changed.h5", "--format", "csv")
        verify = self.ask(what, "verify", "changed.h5", "--sample", "5")
        self.ask(what, "diff", "whole.h5", "changed.h5")
        self.ask(what, "watch", "changed.h5", "--once")
        merge = self.ask(what, "merge", "whole.h5", "changed.h5", "-o", "merged.h5", "--force")
        unnoticed = front.returncode == 0 and front.stdout != self.front and verify.returncode == 0
        if unnoticed:
            raise Broken(f"another front and nobody says so, after {what}")
        if what[0] == "flips in a sealed file" and front.returncode == 0 and front.stdout != self.front:
            raise Broken(f"the seal does not show {what}")
        if (
            merge.returncode == 0
            and verify.returncode == 0
            and self.run("front", "merged.h5", "--format", "csv").stdout != self.front
        ):
            raise Broken(f"merging changes the front, after {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="where the file that broke something is kept")
    arguments = parser.parse_args()
    broken = []
    with tempfile.TemporaryDirectory(prefix="pimdse-mutations-") as folder:
        campaign = Campaign(str(Path(arguments.program).resolve()), folder, arguments.seed)
        for number in range(arguments.mutations):
            try:
                campaign.one(number)
            except Broken as error:
                broken.append(f"{number}: {error}")
                print(broken[-1], file=sys.stderr, flush=True)
                if arguments.keep:
                    Path(arguments.keep).mkdir(parents=True, exist_ok=True)
                    (Path(arguments.keep) / f"{arguments.seed}-{number}.h5").write_bytes(
                        (Path(folder) / "changed.h5").read_bytes()
                    )
    print(
        json.dumps(
            {"mutations": arguments.mutations, "outcomes": dict(sorted(campaign.codes.items())), "broken": broken},
            indent=1,
        )
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
