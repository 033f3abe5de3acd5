"""A trivial task by mpi4py's MPIPoolExecutor: mpirun -n 4 python3 -m mpi4py.futures mpi4py_pool.py TASKS CHUNK

The first rank hands out, the others compute. Prints tasks per second as JSON."""
import json
import sys
import time

from mpi4py.futures import MPIPoolExecutor


def task(number):
    return (number, 1e-3 + number, 20.0 * number, 1.0)   # as many numbers as a point of the workbench answers


def main():
    tasks, chunk = int(sys.argv[1]), int(sys.argv[2])
    with MPIPoolExecutor() as pool:
        list(pool.map(task, range(64)))   # everybody is there
        begun = time.monotonic()
        answers = sum(1 for _ in pool.map(task, range(tasks), chunksize=chunk))
        seconds = time.monotonic() - begun
    print(
        json.dumps(
            {
                "tasks": answers,
                "chunk": chunk,
                "seconds": round(seconds, 3),
                "tasks_per_second": round(answers / seconds),
            }
        )
    )


if __name__ == "__main__":
    main()
