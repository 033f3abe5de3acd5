#!/usr/bin/python3
"""Kills explorations at random instants and goes on with them, again and again, on other numbers of ranks.

    tests/kills/campaign.py --program build/tests/workbench/pimdse_workbench --kills 200

After every kill the result file, if there is one, must be readable and nothing that was seen in the journal before the
kill may be missing; at the end of every round the digest must be that of a run nobody disturbed. Rounds keep all or
fronts, sweep or sample, and may have a point that takes its process with it, so that what was under way beside it is
quarantined. Exit code 0: nothing was lost.
"""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

from processes import is_alone, processes

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = %(points)d }
cost = "%(cost)s"
spread = 50
"""
# One point takes its process with it, whoever evaluates it.
TROUBLE = """trouble = "crash"
trouble_at = %(at)d
"""
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


CRASHING = "a point that crashes"
MODES = (
    [],
    ["--strategy", "random"],
    ["--keep", "front"],
    [CRASHING],
    ["--keep", "front", CRASHING],
)
FAILED = 5  # the exit code of a run that finished and has points that failed


class Lost(Exception):
    """Something that was acknowledged is gone, or a digest differs."""


class Campaign:
    def __init__(self, program, folder, points, cost, seed):
        self.program, self.folder, self.random = program, Path(folder), random.Random(seed)
        self.space = self.folder / "space.toml"
        self.points, self.cost, self.finished_with = points, cost, 0
        self.counts = {"worker": 0, "coordinator": 0, "launcher": 0, "the point itself": 0}
        self.kills = self.restarts = self.rounds = self.longest_end = self.checked = self.stuck_launchers = 0

    def words(self, output, ranks, *more):
        launcher = ["mpirun", "-n", str(ranks), "--bind-to", "none"] if ranks > 1 else []
        settings = ["--threads", "2", "--progress", "none", "--checkpoint", "0.3 s"]
        if "--dry-run" not in more:
            settings += ["--format", "json"]
        return [*launcher, self.program, "explore", self.space, "-o", output, *settings, *self.kept, *more]

    def run(self, output, ranks, *more):
        return subprocess.run(
            [str(w) for w in self.words(output, ranks, *more)],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=300,
        )

    def digest_of(self, done):
        if done.returncode != self.finished_with:
            raise Lost(f"a run nobody disturbed ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)["digest"]

    def answered(self, output):
        """Points that the journal and the file hold, by a run that only looks."""
        done = self.run(output, 1, "--resume", "--dry-run")
        if done.returncode != 0:
            raise Lost(f"what a kill left behind cannot be read: {done.stderr}")
        return int(re.findall(r"\d+", done.stdout.splitlines()[0])[-1])

    def kill_somebody(self, job):
        try:
            launcher, coordinator, workers = processes(job)
        except (FileNotFoundError, ProcessLookupError):
            return False
        choices = [
            (who, pid)
            for who, pid in [("launcher", launcher), ("coordinator", coordinator), *[("worker", w) for w in workers]]
            if pid
        ]
        if not choices or job.poll() is not None:
            return False
        kinds = sorted({who for who, _ in choices})
        kind = self.random.choice(kinds)
        who, pid = self.random.choice([c for c in choices if c[0] == kind])
        os.kill(pid, signal.SIGKILL)
        self.counts[who] += 1
        return True

    def disturbed(self, output, ranks, first):
        """Starts a run and kills one of its processes after a random time; True when it was finished before."""
        job = subprocess.Popen(
            [str(w) for w in self.words(output, ranks, *([] if first else ["--resume"]))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        until = time.monotonic() + self.random.uniform(0.05, 1.6)
        while time.monotonic() < until and job.poll() is None:
            time.sleep(0.01)
        seen = self.seen(output)
        killed = job.poll() is None and self.kill_somebody(job)
        at = time.monotonic()
        out, err = self.end_of(job)
        self.longest_end = max(self.longest_end, time.monotonic() - at)
        if not killed and job.returncode == self.finished_with:
            return json.loads(out)
        if not killed and self.finished_with != FAILED:
            raise Lost(f"a run nobody disturbed ended with {job.returncode}: {err}")
        self.counts["the point itself"] += not killed
        self.kills += 1
        self.wait_for_orphans(output)
        self.check(output, seen)
        return None

    def end_of(self, job):
        """What a job said. A launcher that stays when all its ranks are gone is ended: the PMIx server of Open MPI
        4.1 may wait for a lock that a killed rank held."""
        alone = 0
        for _ in range(90):
            try:
                return job.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                alone = alone + 1 if is_alone(job) else 0
            if alone == 10:
                job.kill()
                self.stuck_launchers += 1
        raise Lost("a job goes on 90 s after one of its processes was killed")

    def seen(self, output):
        """What another process sees of the run: everything it counts must be there later."""
        done = subprocess.run(
            [self.program, "watch", output, "--once", "--interval", "0.05", "--format", "json"],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
        )
        return json.loads(done.stdout)["answered"] if done.returncode == 0 and done.stdout.startswith("{") else 0

    def wait_for_orphans(self, output):
        """Ranks whose launcher was killed end by themselves; nothing here helps them."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if subprocess.run(["pgrep", "-f", str(output)], capture_output=True).returncode != 0:
                return
            time.sleep(0.05)
        raise Lost("ranks live on 20 s after their launcher was killed")

    def check(self, output, seen):
        if Path(output).exists():
            with h5py.File(output) as file:
                file["point_id"][:]
        if Path(f"{output}.journal").exists() or Path(output).exists():
            self.checked += seen
            there = self.answered(output)
            if there < seen:
                raise Lost(f"{seen} answers were seen before the kill, {there} are there after it")
        elif seen:
            raise Lost("the journal is gone")

    def finished(self, output, ranks, first):
        """A run to the end that nobody disturbs; where a point crashes, it is gone on with as often as that takes."""
        for _ in range(6):
            done = self.run(output, ranks, *([] if first else ["--resume"]))
            if done.returncode == self.finished_with or self.finished_with != FAILED:
                break
            self.counts["the point itself"] += 1
            first = not Path(f"{output}.journal").exists()
        return done

    def choose(self, mode):
        """Writes the space of a mode; the words that every run of it has."""
        crashing = CRASHING in mode
        text = SPACE % {"points": self.points, "cost": self.cost}
        self.space.write_text(text + (TROUBLE % {"at": self.random.randrange(self.points) + 1} if crashing else ""))
        self.finished_with = FAILED if crashing else 0
        return [word for word in mode if word != CRASHING]

    def round(self, mode, kills_wanted):
        name = f"round{self.rounds}.h5"
        self.kept = self.choose(mode)
        wanted = self.digest_of(self.finished(self.folder / f"whole{self.rounds}.h5", 1, True))
        output = self.folder / name
        done, first = None, True
        while done is None:
            ranks = self.random.choice([1, 2, 3, 4])
            if self.kills >= kills_wanted:
                done = {"digest": self.digest_of(self.finished(output, ranks, first))}
            else:
                done = self.disturbed(output, ranks, first and not Path(f"{output}.journal").exists())
            self.restarts += 0 if first else 1
            first = first and not (Path(f"{output}.journal").exists() or output.exists())
        if done["digest"] != wanted:
            raise Lost(f"the digest differs after kills: {done['digest']} instead of {wanted}")
        self.rounds += 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", required=True, help="the pimdse_workbench of a build")
    arguments.add_argument("--kills", type=int, default=200)
    arguments.add_argument("--points", type=int, default=2000)
    arguments.add_argument("--cost", default="0.2 ms")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="pimdse_kills_") as folder:
        campaign = Campaign(os.path.abspath(options.program), folder, options.points, options.cost, options.seed)
        try:
            while campaign.kills < options.kills:
                campaign.round(MODES[campaign.rounds % len(MODES)], options.kills)
        except Lost as error:
            print(f"LOST after {campaign.kills} kills: {error}", file=sys.stderr)
            return 1
    print(
        json.dumps(
            {
                "kills": campaign.kills,
                "of": campaign.counts,
                "restarts": campaign.restarts,
                "rounds": campaign.rounds,
                "lost": 0,
                "unreadable": 0,
                "digests_that_differ": 0,
                "answers_seen_before_kills": campaign.checked,
                "launchers_that_stayed": campaign.stuck_launchers,
                "longest_end_after_a_kill_seconds": round(campaign.longest_end, 2),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
