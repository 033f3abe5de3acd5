"""The processes of a running job, from /proc."""
from pathlib import Path


def processes(job):
    """(launcher, coordinator, workers) of a running job."""
    if Path(f"/proc/{job.pid}/comm").read_text().strip() != "mpirun":
        return None, job.pid, []
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    ranks = {}
    for child in map(int, children):
        variables = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        number = next((v.split(b"=")[1] for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")), None)
        if number is not None:
            ranks[int(number)] = child
    return job.pid, ranks.get(0), [pid for rank, pid in ranks.items() if rank > 0]


def is_alone(job):
    """The launcher lives, and its ranks do not."""
    if Path(f"/proc/{job.pid}/comm").read_text().strip() != "mpirun":
        return False
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    states = [Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] for child in children]
    return all(state == "Z" for state in states)
