"""The small space of two machines and two requests that several tests explore; its text begins with schema 2, where
an array table may follow."""
REQUESTS = """
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
UMDAM = "channels = [2, 4]\nranks = [1, 2]\n"
MESH = "mesh_rows = [16, 32, 64]\n"
HEAD = 'schema = 2\nobjectives = ["latency", "energy"]\n'
MACHINES = f"""[[machine]]
architecture = "umdam"
[machine.parameters]
{UMDAM}[[machine]]
name = "mesh"
architecture = "cim_mesh"
[machine.parameters]
{MESH}"""
JOINT = HEAD + MACHINES + REQUESTS
