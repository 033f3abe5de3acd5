"""What tests of jobs on a real Slurm need: a cluster of their own and jobs on it."""
import os
import re
import time

import pytest

from cluster import Cluster, missing_programs
from conftest import PIMDSE, ROOT, answers_in
from expected import SPACES, WORKBENCH


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if missing_programs():
        pytest.exit(
            f"Slurm is not installed ({', '.join(missing_programs())}); as root: jobs/setup.sh slurm", returncode=77
        )
    if "PIMDSE_NAMESPACES" not in os.environ:
        pytest.exit(
            "a cluster is only started below tests/slurm/private_machine.py (ctest -R slurm does it)", returncode=2
        )
    running = Cluster(tmp_path_factory.mktemp("slurm"), nodes=2 if os.environ["PIMDSE_NAMESPACES"] == "private" else 1)
    try:
        running.start()
        yield running
    finally:
        running.stop()


class Jobs:
    """Submits files of jobs/ from a folder that holds the spaces, and follows what becomes of them."""

    def __init__(self, cluster, folder):
        self.cluster = cluster
        self.folder = folder
        self.environment = {"PIMDSE": PIMDSE, "SPACE": "real.toml"}
        for name, text in SPACES.items():
            (folder / name).write_text(text)

    def submit(self, *words, **environment):
        done = self.cluster.command(
            "sbatch", "--parsable", *words, folder=self.folder, environment={**self.environment, **environment}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def submit_file(self, name, *words, **environment):
        """With as many nodes as there are."""
        return self.submit(f"--nodes={len(self.cluster.nodes)}", *words, ROOT / "jobs" / name, **environment)

    def submit_long(self, *words, name="preemptible.sbatch", **environment):
        """The long space, by two ranks with a thread each."""
        layout = [f"--ntasks-per-node={2 // len(self.cluster.nodes)}", "--cpus-per-task=1"]
        return self.submit_file(
            name, *layout, *words, **{"PIMDSE": WORKBENCH, "SPACE": "long.toml", "OUTPUT": "out.h5", **environment}
        )

    def field(self, job, name):
        done = self.cluster.command("scontrol", "show", "--oneliner", "job", job)
        return re.search(rf"\b{name}=(\S*)", done.stdout).group(1)

    def log(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def wait(self, job, state="COMPLETED", seconds=300):
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL")
        deadline = time.monotonic() + seconds
        while (now := self.field(job, "JobState")) not in ended and time.monotonic() < deadline:
            time.sleep(0.1)
        assert now == state, f"job {job} is {now}\n{self.log()}\n{self.cluster.logs()}"

    def wait_for_answers(self, output):
        """Until the job is in the middle of its work."""
        journal = self.folder / f"{output}.journal"
        self.cluster.wait_until(lambda: answers_in(journal) > 0, 120, f"{journal.name} holds answers")

    def evaluated(self, job):
        """(evaluated, restored) of each run of a job that ended in order."""
        log = (self.folder / f"pimdse-{job}.log").read_text()
        return [(int(a), int(b or 0)) for a, b in re.findall(r"\((\d+) evaluated(?:, (\d+) restored)?\)", log)]

    def push_aside(self):
        """A more urgent job takes all nodes for a moment."""
        everything = ["--partition=urgent", f"--nodes={len(self.cluster.nodes)}", "--exclusive"]
        return self.submit(*everything, "--output=urgent.txt", "--wrap=sleep 0.5")


@pytest.fixture
def jobs(cluster, tmp_path):
    return Jobs(cluster, tmp_path)


def need_two_nodes(jobs):
    if len(jobs.cluster.nodes) < 2:
        pytest.skip("namespaces are refused on this machine, so there is one node only")


def other_node(jobs, job):
    """Not the one with the batch shell, without which there is no job."""
    return next(node for node in jobs.cluster.nodes if node != jobs.field(job, "BatchHost"))
