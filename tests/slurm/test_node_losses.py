"""Nodes of a running job lose their power at random instants, again and again: PIMDSE_NODE_LOSSES times (once)."""
import os
import random
import time

from expected import equal, local
from job_bench import cluster, jobs, need_two_nodes, other_node

LAUNCHERS = ["mpirun --bind-to none", "srun --mpi=pmix --kill-on-bad-exit=0 --wait=10"]


def lose_a_node(jobs, local, name, chance):
    """Whether it was lost before the job was done; True or False, the result is that of a run nobody disturbed."""
    job = jobs.submit_long(name="explore.sbatch", LAUNCH=chance.choice(LAUNCHERS), OUTPUT=name)
    jobs.wait_for_answers(name)
    lost = other_node(jobs, job)
    time.sleep(chance.uniform(0.0, 3.0))
    under_way = jobs.field(job, "JobState") == "RUNNING"
    jobs.cluster.lose(lost)
    try:
        is_over = lambda: jobs.field(job, "Restarts") == "1" or jobs.field(job, "JobState") == "COMPLETED"
        jobs.cluster.wait_until(is_over, 180, "the job is back in the queue or done")
    finally:
        jobs.cluster.start_node(lost)   # the job waits in the queue for as many nodes as it had
    jobs.wait(job, seconds=180)
    assert equal(local / "long.h5", jobs.folder / name), f"{name} differs"
    return under_way


def test_results_do_not_depend_on_nodes_that_are_lost(jobs, local):
    need_two_nodes(jobs)
    wanted = int(os.environ.get("PIMDSE_NODE_LOSSES", "1"))
    chance = random.Random(int(os.environ.get("PIMDSE_SEED", "20261122")))
    lost = rounds = 0
    while lost < wanted:
        assert rounds < 3 * wanted + 3, "jobs are done before their nodes are lost"
        lost += lose_a_node(jobs, local, f"round{rounds}.h5", chance)
        rounds += 1
        print(f"{lost} of {wanted} nodes lost in {rounds} jobs: every result as it must be", flush=True)
