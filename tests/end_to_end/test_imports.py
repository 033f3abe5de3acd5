"""Timing sets and machines that are made of other programs' configurations."""
import tomllib

import pytest
from conftest import refused

DDR4 = """; shortened
[dram_structure]
protocol = DDR4
bankgroups = 4
banks_per_group = 4
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 0.83
AL = 0
CL = 17
CWL = 12
tRCD = 17
tRP = 17
tRAS = 39
tRFC = 421
tREFI = 9364
tRRD_S = 4
tRRD_L = 6
tWTR_S = 3
tWTR_L = 9
tFAW = 26
tWR = 18
tRTP = 9
tCCD_S = 4
tCCD_L = 6
tXP = 8
[power]
VDD = 1.2
IDD0 = 48
IDD2N = 34
IDD3N = 43
IDD4R = 135
IDD4W = 123
IDD5AB = 250
[system]
channel_size = 16384
channels = 2
bus_width = 64
"""
RAMULATOR = """MemorySystem:
  impl: GenericDRAM    # a comment
  DRAM:
    impl: DDR4
    org:
      preset: DDR4_8Gb_x8
      channel: 1
      rank: 2
    timing: {preset: DDR4_2400R, nCL: 17}
"""
GRAPHICS = DDR4.split("[timing]")[0].replace("= DDR4", "= GDDR5").replace("rows = 65536", "rows = 16384").replace(
    "columns = 1024", "columns = 128").replace("device_width = 8", "device_width = 32") + """[timing]
tCK = 0.5
CL = 24
CWL = 7
tRCDRD = 24
tRCDWR = 20
tRP = 24
tRAS = 56
tRFC = 74
tRFCb = 30
tREFI = 3800
tRRD_S = 10
tRRD_L = 10
tWTR_S = 10
tWTR_L = 10
tFAW = 40
tWR = 24
tCCD_S = 1
tCCD_L = 3
tRTP_L = 2
[system]
channel_size = 4096
channels = 1
bus_width = 128
"""
STACKED = GRAPHICS.replace("= GDDR5", "= HBM").replace("columns = 128", "columns = 64").replace(
    "device_width = 32", "device_width = 128").replace("BL = 8", "BL = 4").replace("channel_size = 4096",
                                                                                   "channel_size = 512")
SYSTEM = """data_dir: data/my_board
gpu:
  mem_bw: 4800000000000 # B/s
  mem_bw_empirical_scaling_factor: 0.8
  mem_capacity: 151397597184
  bfloat16_tc_flops: 989000000000000
  fp8_tc_flops: 1_979_000_000_000_000
  power: 700
  sm_version: 90
node:
  num_gpus_per_node: 8
  intra_node_bw: 450000000000
"""
CLUSTER = ('{"num_nodes": 1, "link_bw": 16, "nodes": [{"instances": [{"model_name": "m", "hardware": "RTX4090", '
           '"npu_mem": {"mem_size": 24, "mem_bw": 936, "mem_latency": 0}}]}]}')


def imported(pimdse, name, text):
    (pimdse.folder / name).write_text(text)
    pimdse.ok("dram", "import", name)
    written = (pimdse.folder / name).with_suffix(".toml").read_text()
    pimdse.ok("dram", "replay", "--dram", f"./{name.rsplit('.', 1)[0]}.toml", "--stream", "seq:65536")
    return tomllib.loads(written), written


def test_a_configuration_of_DRAMsim3_is_a_timing_set(pimdse):
    found, text = imported(pimdse, "ddr4.ini", DDR4)
    assert found["organisation"] == {"channels": 2, "ranks": 2, "bank_groups": 4, "banks": 4, "row_bytes": 8192,
                                     "burst_bytes": 64, "channel_bits": 64}
    timing = found["timing"]
    assert (timing["nCL"], timing["nRC"], timing["nBL"], timing["nWTRL"]) == (17, 56, 4, 9)
    assert found["densities"] == [{"gbit": 8, "rows": 65536, "nRFC": 421}]
    picojoules = 1.2 * 0.83 * 8 * (48 * 56 - 43 * 39 - 34 * 17)
    assert float(found["energy"]["activate"].split()[0]) == pytest.approx(picojoules, rel=1e-5)
    head = text.split("\nname")[0]
    assert "nCS = 3" in head and "timing.tXP" in head, "what is missing, in ns, and what is not used"


def test_a_configuration_of_Ramulator_is_a_timing_set(pimdse):
    found, text = imported(pimdse, "r.yaml", RAMULATOR)
    assert found["timing"]["nCL"] == 17 and found["timing"]["nRCD"] == 16 and found["organisation"]["ranks"] == 2
    assert found["density"] == 8 and "MemorySystem.impl" in text


@pytest.mark.parametrize("text, family, organisation, rate, gbit, bursts", [
    (GRAPHICS, "GDDR6", {"row_bytes": 128 * 8 * 16, "burst_bytes": 128, "channel_bits": 128, "ranks": 1}, 8000, 8, 2),
    (GRAPHICS.replace("GDDR5", "GDDR5X").replace("BL = 8", "BL = 16"), "GDDR6", {"burst_bytes": 256}, 16000, 16, 2),
    (GRAPHICS.replace("GDDR5", "GDDR6").replace("BL = 8", "BL = 16"), "GDDR6", {"burst_bytes": 256}, 32000, 16, 1),
    (STACKED, "HBM2", {"row_bytes": 64 * 2 * 16, "burst_bytes": 64, "channel_bits": 128, "ranks": 1}, 4000, 4, 2)])
def test_columns_and_bursts_are_counted_as_the_standard_does(pimdse, text, family, organisation, rate, gbit, bursts):
    found, text = imported(pimdse, "a.ini", text)
    assert found["family"] == family and found["clock"]["data_rate"] == rate and found["densities"][0]["gbit"] == gbit
    assert found["organisation"] | organisation == found["organisation"]
    assert found["timing"]["nBL"] == bursts and found["timing"]["nCCDS"] == max(bursts, 1)
    assert (found["timing"]["nRCDRD"], found["timing"]["nRCDWR"], found["timing"]["nCL"]) == (24, 20, 24)
    assert ("tRFCb" in text.split("\nname")[0]) == (family == "GDDR6"), "a refresh of one bank is not used there"


@pytest.mark.parametrize("standard, preset, figures", [
    ("GDDR6", "GDDR6_2000_1350mV_double", {"nBL": 8, "nCL": 24, "nRCDRD": 26, "nRCDWR": 16, "nFAW": 28}),
    ("HBM3", "HBM3_2Gbps", {"nCL": 7, "nRTP": 3, "nRAS": 17, "nCCDL": 2})])
def test_presets_of_Ramulator_have_their_numbers(pimdse, standard, preset, figures):
    text = (f"DRAM:\n  impl: {standard}\n  org: {{preset: {standard}_8Gb_x16}}\n"
            f"  timing: {{preset: {preset}, nWR: 30}}\n")
    found, _ = imported(pimdse, "r.yaml", text)
    assert found["timing"] | figures == found["timing"] and found["timing"]["nWR"] == 30 and found["density"] == 8
    assert float(found["clock"]["tCK"].split()[0]) == {"GDDR6": 0.57, "HBM3": 1}[standard]


@pytest.mark.parametrize("name, text, facts", [
    ("a.ini", DDR4.replace("DDR4", "DDR3"), ["a.ini", "DDR3"]),
    ("a.ini", DDR4.replace("tRAS = 39", "tRAS = long"), ["a.ini:17", "timing.tRAS", "'long'"]),
    ("a.ini", DDR4.replace("tRAS = 39\n", ""), ["a.ini", "timing.tRAS"]),
    # DRAMsim3 reads 3, 3, 3, 39 and 39 (findings/inih_integers.sh)
    *(("a.ini", DDR4.replace("tRAS = 39", f"tRAS = {text}"), ["a.ini:17", "timing.tRAS", f"'{text}'"])
      for text in ("039", "3.9e1", "3_9", "39.5", "0x27")),
    ("a.ini", DDR4.replace("tRAS = 39", "tRAS = 39\ntRAS = 50"), ["a.ini:18", "timing.tRAS", "17"]),
    ("a.yaml", RAMULATOR.replace("nCL: 17", "nCL: 017"), ["a.yaml:9", "nCL", "'017'"]),
    ("a.yaml", RAMULATOR.replace("rank: 2", "rank: 2\n      rank: 4"), ["a.yaml:9", "rank", "8"]),
    ("a.yaml", RAMULATOR.replace("DDR4_2400R, nCL: 17", "DDR4_9999Z"), ["a.yaml", "DDR4_9999Z"]),
    ("a.yaml", "gpu:\n  x: 1\n", ["a.yaml", "dram_structure", "DRAM"]),
])
def test_what_is_no_timing_set_is_refused(pimdse, name, text, facts):
    (pimdse.folder / name).write_text(text)
    refused(pimdse("dram", "import", name), 3, *facts)
    refused(pimdse("dram", "import", "none.ini"), 4, "none.ini")


@pytest.mark.parametrize("text, base, figures", [
    (SYSTEM, "h100", {"bandwidth": 4800, "bandwidth_share": 0.8, "memory": 141, "fp16_peak": 989, "fp8_peak": 1979,
                      "max_power": 700, "nvlink": 450, "nvlink_devices": 8}),
    (CLUSTER, "rtx_4090", {"bandwidth": 936, "memory": 24}),
])
def test_a_machine_is_made_of_another_program_s(pimdse, text, base, figures):
    (pimdse.folder / "system").write_text(text)
    pimdse.ok("new-machine", "mine", "--from", "system")
    written = (pimdse.folder / "mine.toml").read_text()
    found = tomllib.loads(written)
    assert found["base"] == base
    assert {name: one["value"] for name, one in found["constant"].items()} == pytest.approx(figures)
    pimdse.ok("evaluate", "./mine.toml", "--set", "llm=opt-125m")
    assert "fp16_share" in written.split("schema")[0], "what the file does not say"


def test_what_is_no_machine_is_refused(pimdse):
    (pimdse.folder / "system").write_text("a: 1\n")
    refused(pimdse("new-machine", "mine", "--from", "system"), 3, "system", "gpu.mem_bw")
    assert not (pimdse.folder / "mine.toml").exists()
