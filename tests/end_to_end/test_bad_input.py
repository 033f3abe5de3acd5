"""Bad input leaves files as they are (its messages are in message_cases_of_*.py); exit codes of other input."""
import pytest
from conftest import refused

def test_existing_output_is_kept(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    before = (pimdse.folder / "out.h5").read_bytes()
    refused(pimdse("explore", small_space, "-o", "out.h5"), 2, "out.h5", "--resume", "--force")
    assert (pimdse.folder / "out.h5").read_bytes() == before
    pimdse.ok("explore", small_space, "-o", "out.h5", "--force", "--budget", 5)


def test_resume_refuses_the_file_of_another_space(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    before = (pimdse.folder / "out.h5").read_bytes()
    refused(pimdse("explore", small_space, "-o", "out.h5", "--resume", "--set", "lora_rank=8"), 3, "out.h5")
    assert (pimdse.folder / "out.h5").read_bytes() == before


def test_zero_feasible_points_is_exit_6(pimdse, small_space):
    small_space.write_text(small_space.read_text().replace("latency <= 10 s", "latency <= 1 ns"))
    done = pimdse("explore", small_space, "-o", "out.h5")
    assert done.returncode == 6
    (failure,) = pimdse.json("failures", "out.h5")["failures"]
    assert (failure["rule"], failure["points"]) == ("short", 336)   # the rows and their reasons are an answer


def test_limits_are_part_of_what_describe_prints(pimdse):
    limits = {p["name"]: p.get("limits") for p in pimdse.json("describe", "umdam")["parameters"]}
    assert limits["npu_buffer"] == [65536, 4294967296] and limits["llm"] is None
    assert limits["pim_mac_interval"] == pytest.approx([1, 8])
