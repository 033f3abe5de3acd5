"""Models named by the config.json of a model hub."""
import json
import math
import struct

import h5py
import pytest
from conftest import refused

LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
         "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "rope_theta": 500000.0,
         "rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "tie_word_embeddings": False,
         "torch_dtype": "bfloat16", "attention_bias": False, "bos_token_id": 128000, "eos_token_id": [128001, 128009],
         "pretraining_tp": 1, "initializer_range": 0.02, "use_cache": True, "transformers_version": "4.43.0"}
EXPERTS = {"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
           "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
           "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "max_position_embeddings": 40960,
           "tie_word_embeddings": False, "router_aux_loss_coef": 0.001, "norm_topk_prob": True}
SPACE = """schema = 2
architecture = "gpu"
objectives = ["latency", "energy"]
[parameters]
llm = ["./config.json", "llama-3.1-8b"]
input = [128, 4096]
"""


@pytest.fixture
def config(pimdse):
    def write(fields, name="config.json"):
        (pimdse.folder / name).write_text(fields if isinstance(fields, str) else json.dumps(fields, indent=1))
        return "./" + name

    return write


def metrics(pimdse, architecture, model, *more):
    text = json.loads(pimdse.ok("evaluate", architecture, "--model", model, "--format", "json", *more))
    return {name: metric["value"] for name, metric in text["metrics"].items()}


@pytest.mark.parametrize("architecture, more", [
    ("gpu", ()), ("dplena", ("--set", "scope=end_to_end", "--set", "generation=autoregressive")), ("cim_mesh", ()),
    ("umdam", ("--set", "ignore_capacity=true")),
    ("upmem", ("--set", "scope=end_to_end", "--set", "dpus=2048", "--set", "ranks=32"))])
def test_a_config_is_the_model_that_is_shipped(pimdse, config, architecture, more):
    own = metrics(pimdse, architecture, config(LLAMA), *more)
    assert own == metrics(pimdse, architecture, "llama-3.1-8b", *more)
    assert len(own) > 3


def test_experts_are_read_from_it(pimdse, config):
    assert metrics(pimdse, "gpu", config(EXPERTS)) == metrics(pimdse, "gpu", "qwen3-30b-a3b")


def test_a_space_names_it_and_its_file_is_in_the_result(pimdse, config):
    config(LLAMA)
    (pimdse.folder / "space.toml").write_text(SPACE)
    pimdse.ok("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "a.h5") as file:
        latency = file["metrics/latency"][()].tolist()
    assert latency[0] == latency[2] and latency[1] == latency[3]
    pimdse.ok("verify", "a.h5")
    config(LLAMA | {"num_hidden_layers": 16})
    assert pimdse("explore", "space.toml", "-o", "a.h5", "--resume", "--progress", "none").returncode != 0


def test_a_model_is_described_with_its_layers(pimdse, config):
    of_file = json.loads(pimdse.ok("describe", "model", config(LLAMA), "--format", "json"))
    assert of_file["parameters"] == 8_030_261_248
    assert of_file["multiplications_per_token"] == 32 * 218_103_808 + 4096 * 128256
    assert of_file["multiplications_per_key"] == 32 * 2 * 4096
    deepseek = json.loads(pimdse.ok("describe", "model", "deepseek-v3", "--format", "json"))
    assert deepseek["cached_elements_per_token"] == 61 * 576
    assert deepseek["multiplications_per_key"] == 61 * 128 * (2 * 512 + 64)
    assert [kind["layers"] for kind in deepseek["layer_kinds"]] == [3, 58]
    for name in ("gemma-3-27b", "llama-4-scout", "gpt-oss-20b"):
        assert len(json.loads(pimdse.ok("describe", "model", name, "--format", "json"))["layer_kinds"]) == 2
        assert "of 8192" in pimdse.ok("describe", "model", "llama-4-scout")


def test_its_format_of_weights_is_described_and_that_of_machines_that_follow_files(pimdse, config):
    quantized = config(LLAMA | {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}})
    described = json.loads(pimdse.ok("describe", "model", quantized, "--format", "json"))
    matrices = 32 * 218_103_808
    assert described["weight_bytes"] == matrices * (4 + 20 / 128) / 8 + 2 * (described["parameters"] - matrices)
    assert described["weight_format"]["bits_per_weight"] == 4 + 20 / 128
    assert "awq, 4.156 bits with scales" in pimdse.ok("describe", "model", quantized)
    assert json.loads(pimdse.ok("describe", "model", "llama-3.1-8b", "--format", "json"))["weight_format"] is None
    assert metrics(pimdse, "gpu", quantized, "--set", "weights=fp16") == metrics(pimdse, "gpu", "llama-3.1-8b")
    assert metrics(pimdse, "gpu", quantized)["itl"] < 0.5 * metrics(pimdse, "gpu", "llama-3.1-8b")["itl"]
    for machine, has in (("gpu", "so does this machine"), ("umdam", "this machine stores and multiplies int4 x fp16"),
                         ("cim_mesh", "this machine stores and multiplies int8 x int8")):
        text = " ".join(pimdse("evaluate", machine, "--model", quantized).stdout.split())
        assert f"stores weights as awq, 4.156 bits with scales; {has}" in text
    assert "stores weights" not in pimdse.ok("evaluate", "gpu", "--model", config(LLAMA))


def test_shipped_models_are_stored_as_they_are_published(pimdse, config):
    experts = 36 * 128 * 3 * 2880 * 2880
    board = ("--set", "device=h100", "--set", "input=128")
    assert metrics(pimdse, "gpu", "gpt-oss-120b", *board)["footprint"] < 80 * 2**30
    assert pimdse("evaluate", "gpu", "--model", "gpt-oss-120b", *board, "--set", "weights=fp16").returncode == 6
    text = " ".join(pimdse.ok("evaluate", "gpu", "--model", "gpt-oss-120b", *board).split())
    assert "gpt-oss-120b stores weights as mxfp4, 4.25 bits with scales; so does this machine" in text
    described = json.loads(pimdse.ok("describe", "model", "gpt-oss-120b", "--format", "json"))
    plain = described["parameters"] - experts
    assert described["weight_bytes"] == experts * 4.25 / 8 + 2 * plain
    traffic = "t=llm=gpt-oss-120b,traffic.rate=1 1/s,traffic.requests=9,traffic.input=128,traffic.output=9"
    assert "gpt-oss-120b stores" in pimdse.ok("evaluate", "gpu", "--set", "device=h100", "--scenario", traffic)


def test_the_model_of_every_scenario_is_told_of_once(pimdse, config):
    four = config(LLAMA | {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}})
    scenarios = [word for i, model in enumerate((four, "gpt-oss-20b", four))
                 for word in ("--scenario", f"s{i}=llm={model},input=64,output=4")]
    text = " ".join(pimdse.ok("evaluate", "gpu", "--set", "device=h100", *scenarios).split())
    assert text.count(f"{four} stores weights as awq") == text.count("gpt-oss-20b stores weights as mxfp4") == 1


def test_both_halves_of_a_pair_say_whether_they_follow_the_file(pimdse, config):
    file = config(LLAMA | {"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8",
                                                   "kv_cache_quant_algo": "FP8"}})
    traffic = f"a=llm={file},traffic.rate=1 1/s,traffic.requests=4,traffic.input=64,traffic.output=4"
    told = pimdse.ok("evaluate", "pair:gpu:gpu", "--set", "prefill.device=h100", "--set", "decode.device=h100", "--set",
                     "decode.weights=fp16", "--set", "decode.kv_cache=fp16", "--scenario", traffic)
    text = " ".join(told.split())
    for does in ("; the prefill machine follows the file (prefill.weights = model)",
                 "; the decode machine has decode.weights = fp16, which --set changes",
                 "has keys and values of 8 bits; so does the prefill machine",
                 "; the decode machine has decode.kv_cache = fp16, which --set changes"):
        assert does in text, told
    assert "of its own" not in text


def test_units_in_banks_store_what_they_multiply(pimdse, config):
    """Nothing expands what a row holds."""
    def eight(**activations):
        return {"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "targets": ["Linear"], "weights": {"num_bits": 8, "type": "int", "strategy": "channel"}, **activations}}}
    quantized = {"input_activations": {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True}}
    four = {"quant_method": "awq", "bits": 4, "group_size": 128}
    plain = config(LLAMA, "plain.json")
    for machine, size, section, same in (("lpddr5x_pim", "channels=32", eight(**quantized), "int8"),
                                         ("lpddr5x_pim", "channels=32", eight(), "fp16"),
                                         ("lpddr5x_pim", "channels=32", four, "fp16"),
                                         ("hbm_pim", "stacks=16", four, "fp16")):
        file = config(LLAMA | {"quantization_config": section})
        asked = ("--set", "input=64", "--set", size)
        own = metrics(pimdse, machine, file, *asked)
        assert own == metrics(pimdse, machine, plain, *asked, "--set", f"weights={same}")
        text = " ".join(pimdse.ok("evaluate", machine, "--model", file, *asked).split())
        assert f"this machine stores and multiplies {same} x " in text and "(--set weights=... changes it)" in text


@pytest.mark.parametrize("section, bits", [
    ({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
        "targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
      "kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}}, 8),
    ({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}, 8),
    ({"quant_method": "modelopt", "kv_cache_scheme": {"dynamic": False, "num_bits": 8, "type": "float"}}, 8),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_quant_algo": "NVFP4"}, 4.5)])
def test_keys_are_as_wide_as_the_file_says(pimdse, config, section, bits):
    file = config(LLAMA | {"quantization_config": section})
    assert json.loads(pimdse.ok("describe", "model", file, "--format", "json"))["cache_bits"] == bits
    asked = ("--set", "weights=fp16", "--set", "input=4096")
    own, same = (metrics(pimdse, "gpu", file, *asked, *more) for more in ((), ("--set", "kv_cache=8bit")))
    plain = metrics(pimdse, "gpu", file, *asked, "--set", "kv_cache=fp16")
    assert own == (same if bits == 8 else plain) and same["footprint"] < plain["footprint"]
    for machine, has in (("gpu", "so does this machine" if bits == 8 else "this machine has fp16"),
                         ("umdam", "this machine has a format of its own")):
        text = " ".join(pimdse("evaluate", machine, "--model", file).stdout.split())
        assert f"has keys and values of {bits} bits; {has}" in text
    refused(pimdse("describe", "model", config(LLAMA | {"quantization_config": section | {
        "quant_method": "modelopt", "kv_cache_scheme": None, "kv_cache_quant_algo": "FP3"}})), 3, "kv_cache_quant_algo")


@pytest.mark.parametrize("change, named", [
    ({"num_attention_heads": 33}, "num_attention_heads"), ({"num_hidden_layers": -1}, "num_hidden_layers"),
    ({"sliding_window": -4096, "model_type": "mistral"}, "sliding_window"),
    ({"model_type": "mixtral", "num_local_experts": 10**18, "num_experts_per_tok": 2}, "num_local_experts"),
    ({"model_type": "rwkv"}, "model_type"), ({"hidden_size": "many"}, "hidden_size")])
def test_what_cannot_be_modelled_is_refused_by_name_and_line(pimdse, config, change, named):
    done = pimdse("evaluate", "gpu", "--model", config(LLAMA | change))
    refused(done, 3, named, "config.json:")


UNHELD = ["1e400", "-1e400", "9" * 400, "NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize("number", UNHELD)
def test_a_number_that_no_double_holds_is_refused_where_it_matters_only(pimdse, config, number):
    """Python's json writes and reads such numbers."""
    harmless = json.dumps(LLAMA | {"time_step_limit": [0.0, 77], "rope_theta": 77}, indent=1).replace("77", number)
    assert metrics(pimdse, "gpu", config(harmless)) == metrics(pimdse, "gpu", "llama-3.1-8b")
    for line, field in enumerate(LLAMA, 2):
        if isinstance(LLAMA[field], int) and field.startswith(("hidden", "num", "intermediate", "vocab")):
            text = json.dumps(LLAMA, indent=1).replace(f'"{field}": {LLAMA[field]}', f'"{field}": {number}')
            refused(pimdse("evaluate", "gpu", "--model", config(text)), 3, field, "config.json:", number[:50])


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "\udcff"])
def test_what_is_no_json_is_refused(pimdse, config, text):
    (pimdse.folder / "config.json").write_bytes(text.encode(errors="surrogateescape"))
    refused(pimdse("evaluate", "gpu", "--model", "./config.json"), 3, "config.json")


def test_a_folder_and_a_large_file_are_refused(pimdse):
    (pimdse.folder / "folder.json").mkdir()
    refused(pimdse("evaluate", "gpu", "--model", "./folder.json"), 4, "folder.json", "config.json")
    with open(pimdse.folder / "large.json", "wb") as file:
        file.truncate(100 << 20)
    refused(pimdse("evaluate", "gpu", "--model", "./large.json"), 3, "large.json")
    refused(pimdse("evaluate", "gpu", "--model", "./absent.json"), 4, "absent.json")


QWEN = {"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936, "max_position_embeddings": 40960}


def test_a_wrapper_is_read_by_its_text_model_and_the_program_says_so(pimdse, config):
    wrapper = config({"model_type": "internvl", "tie_word_embeddings": True, "text_config": QWEN,
                      "vision_config": {"hidden_size": 1024}})
    assert json.loads(pimdse.ok("describe", "model", wrapper, "--format", "json"))["parameters"] == 4_022_468_096
    for text in (pimdse.ok("describe", "model", wrapper), pimdse("evaluate", "gpu", "--model", wrapper).stdout):
        assert "text_config" in text and "vision_config" in text and "head_dim = 128" in text


def gguf(path, values, tensors):
    """A GGUF file with a hole for its data; tensors are (name, [inputs, outputs], type, elements and bytes a block)."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, value in values.items():
        kind = struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
        head += text(key) + kind
    data = 0
    for name, shape, kind, block, size in tensors:
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", kind, data)
        data += math.prod(shape) // block * size
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + 32 + data)
    return data


def llama_tensors():
    q4, q6, f32 = (12, 256, 144), (14, 256, 210), (0, 1, 4)
    tensors = [("token_embd.weight", [4096, 128256], *q4), ("output.weight", [4096, 128256], *q6),
               ("output_norm.weight", [4096], *f32), ("rope_freqs.weight", [64], *f32)]
    for i in range(32):
        for name, shape in (("attn_q", [4096, 4096]), ("attn_k", [4096, 1024]), ("attn_v", [4096, 1024]),
                            ("attn_output", [4096, 4096]), ("ffn_gate", [4096, 14336]), ("ffn_up", [4096, 14336]),
                            ("ffn_down", [14336, 4096])):
            tensors.append((f"blk.{i}.{name}.weight", shape, *(q6 if name == "ffn_down" and i < 4 else q4)))
        tensors += [(f"blk.{i}.{name}.weight", [4096], *f32) for name in ("attn_norm", "ffn_norm")]
    return tensors


VALUES = {"general.architecture": "llama", "general.name": "Llama 3.1 8B", "llama.block_count": 32,
          "llama.context_length": 131072, "llama.embedding_length": 4096, "llama.attention.head_count": 32,
          "llama.attention.head_count_kv": 8}


def test_a_gguf_file_is_a_model(pimdse, config):
    stored = gguf(pimdse.folder / "model.gguf", VALUES, llama_tensors())
    described = json.loads(pimdse.ok("describe", "model", "./model.gguf", "--format", "json"))
    assert described["parameters"] == 8_030_261_248 and described["weight_bytes"] == stored
    assert sorted(kind["layers"] for kind in described["layer_kinds"]) == [4, 28]
    assert described["cached_elements_per_token"] == 65536
    own = metrics(pimdse, "gpu", "./model.gguf", "--set", "weights=fp16")
    assert own == pytest.approx(metrics(pimdse, "gpu", "llama-3.1-8b"), rel=1e-12)
    assert metrics(pimdse, "gpu", "./model.gguf")["itl"] < 0.5 * own["itl"]
    (pimdse.folder / "space.toml").write_text(SPACE.replace("./config.json", "./model.gguf"))
    pimdse.ok("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    pimdse.ok("verify", "a.h5")


def test_a_folder_is_a_model(pimdse):
    (pimdse.folder / "hub").mkdir()
    (pimdse.folder / "hub" / "config.json").write_text(json.dumps(LLAMA))
    assert metrics(pimdse, "gpu", "./hub") == metrics(pimdse, "gpu", "hub/") == metrics(pimdse, "gpu", "llama-3.1-8b")
    (pimdse.folder / "space.toml").write_text(SPACE.replace("./config.json", "./hub"))
    pimdse.ok("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    pimdse.ok("verify", "a.h5")
    (pimdse.folder / "hub" / "config.json").write_text(json.dumps(LLAMA | {"num_hidden_layers": 16}))
    assert pimdse("explore", "space.toml", "-o", "a.h5", "--resume", "--progress", "none").returncode != 0


@pytest.mark.parametrize("named", ["../model/", "../model"])
def test_a_folder_is_found_from_that_of_its_space(pimdse, named):
    for name in ("model", "spaces"):
        (pimdse.folder / name).mkdir()
    (pimdse.folder / "model" / "config.json").write_text(json.dumps(LLAMA))
    space = 'architecture = "gpu"\nobjectives = ["latency"]\n[parameters]\nllm = ["%s", "llama-3.1-8b"]\n'
    (pimdse.folder / "spaces" / "s.toml").write_text(space % named)
    pimdse.ok("explore", "spaces/s.toml", "-o", "r.h5")
    with h5py.File(pimdse.folder / "r.h5") as file:
        own, shipped = file["metrics/latency"][:]
    assert own == shipped


@pytest.mark.parametrize("damage", [lambda b: b[:1000], lambda b: b[:8] + b"\xff" * 8 + b[16:], lambda b: b"",
                                    lambda b: b[:16] + struct.pack("<Q", 1 << 60) + b[24:],
                                    lambda b: b[:24] + struct.pack("<Q", 1 << 60) + b[32:]])
def test_a_damaged_gguf_file_is_refused_in_one_sentence(pimdse, damage):
    gguf(pimdse.folder / "whole.gguf", VALUES, llama_tensors())
    with open(pimdse.folder / "whole.gguf", "rb") as file:
        (pimdse.folder / "model.gguf").write_bytes(damage(file.read(50_000)))
    refused(pimdse("describe", "model", "./model.gguf"), 3, "model.gguf")


def test_families_are_listed(pimdse):
    listed = pimdse.ok("list", "families", "--format", "csv").splitlines()
    assert len(listed) > 60 and any(line.startswith("gemma3_text,causal,all_but_every,") for line in listed)
