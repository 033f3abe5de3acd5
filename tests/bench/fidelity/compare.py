"""CPU time of closed forms in two builds of bench_fidelity, machine by machine, in turns.

    python3 compare.py OLD NEW [--designs 300] [--rounds 5] MACHINE or SPACE.toml ...

Both evaluate the same random designs. A row has what a design takes in each, in the median and on average, the least of
all rounds, and the ratios; at the end is the median of the ratios of medians of each machine."""
import argparse
import json
import statistics
import subprocess

FEWEST = 6  # designs of a row


def seconds(program, asked, designs):
    """{(machine, space): (median, mean)} of a design."""
    words = ["--space", asked] if asked.endswith(".toml") else [asked]
    done = subprocess.run([program, "--analytic", "--format", "json", "--designs", str(designs), *words], check=True,
                          capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {(row["machine"], row["space"]): (row["cpu"]["median"], row["cpu"]["mean"])
            for row in rows if row["cpu"]["count"] >= FEWEST}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("old")
    arguments.add_argument("new")
    arguments.add_argument("asked", nargs="+", metavar="MACHINE or SPACE.toml")
    arguments.add_argument("--designs", type=int, default=300)
    arguments.add_argument("--rounds", type=int, default=5)
    chosen = arguments.parse_args()
    ratios = {}
    for asked in chosen.asked:
        rounds = [[seconds(program, asked, chosen.designs) for program in (chosen.old, chosen.new)]
                  for _ in range(chosen.rounds)]
        for row in sorted(rounds[0][0]):
            cells = []
            for figure in range(2):
                old, new = (min(one[side][row][figure] for one in rounds) for side in range(2))
                cells.append(f"{1e6 * old:9.1f} us {1e6 * new:9.1f} us {new / old:5.2f} x")
                if figure == 0:
                    ratios.setdefault(row[0], []).append(new / old)
            print(f"{row[0]:<12} {row[1]:<26} median {cells[0]}   mean {cells[1]}", flush=True)
    for machine, seen in sorted(ratios.items()):
        print(f"{machine:<12} {statistics.median(seen):5.2f} x, the median of {len(seen)} rows")


if __name__ == "__main__":
    main()
