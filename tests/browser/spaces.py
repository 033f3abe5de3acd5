"""Space files of the tests."""
from joint_space import JOINT

ORDINARY = """schema = 2
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = [64, 128, 256, 512, 1024, 2048]
prefetch = [1, 2, 4, 8]
channels = [8, 16, 32]
hbm_bus = ["compat", "corrected"]
"""
# Metrics with more than 256 distinct values.
RATES = """schema = 2
architecture = "cim_mesh"
objectives = ["latency", "energy"]
[parameters]
mesh_rows = [16, 24, 32, 48]
link_bits = [32, 64, 128]
frequency = { from = "500 MHz", to = "2 GHz", step = "100 MHz" }
dmacs = { from = 2, to = 60, step = 2 }
[search]
strategy = "random"
budget = 400
"""
# A sample of designs, and a condition that is met.
MANY = f"""{ORDINARY}input = {{ from = 64, to = 320, step = 64 }}
[[constraint]]
name = "small"
expr = "area <= 1000 mm2"
[search]
strategy = "random"
budget = 500
"""
ONE = """schema = 2
architecture = "dplena"
objectives = ["latency", "area"]
[parameters]
vlen = [64]
"""
INFEASIBLE = """schema = 2
architecture = "dplena"
objectives = ["latency", "area"]
[parameters]
vlen = [64, 128]
[[constraint]]
name = "<script>alert('no')</script>"
expr = "latency <= 1 ns"
"""
HOSTILE = JOINT.replace("[[machine]]", "title = \"</script><script>document.title='taken'</script>\"\n[[machine]]", 1)
# Parameters that vary, and some of one value, of two machines; a title and a question.
MACHINES = """schema = 2
title = "Which machine, 'mesh' or \\"umdam\\"?"  # asked at the desk
question = 'how soon'
objectives = ["latency", "energy"]
[[machine]]
architecture = "umdam"
[machine.parameters]
channels = [2, 4]
ranks = [1, 2]
input = [64]
[[machine]]
name = "mesh"
architecture = "cim_mesh"
[machine.parameters]
link_bits = [64]
mesh_rows = [16, 32, 64]
"""
# One board or several, in stages or not.
GROUPS = """schema = 2
architecture = "gpu"
objectives = ["latency", "energy", "silicon"]
[parameters]
llm = "llama-3.1-70b"
device = "h100"
weights = "int8"
batch = 4
devices = [1, 4, 16]
pipeline_parallel = [1, 4]
micro_batches = [1, 2]
stage_link = "eth400"
"""
# Boards that serve traffic.
SERVICES = """schema = 2
architecture = "gpu"
objectives = ["max_rate", "energy_per_good_token", "silicon"]
[parameters]
device = ["a100", "h100", "rtx_4090"]
weights = ["fp16", "int8"]
"scheduler.policy" = ["fcfs", "shortest_prompt"]
[[scenario]]
name = "service"
llm = "llama-3.2-1b"
[scenario.traffic]
trace = "azure_2023_conv.csv"
requests = 80
[scenario.slo]
ttft = "300 ms"
tpot = "20 ms"
share = 0.95
"""
# Boards alone, and one board for prompts beside others that decode.
PAIRS = """schema = 2
objectives = ["goodput", "energy_per_good_token", "silicon"]
[[machine]]
architecture = "gpu"
[machine.parameters]
device = ["h100", "rtx_4090"]
devices = [1, 2]
data_parallel = [1, 2]
[[machine]]
kind = "pair"
name = "pair"
prefill = "gpu"
decode = "gpu"
[machine.parameters]
prefill.device = "h100"
decode.device = "rtx_4090"
decode_machines = [1, 2]
[[scenario]]
name = "service"
llm = "llama-3.2-1b"
[scenario.traffic]
trace = "azure_2023_conv.csv"
requests = 60
[scenario.slo]
ttft = "300 ms"
tpot = "20 ms"
"""
# Two machines, each of which has the lowest energy in some draws of three constants.
UNCERTAIN = f"""{JOINT}[uncertain]
samples = 8
"technology.mac_fp16" = "stated"
"technology.sram_leakage" = "stated"
"cim_mesh.value_bits" = "stated"
"""
