"""The files of jobs/ on a real Slurm: what they leave is, to the bit, what a run on this machine alone leaves."""
import os
import re
import signal
import time

import pytest

from conftest import PIMDSE, ROOT
from expected import LONG_POINTS, equal, local, provenance
from job_bench import cluster, jobs, need_two_nodes, other_node


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


@pytest.mark.parametrize("name", ["preemptible.sbatch", "explore.sbatch"])
def test_a_job_that_loses_a_rank_goes_back_to_the_queue(jobs, local, name):
    job = jobs.submit_long(name=name)
    jobs.wait_for_answers("out.h5")
    os.kill(a_worker_rank(), signal.SIGKILL)
    jobs.cluster.wait_until(
        lambda: jobs.field(job, "Restarts") == "1", 60, "the job is back in the queue"
    )  # and waits for no rank
    jobs.wait(job)
    assert jobs.evaluated(job)[-1][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")


def test_a_job_that_loses_a_node_goes_back_to_the_queue_and_goes_on(jobs, local):
    need_two_nodes(jobs)
    job = jobs.submit_long(name="explore.sbatch")
    jobs.wait_for_answers("out.h5")
    lost = other_node(jobs, job)
    jobs.cluster.lose(lost)
    try:
        jobs.cluster.wait_until(lambda: jobs.field(job, "Restarts") == "1", 180, "the job is back in the queue")
    finally:
        jobs.cluster.start_node(lost)   # the job waits in the queue for as many nodes as it had
    jobs.wait(job, seconds=180)
    assert jobs.evaluated(job)[-1][1] > 0
    assert equal(local / "long.h5", jobs.folder / "out.h5")


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
    job = jobs.submit_long(MAX_RESTARTS="0")
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
    """Nor does the first rank that ends with it have the others killed, which would look like a loss."""
    job = jobs.submit_long(SPACE="nowhere.toml")
    jobs.wait(job, "FAILED")
    assert jobs.field(job, "ExitCode") == "4:0" and jobs.field(job, "Restarts") == "0", jobs.log()
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
