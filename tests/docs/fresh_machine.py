"""This machine as `./run quick` leaves a bare one: of Debian's packages only those that it installs and what they need.

A mount namespace has an overlay on /usr from which the files of every other package are removed. It takes root, a
kernel with overlay mounts, and Debian; elsewhere `start` says why it is not possible.
"""
import os
import re
import subprocess
from pathlib import Path

PROGRAMS = ("bin", "sbin", "include", "lib/cmake", "lib/python3", "share/nodejs", "lib/x86_64-linux-gnu/cmake",
            "lib/x86_64-linux-gnu/pkgconfig", "share/cmake", "share/pkgconfig", "local")
DEPENDS = ["apt-cache", "depends", "--recurse", "--installed", "--no-recommends", "--no-suggests", "--no-conflicts",
           "--no-breaks", "--no-replaces", "--no-enhances"]
BARE = ("required", "important")  # priorities of what every Debian system has


class Impossible(RuntimeError):
    """Why there can be no such machine here."""


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def words_of_quick(root):
    """The words with which `./run quick` calls jobs/setup.sh."""
    (case,) = re.findall(r"^ {4}quick\)\n(.*?);;$", (root / "run").read_text(), re.M | re.S)
    return " ".join(re.findall(r"^\s*need(?:_later)? (.*)$", case, re.M)).split()


def installed_packages():
    """Of each installed package: its priority, and whether it is essential."""
    rows = output("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status} ${Priority} ${Essential}\n").splitlines()
    return {name: (priority, essential == "yes")
            for name, status, priority, essential in (row.split(" ") for row in rows) if status == "installed"}


def packages_after_quick(root, installed):
    wanted = output(root / "jobs/setup.sh", "list", *words_of_quick(root)).split()
    bare = [name for name, (priority, essential) in installed.items() if priority in BARE or essential]
    return {line for line in output(*DEPENDS, *wanted, *bare).splitlines() if line in installed}


def files_of(packages):
    listed = output("dpkg-query", "-L", *sorted(packages)).splitlines()
    return {path for path in listed if path.startswith(tuple(f"/usr/{folder}/" for folder in PROGRAMS))}


def hidden_files(root):
    """Files of programs, headers and modules that a machine after `./run quick` does not have."""
    installed = installed_packages()
    kept = packages_after_quick(root, installed)
    hidden = files_of(set(installed) - kept) - files_of(kept)
    return sorted(path for path in hidden if not os.path.isdir(path) or os.path.islink(path))


class FreshMachine:
    """Commands with `prefix` before them run on it; it ends with `stop`."""

    def __init__(self, root, folder):
        if os.geteuid() != 0:
            raise Impossible("overlay mounts are made by root")
        for layer in ("upper", "work"):
            (folder / layer).mkdir(parents=True)
        (folder / "hidden").write_text("".join(f"{path}\0" for path in hidden_files(root)))
        overlay = f"lowerdir=/usr,upperdir={folder}/upper,workdir={folder}/work"
        script = f"""mount -t overlay overlay -o {overlay} /usr || exit 1
            xargs -0 rm -f < {folder}/hidden && rm -rf /usr/local/bin/* || exit 1
            # Python imports an empty folder.
            find /usr/lib/python3 -depth \\( -name '*.pyc' -o -type d -empty \\) -delete
            echo ready; exec sleep infinity"""
        self.process = subprocess.Popen(["unshare", "--mount", "bash", "-c", script], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.process.stdout.readline().strip() != "ready":
            raise Impossible(self.process.stderr.read().strip())
        self.prefix = ["nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt", "--wd=."]

    def run(self, *words, **options):
        env = {name: value for name, value in os.environ.items() if not name.endswith("_LAUNCHER")}  # it has no ccache
        return subprocess.run([*self.prefix, *map(str, words)], capture_output=True, text=True, env=env, **options)

    def stop(self):
        self.process.kill()
        self.process.communicate()


def make_page(machine, root, program, folder):
    """Builds the page of `pimdse report` there, as `./run quick` does, in the place where the program looks for it."""
    build = folder / "build"
    page = Path("share/pimdse/report/page.html")
    installed = Path(program).parent / page
    for words in (["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DPIMDSE_TESTS=OFF"],
                  ["cmake", "--build", build, "--target", "report_page"],
                  ["mount", "-t", "tmpfs", "none", installed.parent]):
        done = machine.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    machine.run("cp", build / page, installed)
