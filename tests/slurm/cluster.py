#!/usr/bin/python3
"""A real Slurm on one machine: munged, slurmctld and a slurmd per node, all below one folder and in the foreground.

Every daemon dies with the process that started it. Two nodes on one machine need host names and /dev/shm of their own
(ranks of two nodes would otherwise meet in one file of shared memory), so more than one node needs namespaces.
Run as a program it says in one sentence what the tests will find here.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from private_machine import ADDRESS, die_with_parent, flavour

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel", "sinfo")
CPUS = 8   # of all nodes: announced, whatever the machine has (config_overrides)

# cred_expire: a job that goes back to the queue waits for it (120 s unless set) before it may start again.
CONFIGURATION = """\
ClusterName=pimdse
SlurmctldHost={host}({address})
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
SlurmctldPort={port}
SrunPortRange=60001-63000
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1,defer_batch
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=5
CompleteWait=0
InactiveLimit=0
SlurmctldTimeout=30
SlurmdTimeout=30
MessageTimeout=20
"""
NODE = "NodeName={0} NodeHostname={0} NodeAddr={1} Port={2} CPUs={3} CoresPerSocket={3} RealMemory=1000 State=UNKNOWN\n"
PARTITIONS = """\
PartitionName=normal Nodes={0} Default=YES MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=30
PartitionName=abrupt Nodes={0} MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=0
PartitionName=urgent Nodes={0} MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF
"""


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def missing_programs():
    return [name for name in PROGRAMS if find(name) is None]


def free_port():
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return probe.getsockname()[1]


class Cluster:
    """start() gives running nodes; stop() ends every daemon. `environment` is what Slurm's commands and mpirun need."""

    def __init__(self, folder, nodes):
        self.folder = Path(folder)
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.daemons = []
        self.slurmd = {}
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "OMPI_MCA_btl_tcp_if_include": "lo",
            "OMPI_MCA_oob_tcp_if_include": "lo",
        }

    def start(self):
        for name in ("munge", "state", *(f"spool.{node}" for node in self.nodes)):
            (self.folder / name).mkdir(mode=0o755)
        (self.folder / "slurm.conf").write_text(self.configuration())
        (self.folder / "mpi.conf").write_text("PMIxCliTmpDirBase=/dev/shm\n")   # private to each node
        self.start_munge()
        self.daemon("slurmctld", "-D", "-i")
        for node in self.nodes:
            self.start_node(node)
        self.wait_until(lambda: self.idle_nodes() == set(self.nodes), 60, "all nodes are idle")

    def start_node(self, node):
        self.slurmd[node] = self.daemon("slurmd", "-D", "-N", node, prefix=self.becoming(node))

    def signal_node(self, node, number):
        """To everything that runs on a node with a name of its own, its daemon first."""
        daemon = self.slurmd[node].pid
        name_space = os.readlink(f"/proc/{daemon}/ns/uts")
        os.kill(daemon, number)
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if pid != daemon and os.readlink(f"/proc/{pid}/ns/uts") == name_space:
                    os.kill(pid, number)
            except OSError:
                continue   # it has ended

    def lose(self, node):
        """As if its power were cut."""
        self.signal_node(node, signal.SIGKILL)
        self.slurmd[node].wait()

    def stop(self):
        self.command("scancel", "--user", str(os.getuid()))
        for daemon in reversed(self.daemons):
            daemon.kill()
            daemon.wait()

    def configuration(self):
        user = pwd.getpwuid(os.getuid()).pw_name
        text = CONFIGURATION.format(
            host=socket.gethostname(), address=ADDRESS, user=user, folder=self.folder, port=free_port()
        )
        for node in self.nodes:
            text += NODE.format(node, ADDRESS, free_port(), CPUS // len(self.nodes))
        return text + PARTITIONS.format(",".join(self.nodes))

    def becoming(self, node):
        """What a node's daemon is started by: nothing on the plain machine."""
        if len(self.nodes) == 1:
            return []
        return ["unshare", "--uts", "--mount", sys.executable, "-B", str(Path(__file__).with_name("node.py")), node]

    def start_munge(self):
        folder = self.folder / "munge"
        (folder / "key").touch(mode=0o600)
        (folder / "key").write_bytes(os.urandom(128))
        self.daemon("munged", "--foreground", "--force", f"--key-file={folder}/key", f"--socket={folder}/socket",
                    f"--pid-file={folder}/pid", f"--log-file={folder}/log", f"--seed-file={folder}/seed")
        self.wait_until((folder / "socket").exists, 20, "munge listens")

    def daemon(self, program, *words, prefix=()):
        with open(self.folder / f"{program}.{len(self.daemons)}.log", "w", encoding="utf-8") as log:
            self.daemons.append(
                subprocess.Popen(
                    [*prefix, find(program), *words],
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    preexec_fn=die_with_parent,
                )
            )
        return self.daemons[-1]

    def command(self, program, *words, folder=None, environment=None):
        return subprocess.run(
            [find(program), *map(str, words)],
            cwd=folder,
            env={**self.environment, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )

    def idle_nodes(self):
        return set(self.command("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").stdout.split())

    def wait_until(self, condition, seconds, what):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        return "".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}\n"
            for path in sorted(self.folder.glob("*.log"))
        )


def describe():
    if missing_programs():
        return (
            f"skipped, because Slurm is not installed ({', '.join(missing_programs())}; as root: jobs/setup.sh slurm)"
        )
    if flavour() is None:
        return "one node only, because namespaces are refused on this machine; what needs two nodes is skipped"
    return "a Slurm of two nodes is started inside the test"


if __name__ == "__main__":
    print(describe())
