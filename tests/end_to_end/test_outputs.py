"""What happens at the edges of a run's files: two starts of one output, closed descriptors, links, odd names."""
import fcntl
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from conftest import one_of, refused, wait_for_answers
from small_bench import HEAD, SPACE, bench, journal, points_in


def in_shell(runner, line, **options):
    """The line, with $PIMDSE and $BENCH for the programs, as a user's shell runs it."""
    env = {**os.environ, "BENCH": os.environ["PIMDSE_WORKBENCH"]}
    return subprocess.run(
        ["sh", "-c", line],
        cwd=runner.folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        env=env,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("round", one_of(3, range(3)))
def test_of_two_starts_at_the_same_time_one_wins_and_its_file_stays(bench, round):
    spaces = [SPACE, SPACE.replace("2000", "1000")]
    for number, text in enumerate(spaces):
        (bench.folder / f"{number}.toml").write_text(text)
    jobs = [bench.start("explore", f"{number}.toml", "-o", "a.h5", "--progress", "none") for number in range(2)]
    outputs = [job.communicate(timeout=120) for job in jobs]
    codes = [job.returncode for job in jobs]
    assert sorted(codes) == [0, 2], outputs
    assert "a.h5" in outputs[codes.index(2)][1] and "--force" in outputs[codes.index(2)][1]
    assert points_in(bench, "a.h5") == [2000, 1000][codes.index(0)]
    assert sorted(path.name for path in bench.folder.iterdir()) == ["0.toml", "1.toml", "a.h5", "space.toml"]


def test_force_replaces_result_files_and_nothing_else(bench):
    (bench.folder / "notes.txt").write_text("of last week\n")
    refused(bench("explore", "space.toml", "-o", "notes.txt", "--force", "--progress", "none"), 2, "notes.txt")
    assert (bench.folder / "notes.txt").read_text() == "of last week\n"
    (bench.folder / "empty.h5").touch()
    bench.ok("explore", "space.toml", "-o", "empty.h5", "--force", "--progress", "none")
    bench.ok("explore", "space.toml", "-o", "empty.h5", "--force", "--progress", "none")


def test_a_start_that_was_overtaken_does_not_replace_the_other_file(bench):
    """It sees nothing under its name, waits for a moment, and then there is a result file."""
    bench.ok("explore", "space.toml", "-o", "theirs.h5", "--progress", "none")
    (bench.folder / "half.toml").write_text(SPACE.replace("2000", "1000"))
    with open(bench.folder / "a.h5.journal.tmp", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        late = bench.start("explore", "half.toml", "-o", "a.h5", "--progress", "none")
        time.sleep(1)
        assert late.poll() is None, "it should wait for whoever makes a journal of that name"
        (bench.folder / "theirs.h5").rename(bench.folder / "a.h5")
    errors = late.communicate(timeout=60)[1]
    assert late.returncode == 2 and "a.h5" in errors and errors.count("\n") == 1
    assert points_in(bench, "a.h5") == 2000 and not (bench.folder / "a.h5.journal").exists()


def test_a_run_that_lost_its_files_to_another_one_leaves_those_alone(bench):
    (bench.folder / "slow.toml").write_text(SPACE.replace("2000", "150") + 'cost = "5 ms"\n')
    lost = bench.start("explore", "slow.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    while not (bench.folder / "a.h5.journal").exists():
        assert lost.poll() is None
    (bench.folder / "a.h5.journal").unlink()
    (bench.folder / "slower.toml").write_text(SPACE.replace("2000", "300") + 'cost = "5 ms"\n')
    other = bench.start("explore", "slower.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    errors = lost.communicate(timeout=60)[1]
    assert lost.returncode == 7 and "a.h5.journal" in errors and errors.count("\n") == 1
    assert other.wait(60) == 0 and points_in(bench, "a.h5") == 300


@pytest.mark.parametrize("closed", one_of(3, ["0<&- 1>&- 2>&-", "0<&-", "1>&-", "2>&-"]))
def test_nothing_is_printed_into_a_journal_whatever_is_closed(bench, closed):
    (bench.folder / "slow.toml").write_text(SPACE.replace("2000", "30000"))
    stopped = in_shell(bench, f'"$BENCH" explore slow.toml -o a.h5 --time-limit "1 s" --progress plain {closed}')
    assert stopped.returncode in (0, 7, 75)
    again = bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none")
    assert again.returncode == 0 and "a.h5.journal" not in again.stderr, again.stderr
    assert points_in(bench, "a.h5") == 30000


@pytest.mark.parametrize(
    "verb",
    [
        "--version",
        "--help",
        "list architectures",
        "front small.h5",
        "explore space.toml -o other.h5 --force",
        "evaluate workbench",
    ],
)
@pytest.mark.parametrize("output", [">&-", ">/dev/full"])
def test_an_output_that_cannot_be_written_is_exit_code_7(bench, verb, output):
    bench.ok("explore", "space.toml", "-o", "small.h5", "--progress", "none")
    done = in_shell(bench, f'"$BENCH" {verb} {output}')
    assert done.returncode == 7 and "standard output" in done.stderr.splitlines()[-1], done.stderr


def test_a_symbolic_link_at_the_name_of_the_temporary_keeps_its_target(bench):
    (bench.folder / "precious").write_text("keep me")
    (bench.folder / "a.h5.tmp").symlink_to("precious")
    refused(bench("explore", "space.toml", "-o", "a.h5", "--progress", "none"), 7, "a.h5.tmp")
    assert (bench.folder / "precious").read_text() == "keep me"
    (bench.folder / "a.h5.tmp").unlink()
    bench.ok("explore", "space.toml", "-o", "a.h5", "--resume", "--progress", "none")


def test_an_output_that_is_a_symbolic_link_is_written_through(bench):
    (bench.folder / "scratch").mkdir()
    (bench.folder / "a.h5").symlink_to("scratch/real.h5")
    bench.ok("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    assert (bench.folder / "a.h5").is_symlink() and points_in(bench, "scratch/real.h5") == 2000
    (bench.folder / "half.toml").write_text(SPACE.replace("2000", "1000"))
    bench.ok("explore", "half.toml", "-o", "a.h5", "--force", "--progress", "none")
    assert (bench.folder / "a.h5").is_symlink() and points_in(bench, "scratch/real.h5") == 1000
    assert [path.name for path in (bench.folder / "scratch").iterdir()] == ["real.h5"]


def test_a_name_that_is_no_text_is_printed_with_a_placeholder(bench):
    name = b"a\xff.h5"
    done = subprocess.run(
        [bench.program, "explore", "space.toml", "-o", name, "--format", "json", "--progress", "none"],
        cwd=bench.folder,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"] == 2000
    looked = subprocess.run(
        [bench.program, "watch", name, "--once", "--format", "json"], cwd=bench.folder, capture_output=True, timeout=60
    )
    assert looked.returncode == 0 and json.loads(looked.stdout)["answered"] == 2000


NO_LOCKS = {
    "LD_PRELOAD": str(Path(os.environ["PIMDSE_WORKBENCH"]).parent / "libno_locks.so"),
    "ASAN_OPTIONS": "verify_asan_link_order=0",
}


def test_a_file_system_without_locks_is_named_and_what_to_do(bench):
    refused(bench("explore", "space.toml", "-o", "a.h5", "--progress", "none", env=NO_LOCKS), 7, "flock")


def test_watch_tells_running_died_and_unknown_apart_without_locks(bench):
    (bench.folder / "slow.toml").write_text(SPACE + 'cost = "20 ms"\n')
    job = bench.start("explore", "slow.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    path = bench.folder / "a.h5.journal"
    wait_for_answers(job, path)
    watch = lambda: bench("watch", "a.h5", "--once", "--interval", "0.5", "--format", "json", env=NO_LOCKS)
    running = watch()
    assert running.returncode == 0 and json.loads(running.stdout)["state"] == "running", running.stderr
    job.kill()
    job.communicate()
    died = watch()
    assert died.returncode == 75 and json.loads(died.stdout)["state"] == "died", "the process its head names is gone"
    path.write_bytes(journal({**HEAD, "run": {"planned": 10, "host": "another-host", "pid": 1}}))
    unknown = watch()
    assert unknown.returncode == 0 and json.loads(unknown.stdout)["state"] == "unknown"
    assert unknown.stderr.count("\n") == 1 and unknown.stderr.startswith("pimdse: ")


def test_a_run_in_parts_is_the_run_in_one_file(bench):
    bench.ok("explore", "space.toml", "-o", "whole.h5", "--progress", "none")
    bench.ok("explore", "space.toml", "-o", "a.h5", "--part-rows", 300, "--progress", "none")
    parts = sorted(path.name for path in (bench.folder / "a.h5.parts").iterdir())
    assert len(parts) == 7
    assert bench.json("diff", "whole.h5", "a.h5")["equal"]
    assert bench.ok("front", "a.h5") == bench.ok("front", "whole.h5")
    bench.ok("verify", "a.h5")
    bench.ok("verify", f"a.h5.parts/{parts[3]}")
    again = bench.json("explore", "space.toml", "-o", "a.h5", "--resume", "--part-rows", 300, "--progress", "none")
    assert (again["evaluated"], again["remembered"]) == (0, 2000)
    assert sorted(path.name for path in (bench.folder / "a.h5.parts").iterdir()) == parts, "equal parts, equal names"


def test_a_part_that_is_missing_is_named_and_parts_are_no_run(bench):
    bench.ok("explore", "space.toml", "-o", "a.h5", "--part-rows", 700, "--progress", "none")
    parts = sorted((bench.folder / "a.h5.parts").iterdir())
    refused(bench("merge", *parts, "-o", "m.h5"), 8, parts[0].name, "--partial")
    bench.ok("merge", "--partial", *parts, "-o", "m.h5")
    assert bench.json("diff", "a.h5", "m.h5")["equal"]
    parts[1].unlink()
    for verb in ("front", "verify"):
        refused(bench(verb, "a.h5"), 7, parts[1].name, "700")
    bench.ok("explore", "space.toml", "-o", "a.h5", "--force", "--progress", "none")
    assert not (bench.folder / "a.h5.parts").exists()


def access(path):
    status = path.stat()
    return oct(status.st_mode & 0o777), status.st_gid


def given_away(path, mode):
    """With these permissions and, if this user may, another group than that of new files."""
    others = [4321] if os.getuid() == 0 else [group for group in os.getgroups() if group != os.getgid()]
    if others:
        os.chown(path, -1, others[0])
    path.chmod(mode)
    return access(path)


@pytest.fixture
def open_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("mode", one_of(2, [0o600, 0o640, 0o660, 0o604, 0o444]))
def test_a_file_that_is_written_again_keeps_its_access(bench, open_umask, mode):
    file = bench.folder / "a.h5"
    quiet = ("--progress", "none")
    bench("explore", "space.toml", "-o", "a.h5", *quiet, "--budget", 500)
    before = given_away(file, mode)
    bench.ok("explore", "space.toml", "-o", "a.h5", *quiet, "--resume")
    assert points_in(bench, "a.h5") == 2000 and access(file) == before
    bench.ok("merge", "a.h5", "-o", "b.h5")
    merged = given_away(bench.folder / "b.h5", mode)
    bench.ok("merge", "a.h5", "-o", "b.h5", "--force")
    bench.ok("report", "a.h5", "-o", "a.html")
    page = given_away(bench.folder / "a.html", mode)
    bench.ok("report", "a.h5", "-o", "a.html", "--force")
    assert (access(bench.folder / "b.h5"), access(bench.folder / "a.html")) == (merged, page)
    bench.ok("explore", "space.toml", "-o", "a.h5", *quiet, "--force")
    written_anew = (oct(mode | 0o600), before[1])  # by way of the journal, which its owner writes
    assert access(file) == written_anew


@pytest.mark.parametrize("how", ["--resume", "--force"])
def test_nobody_else_reads_a_private_run_at_any_time(bench, open_umask, how):
    """Result file, journal, parts and temporary files, before and after the run is killed."""
    (bench.folder / "slow.toml").write_text(SPACE.replace("2000 }", "4000 }\ncost = \"0.2 ms\""))
    words = ("explore", "slow.toml", "-o", "a.h5", "--progress", "none", "--part-rows", 1500, "--checkpoint", "0.2 s")
    bench("explore", "slow.toml", "-o", "a.h5", "--progress", "none", "--budget", 3000)
    before = given_away(bench.folder / "a.h5", 0o600)
    seen = set()

    def look():
        for path in bench.folder.rglob("a.h5*"):
            look_at(path)
        for path in bench.folder.rglob("part-*"):
            look_at(path)

    def look_at(path):
        try:
            if path.is_file():
                seen.add((path.name.rpartition(".")[2], access(path)[0]))
        except FileNotFoundError:
            pass

    job = bench.start(*words, how)
    until = time.monotonic() + 60
    while job.poll() is None and not (bench.folder / "a.h5.parts").exists():
        assert time.monotonic() < until
        look()
    job.kill()
    job.communicate()
    look()
    job = bench.start(*words, "--resume")
    while job.poll() is None:
        look()
    out, err = job.communicate()
    assert job.returncode == 0, err
    look()
    assert {mode for _, mode in seen} == {"0o600"} and {"h5", "journal"} <= {kind for kind, _ in seen}, seen
    assert access(bench.folder / "a.h5") == before
    assert {access(path) for path in (bench.folder / "a.h5.parts").iterdir()} == {before}
