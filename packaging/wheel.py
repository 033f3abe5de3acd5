#!/usr/bin/env python3
"""wheel.py TREE VERSION FOLDER: makes pimdse-VERSION-py3-none-PLATFORM.whl in FOLDER from an installed tree that brings
its libraries along (bundle.py). Below pimdse/ of the wheel, _program has bin, lib and share of the tree, so that the
program finds both as it does elsewhere; the package starts it from there (analysis/pimdse/program.py)."""
import base64
import hashlib
import os
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# linux_x86_64: it needs the glibc of the host that built it, which no manylinux tag would say truthfully.
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")
TABLES = ["numpy", "h5py", "pandas"]
PLOTS = [*TABLES, "matplotlib"]


def metadata(version):
    extras = "".join(f"Provides-Extra: {extra}\n" + "".join(f'Requires-Dist: {name}; extra == "{extra}"\n'
                                                            for name in names)
                     for extra, names in (("tables", TABLES), ("plots", PLOTS)))
    return f"""Metadata-Version: 2.1
Name: pimdse
Version: {version}
Summary: Design-space explorer for memory-centric LLM accelerators
Author: The pimdse authors
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.9
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
{extras}Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text()}"""


def files(tree, info, version):
    """(name in the wheel, bytes, whether it is a program)."""
    package = tree / "share/pimdse/analysis/pimdse"
    for file in sorted(package.rglob("*.py")):
        yield f"pimdse/{file.relative_to(package)}", file.read_bytes(), False
    for folder in ("bin", "lib/pimdse", "share/pimdse/models", "share/pimdse/spaces", "share/pimdse/report"):
        for file in sorted(path for path in (tree / folder).rglob("*") if path.is_file()):
            yield f"pimdse/_program/{file.relative_to(tree)}", file.read_bytes(), folder == "bin"
    licences = tree / "share/doc/pimdse/libraries"
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    for file in sorted(path for path in licences.rglob("*") if path.is_file()):
        yield f"{info}/licenses/libraries/{file.relative_to(licences)}", file.read_bytes(), False
    yield f"{info}/METADATA", metadata(version).encode(), False
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: pimdse ({version})\nRoot-Is-Purelib: false\n"
                            f"Tag: py3-none-{PLATFORM}\n").encode(), False
    yield f"{info}/entry_points.txt", b"[console_scripts]\npimdse = pimdse.program:main\n", False
    yield f"{info}/top_level.txt", b"pimdse\n", False


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(tree, version, folder):
    info = f"pimdse-{version}.dist-info"
    wheel = folder / f"pimdse-{version}-py3-none-{PLATFORM}.whl"
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)))[:6]  # 1980, the first year of a zip file
    rows = ""
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(name, content, program):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)

        for name, content, program in files(tree, info, version):
            add(name, content, program)
            rows += record(name, content)
        add(f"{info}/RECORD", f"{rows}{info}/RECORD,,\n".encode(), False)
    print(wheel)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
