"""Space files of the tests."""
ORDINARY = """schema = 2
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = [64, 128, 256, 512, 1024, 2048]
prefetch = [1, 2, 4, 8]
channels = [8, 16, 32]
hbm_bus = ["compat", "corrected"]
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
HOSTILE = """schema = 2
objectives = ["latency", "energy"]
title = "</script><script>document.title='taken'</script>"
[[machine]]
name = "umdam"
architecture = "umdam"
[machine.parameters]
channels = [2, 4]
ranks = [1, 2]
[[machine]]
name = "mesh"
architecture = "cim_mesh"
[machine.parameters]
mesh_rows = [16, 32, 64]
[[scenario]]
name = "chat"
llm = "llama-3.2-1b"
input = 64
output = 8
[[scenario]]
name = "long"
llm = "llama-3.2-1b"
input = 256
output = 4
"""
