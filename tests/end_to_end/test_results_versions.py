"""Results that change raise the version of their architecture: digests of small spaces, by architecture and fidelity.

python3 test_results_versions.py PIMDSE writes the digests of this program to tests/data/results/versions.toml."""
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import h5py

DATA = Path(__file__).resolve().parents[1] / "data" / "results"


def versions(run):
    """What this program has to say: {architecture: {"version": int, "digests": {fidelity: text}}}."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for space in sorted(DATA.glob("*.toml")):
            if space.stem == "versions":
                continue
            described = json.loads(run("describe", space.stem, "--format", "json"))
            digests = {}
            for fidelity in described["fidelities"]:
                file = Path(folder) / f"{space.stem}_{fidelity}.h5"
                run("explore", space, "--fidelity", fidelity, "-o", file, "--progress", "none")
                with h5py.File(file) as results:
                    digests[fidelity] = results.attrs["digest"]
            found[space.stem] = {"version": described["results_version"], "digests": digests}
    return found


def test_results_change_with_their_version_only(pimdse):
    recorded = tomllib.loads((DATA / "versions.toml").read_text())
    current = versions(pimdse.ok)
    architectures = {row["architecture"] for row in json.loads(pimdse.ok("list", "architectures", "--format", "json"))}
    assert current.keys() == recorded.keys() == architectures
    for architecture, now in current.items():
        before = recorded[architecture]
        if now["digests"] != before["digests"]:
            assert now["version"] > before["version"], f"raise results_version of {architecture}, then record it"
        assert now == before, f"record the new version of {architecture} (tests/data/results/README.md)"


def main(program):
    def run(*words):
        return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout

    lines = ["# Written by tests/end_to_end/test_results_versions.py; see README.md beside it."]
    for architecture, now in versions(run).items():
        lines += ["", f"[{architecture}]", f"version = {now['version']}", "[{}.digests]".format(architecture)]
        lines += [f'{fidelity} = "{digest}"' for fidelity, digest in now["digests"].items()]
    (DATA / "versions.toml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
