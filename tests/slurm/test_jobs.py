"""The files of jobs/ on a real Slurm: what they leave is, to the bit, what a run on this machine alone leaves."""
import os
import re
import signal
import time

import pytest

from cluster import Cluster, missing_programs
from conftest import PIMDSE, ROOT
from expected import LONG_POINTS, SPACES, WORKBENCH, equal, local, provenance


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
        self.cluster.wait_until(journal.exists, 60, f"{journal.name} is there")
        head = journal.stat().st_size   # it gets its name when its head is written
        self.cluster.wait_until(lambda: journal.stat().st_size > head + 3000, 60, f"{journal.name} holds answers")

    def evaluated(self, job):
        """(evaluated, remembered) of each run of a job that ended in order."""
        log = (self.folder / f"pimdse-{job}.log").read_text()
        return [(int(a), int(b or 0)) for a, b in re.findall(r"\((\d+) evaluated(?:, (\d+) remembered)?\)", log)]

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


def test_one_job_over_two_nodes_answers_as_this_machine_does(jobs, local):
    need_two_nodes(jobs)
    jobs.wait(jobs.submit_file("explore.sbatch"))
    assert equal(local / "real.h5", jobs.folder / "results.h5")
    told, rank_of_point = provenance(jobs.folder / "results.h5")
    assert told["ranks"] == 4 and told["threads"] == 2
    hosts = [text.decode() if isinstance(text, bytes) else text for text in told["hosts"]]
    assert {hosts[rank] for rank in set(rank_of_point)} == {"n1", "n2"}


@pytest.mark.parametrize("given, threads", [(["--cpus-per-task=3"], 3), (["--cpus-per-task=1"], 1)])
def test_threads_are_what_slurm_gave_the_task(jobs, given, threads):
    jobs.wait(
        jobs.submit_file(
            "explore.sbatch", "--nodes=1", "--ntasks-per-node=1", *given, SPACE=ROOT / "spaces" / "quick.toml"
        )
    )
    assert provenance(jobs.folder / "results.h5")[0]["threads"] == threads


def test_without_a_number_of_threads_affinity_decides(jobs):
    explore = f"{PIMDSE} explore {ROOT}/spaces/quick.toml -o one.h5 --progress none"
    command = f"unset SLURM_CPUS_PER_TASK; exec taskset -c 0 {explore}"
    jobs.wait(jobs.submit("--wrap", command))
    assert provenance(jobs.folder / "one.h5")[0]["threads"] == 1


def test_preempted_jobs_go_back_and_end_as_if_nothing_had_been(jobs, local):
    """Three jobs at once, because each must wait for seconds in the queue: in order under srun; under mpirun, which
    loses its daemon on the other node; and on a partition that gives no time to stop."""
    how = {
        "mpirun.h5": ([], {"LAUNCH": "mpirun --bind-to none"}),
        "srun.h5": ([], {}),
        "abrupt.h5": (["--partition=abrupt"], {}),
    }
    started = {}
    for output, (words, environment) in how.items():   # mpirun first: it takes longest to begin
        started[output] = jobs.submit_long(*words, SPACE="longer.toml", OUTPUT=output, **environment)
        jobs.wait_for_answers(output)
    urgent = jobs.push_aside()
    for output, job in started.items():
        jobs.wait(job)
        runs = jobs.evaluated(job)
        assert jobs.field(job, "Restarts") == "1", output
        assert runs[-1][1] > 0 and sum(runs[-1]) == LONG_POINTS, output
        assert equal(local / "longer.h5", jobs.folder / output), output
    assert jobs.field(urgent, "JobState") == "COMPLETED"
    first, second = jobs.evaluated(started["srun.h5"])
    assert first[0] == second[1]   # stopped in order, so nothing was evaluated twice


def test_the_signal_before_the_limit_sends_the_job_back_to_the_queue(jobs, local):
    job = jobs.submit_long()
    jobs.wait_for_answers("out.h5")
    jobs.cluster.command("scancel", "--batch", "--signal=USR1", job)   # as --signal=B:USR1@120 does, without the wait
    jobs.wait(job)
    runs = jobs.evaluated(job)
    assert jobs.field(job, "Restarts") == "1" and len(runs) == 2 and runs[0][0] == runs[1][1]
    assert equal(local / "long.h5", jobs.folder / "out.h5")


def test_a_cancelled_job_stays_cancelled(jobs):
    job = jobs.submit_long()
    jobs.wait_for_answers("out.h5")
    jobs.cluster.command("scancel", job)
    jobs.wait(job, "CANCELLED")
    time.sleep(0.5)
    assert jobs.field(job, "JobState") == "CANCELLED" and jobs.field(job, "Restarts") == "0"


def test_a_preemptible_job_that_loses_a_rank_goes_back_to_the_queue(jobs, local):
    job = jobs.submit_long()
    jobs.wait_for_answers("out.h5")
    os.kill(a_worker_rank(), signal.SIGKILL)
    jobs.cluster.wait_until(
        lambda: jobs.field(job, "Restarts") == "1", 30, "the job is back in the queue"
    )  # and waits for no rank
    jobs.wait(job)
    assert jobs.evaluated(job)[-1][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")


def test_a_job_that_loses_a_rank_starts_its_ranks_again(jobs, local):
    job = jobs.submit_long(name="explore.sbatch")
    jobs.wait_for_answers("out.h5")
    os.kill(a_worker_rank(), signal.SIGKILL)
    jobs.wait(job, seconds=60)
    assert jobs.field(job, "Restarts") == "0" and "restart 1 of" in jobs.log()
    assert jobs.evaluated(job)[-1][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")


def other_node(jobs, job):
    """Not the one with the batch shell, without which there is no job."""
    return next(node for node in jobs.cluster.nodes if node != jobs.field(job, "BatchHost"))


@pytest.mark.parametrize("launch", ["mpirun --bind-to none", "srun --mpi=pmix --kill-on-bad-exit=1"])
def test_a_job_that_loses_a_node_goes_on_on_the_one_that_is_left(jobs, local, launch):
    need_two_nodes(jobs)
    job = jobs.submit_long(name="explore.sbatch", LAUNCH=launch)
    jobs.wait_for_answers("out.h5")
    lost = other_node(jobs, job)
    jobs.cluster.lose(lost)
    try:
        jobs.wait(job, seconds=180)
    finally:
        jobs.cluster.bring_back(lost)
    assert jobs.field(job, "Restarts") == "0" and f"1 of 2 nodes not answering: {lost}" in jobs.log()
    assert jobs.evaluated(job)[-1][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")
    hosts = provenance(jobs.folder / "out.h5")[0]["hosts"]
    assert lost not in [text.decode() if isinstance(text, bytes) else text for text in hosts]


def test_a_job_that_was_ended_goes_on_when_it_is_submitted_again(jobs, local):
    job = jobs.submit_long(name="explore.sbatch")
    jobs.wait_for_answers("out.h5")
    jobs.cluster.command("scancel", job)   # TERM to every process, as at the time limit
    jobs.wait(job, "CANCELLED")
    again = jobs.submit_long(name="explore.sbatch")
    jobs.wait(again)
    assert jobs.evaluated(again)[0][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")


def test_restarts_end_at_the_given_number(jobs):
    job = jobs.submit_long(MOST_RESTARTS="0")
    jobs.wait_for_answers("out.h5")
    jobs.cluster.command("scancel", "--batch", "--signal=USR1", job)
    jobs.wait(job, "FAILED")
    assert jobs.field(job, "ExitCode") == "75:0"


def a_worker_rank():
    """The number of a process that is rank 1 or more of the running job."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as environ, open(f"/proc/{name}/comm", encoding="utf-8") as comm:
                rank = re.search(rb"\0PMIX_RANK=(\d+)\0", environ.read())
                if comm.read().startswith("pimdse") and rank is not None and int(rank.group(1)) > 0:
                    return int(name)
        except OSError:
            continue
    raise AssertionError("no rank is running")


def test_a_mistake_is_not_tried_again(jobs):
    job = jobs.submit_long(SPACE="nowhere.toml")
    jobs.wait(job, "FAILED")
    assert jobs.field(job, "ExitCode") == "4:0" and jobs.field(job, "Restarts") == "0"
    assert jobs.log().count("nowhere.toml: cannot be read") == 1


def test_an_array_of_shards_is_joined_by_the_job_that_waits_for_it(jobs, local):
    array = jobs.submit("--cpus-per-task=2", ROOT / "jobs" / "array.sbatch")
    merge = jobs.submit(f"--dependency=afterok:{array}", ROOT / "jobs" / "merge.sbatch")
    jobs.wait(merge)
    shards = sorted(path.name for path in jobs.folder.glob("results-*.h5"))
    assert shards == [f"results-{i}-of-4.h5" for i in range(4)]
    assert equal(local / "real.h5", jobs.folder / "results.h5")


def test_one_shard_can_be_submitted_again(jobs):
    jobs.wait(
        jobs.submit("--array=2", ROOT / "jobs" / "array.sbatch", SHARDS="4", SPACE=str(ROOT / "spaces" / "quick.toml"))
    )
    assert [path.name for path in jobs.folder.glob("*.h5")] == ["results-2-of-4.h5"]


def test_shards_that_failed_are_not_joined(jobs):
    array = jobs.submit("--array=0-1", ROOT / "jobs" / "array.sbatch", SPACE="nowhere.toml")
    jobs.wait(jobs.submit(f"--dependency=afterok:{array}", ROOT / "jobs" / "merge.sbatch"), "CANCELLED")
    assert not list(jobs.folder.glob("*.h5"))
