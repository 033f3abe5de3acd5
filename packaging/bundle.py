#!/usr/bin/env python3
"""bundle.py PROGRAM TREE: puts the shared libraries that PROGRAM needs into TREE/lib/pimdse, and their licences into
TREE/share/doc/pimdse/libraries, with a table of the packages that they are from. glibc stays that of the host, as it
belongs to its kernel and its dynamic linker."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

# The libraries of glibc and its linker.
OF_THE_HOST = re.compile(
    r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec|BrokenLocale))\.so\.\d+")
HEADING = """The files in lib/pimdse are those of these Debian packages, unchanged. Their sources are the source
packages of these versions in Debian's archive; their licences are in the folders here.

library | package | version | source package
"""


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def libraries(program):
    """(name, file) of the shared libraries that the dynamic linker loads for a program, without those of glibc."""
    found = {}
    for name, place in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x\w+\))?$", output("ldd", program), re.MULTILINE):
        if place == "not found":
            sys.exit(f"bundle.py: {name}, which {program} needs, is not on this host")
        if not OF_THE_HOST.fullmatch(name):
            found[name] = Path(place)
    return sorted(found.items())


def package_of(file):
    """The Debian package that a file is from. The package may know it below /usr or, before the merge, below /."""
    real = file.resolve()
    for place in dict.fromkeys([real, Path(str(real).removeprefix("/usr"))]):
        done = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(": ")[0]
    sys.exit(f"bundle.py: {file} is of no Debian package, so that its licence is not known")


def main(program, tree):
    place, licences = tree / "lib/pimdse", tree / "share/doc/pimdse/libraries"
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, file in libraries(program):
        package = package_of(file)
        version, source = output("dpkg-query", "-W", "-f", "${Version}\n${source:Package} ${source:Version}",
                                 package).splitlines()
        rows.append(f"{name} | {package.split(':')[0]} | {version} | {source}\n")
        shutil.copyfile(file, place / name)
        (place / name).chmod(0o644)
        folder = licences / package.split(":")[0]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"/usr/share/doc/{package.split(':')[0]}/copyright", folder / "copyright")
    (licences / "README.txt").write_text(HEADING + "".join(rows))
    copy_common_licences(licences)


def copy_common_licences(licences):
    """The texts to which copyright files refer by their place on a Debian system."""
    texts = "".join(file.read_text(errors="replace") for file in licences.glob("*/copyright"))
    for name in sorted(set(re.findall(r"/usr/share/common-licenses/([A-Za-z][\w.+-]*\w)", texts))):
        file = Path("/usr/share/common-licenses") / name
        if file.is_file():
            (licences / "common-licenses").mkdir(exist_ok=True)
            shutil.copyfile(file, licences / "common-licenses" / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
