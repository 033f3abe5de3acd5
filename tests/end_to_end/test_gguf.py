"""GGUF files of published models: the tensors of their architectures, and the shapes that their config.json says."""
import json
import math
import struct

import pytest
from conftest import ROOT

ROWS = {row["model"]: row for row in json.loads((ROOT / "tests/data/published_models.json").read_text())}
F32, Q8, Q4 = (0, 1, 4), (8, 32, 34), (12, 256, 144)  # number, elements and bytes of a block


def value(it):
    kinds = {bool: (7, "<?"), int: (4, "<I")}
    if isinstance(it, str):
        return struct.pack("<IQ", 8, len(it)) + it.encode()
    if isinstance(it, list):
        kind, form = kinds[type(it[0])]
        return struct.pack("<IIQ", 9, kind, len(it)) + b"".join(struct.pack(form, one) for one in it)
    return struct.pack("<I", kinds[type(it)][0]) + struct.pack(kinds[type(it)][1], it)


def write(path, architecture, values, tensors):
    """A file with a hole for its weights; returns their bytes and elements. Shapes have the inputs first."""
    values = {"general.architecture": architecture} | {f"{architecture}.{key}": it for key, it in values.items()}
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, it in values.items():
        head += struct.pack("<Q", len(key)) + key.encode() + value(it)
    stored = elements = 0
    for name, *shape in tensors:
        name += "" if name.endswith((".bias", ".scale", "ssm_a", "ssm_d")) else ".weight"
        matrix = len(shape) > 1 and "norm" not in name and "conv" not in name and not name.endswith(("ssm_a", "ssm_d"))
        number, block, size = F32 if not matrix or shape[0] % 32 else Q4 if shape[0] % 256 == 0 else Q8
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", number, stored)
        elements += math.prod(shape)
        stored += math.prod(shape) // block * size
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + 32 + stored)
    return stored, elements


def ends(d, vocabulary, tied):
    return [("token_embd", d, vocabulary), ("output_norm", d), *([] if tied else [("output", d, vocabulary)])]


def network(d, width, gate=True):
    return [*([("ffn_gate", d, width)] if gate else []), ("ffn_up", d, width), ("ffn_down", width, d)]


def experts(d, count, width, shared):
    return [("ffn_gate_inp", d, count), ("ffn_gate_exps", d, width, count), ("ffn_up_exps", d, width, count),
            ("ffn_down_exps", width, d, count), ("ffn_gate_shexp", d, shared), ("ffn_up_shexp", d, shared),
            ("ffn_down_shexp", shared, d)]


def attention(d, heads, keys, width, norms=0, gate=1):
    return [("attn_q", d, gate * heads * width), ("attn_k", d, keys * width), ("attn_v", d, keys * width),
            ("attn_output", heads * width, d), *([("attn_q_norm", width), ("attn_k_norm", width)] if norms else [])]


def in_layers(layers):
    return [(f"blk.{i}.{name}", *shape) for i, parts in enumerate(layers) for name, *shape in parts]


def delta(d, values, keys, one=True):
    """Gated DeltaNet with heads of 128; its decays and betas in one matrix or two."""
    v, k = 128 * values, 128 * keys
    both = [("ssm_ba", d, 2 * values)] if one else [("ssm_alpha", d, values), ("ssm_beta", d, values)]
    return [("attn_qkv", d, 2 * k + v), ("attn_gate", d, v), *both, ("ssm_conv1d", 4, 2 * k + v),
            ("ssm_dt.bias", values), ("ssm_a", values), ("ssm_norm", 128), ("ssm_out", v, d)]


def qwen3next():
    d, norms = 2048, [("attn_norm", 2048), ("post_attention_norm", 2048), ("ffn_gate_inp_shexp", 2048)]
    layers = [(attention(d, 16, 2, 256, 1, 2) if i % 4 == 3 else delta(d, 32, 16)) + experts(d, 512, 512, 512) + norms
              for i in range(48)]
    return "qwen3next", {"block_count": 48, "embedding_length": d, "attention.head_count": 16,
                         "attention.head_count_kv": 2, "attention.key_length": 256, "attention.value_length": 256,
                         "expert_used_count": 10, "ssm.inner_size": 4096, "ssm.state_size": 128, "ssm.group_count": 16,
                         "ssm.time_step_rank": 32, "ssm.conv_kernel": 4}, ends(d, 151936, False) + in_layers(layers)


def qwen35():
    d, norms = 4096, [("attn_norm", 4096), ("post_attention_norm", 4096)]
    layers = [(attention(d, 16, 4, 256, 1, 2) if i % 4 == 3 else delta(d, 32, 16, False)) + network(d, 12288) + norms
              for i in range(32)]
    return "qwen35", {"block_count": 32, "embedding_length": d, "attention.head_count": 16,
                      "attention.head_count_kv": 4, "attention.key_length": 256, "ssm.inner_size": 4096,
                      "ssm.state_size": 128, "ssm.group_count": 16, "ssm.time_step_rank": 32,
                      "ssm.conv_kernel": 4}, ends(d, 248320, False) + in_layers(layers)


def kimi_linear():
    d, full = 2304, [i - 1 for i in ROWS["moonshotai/Kimi-Linear-48B-A3B-Instruct"]["config"]["linear_attn_config"]
                     ["full_attn_layers"]]
    latent = [("attn_q", d, 32 * 192), ("attn_kv_a_mqa", d, 576), ("attn_kv_a_norm", 512), ("attn_k_b", 128, 512, 32),
              ("attn_v_b", 512, 128, 32), ("attn_output", 4096, d)]
    state = [("attn_q", d, 4096), ("attn_k", d, 4096), ("attn_v", d, 4096), ("attn_output", 4096, d),
             *((f"ssm_conv1d_{part}", 4, 1, 4096) for part in "qkv"), ("ssm_f_a", d, 128), ("ssm_f_b", 128, 4096),
             ("ssm_g_a", d, 128), ("ssm_g_b", 128, 4096), ("ssm_beta", d, 32), ("ssm_a", 1, 32), ("ssm_dt.bias", 4096),
             ("ssm_norm", 128)]
    layers = [(latent if i in full else state) + [("attn_norm", d), ("ffn_norm", d)]
              + (network(d, 9216) if i == 0 else experts(d, 256, 1024, 1024) + [("exp_probs_b.bias", 256)])
              for i in range(27)]
    return "kimi-linear", {"block_count": 27, "embedding_length": d, "attention.head_count": 32,
                           "attention.head_count_kv": [int(i in full) for i in range(27)], "expert_used_count": 8,
                           "attention.kv_lora_rank": 512, "rope.dimension_count": 64, "attention.key_length": 576,
                           "kda.head_dim": 128, "ssm.conv_kernel": 4}, ends(d, 163840, False) + in_layers(layers)


def gemma4(name):
    it = ROWS[name]["config"]
    d, count, heads, own = (it[key] for key in ("hidden_size", "num_hidden_layers", "num_attention_heads",
                                                "hidden_size_per_layer_input"))
    equal, shared = it.get("attention_k_eq_v", False), it["num_kv_shared_layers"]
    full = [kind == "full_attention" for kind in it["layer_types"]]
    keys = [it["num_global_key_value_heads"] if all_ and equal else it["num_key_value_heads"] for all_ in full]
    layers = []
    for i in range(count):
        parts = attention(d, heads, keys[i], 512 if full[i] else 256, 1)
        if i >= count - shared:
            parts = [part for part in parts if part[0] not in ("attn_k", "attn_v", "attn_k_norm")]
        if full[i] and equal:
            parts = [part for part in parts if part[0] != "attn_v"]
        wide = it.get("use_double_wide_mlp") and i >= count - shared
        parts += network(d, it["intermediate_size"] * (2 if wide else 1)) + [("layer_output_scale", 1)]
        parts += [(f"{norm}_norm", d) for norm in ("attn", "post_attention", "ffn", "post_ffw")]
        if own:
            parts += [("inp_gate", d, own), ("proj", own, d), ("post_norm", d)]
        if it["enable_moe_block"]:
            width, number = it["moe_intermediate_size"], it["num_experts"]
            parts += [("ffn_gate_inp", d, number), ("ffn_gate_inp.scale", d), ("ffn_down_exps.scale", number),
                      ("ffn_gate_up_exps", d, 2 * width, number), ("ffn_down_exps", width, d, number),
                      ("pre_ffw_norm_2", d), ("post_ffw_norm_1", d), ("post_ffw_norm_2", d)]
        layers.append(parts)
    more = [("per_layer_token_embd", own * count, 262144), ("per_layer_model_proj", d, own * count),
            ("per_layer_proj_norm", own)] if own else []
    return "gemma4", {"block_count": count, "embedding_length": d, "attention.head_count": heads,
                      "attention.head_count_kv": keys, "attention.key_length": 512, "attention.value_length": 512,
                      "attention.key_length_swa": 256, "attention.sliding_window": it["sliding_window"],
                      "attention.sliding_window_pattern": [not all_ for all_ in full],
                      "attention.shared_kv_layers": shared, "embedding_length_per_layer_input": own,
                      "expert_used_count": it["top_k_experts"] or 0}, ends(d, 262144, True) + more + in_layers(layers)


def gemma3n():
    d = 2048
    parts = attention(d, 8, 2, 256, 1) + network(d, 16384) + [
        (f"{norm}_norm", d) for norm in ("attn", "post_attention", "ffn", "post_ffw", "altup_router")] + [
        ("inp_gate", d, 256), ("proj", 256, d), ("post_norm", d), ("laurel_l", d, 64), ("laurel_r", 64, d),
        ("laurel_post_norm", d), ("altup_correct_coef", 4, 4), ("altup_correct_scale", d),
        ("altup_predict_coef", 4, 16), ("altup_router", d, 4)]
    more = [("per_layer_token_embd", 256 * 35, 262144), ("per_layer_model_proj", d, 256 * 35),
            ("per_layer_proj_norm", 256), ("altup_proj", d, d, 3), ("altup_unembd_proj", d, d, 3)]
    return "gemma3n", {"block_count": 35, "embedding_length": d, "attention.head_count": 8,
                       "attention.head_count_kv": 2, "attention.key_length": 256, "attention.sliding_window": 512,
                       "attention.sliding_window_pattern": ([True] * 4 + [False]) * 7,
                       "attention.shared_kv_layers": 15}, ends(d, 262400, True) + more + in_layers([parts] * 35)


def mamba2(d, heads, groups, states, width):
    inner, channels = heads * width, heads * width + 2 * groups * states
    return [("ssm_in", d, inner + channels + heads), ("ssm_conv1d", 4, channels), ("ssm_conv1d.bias", channels),
            ("ssm_dt.bias", heads), ("ssm_a", 1, heads), ("ssm_d", 1, heads),
            ("ssm_norm", inner // groups, groups), ("ssm_out", inner, d)]


def nemotron_h():
    d, pattern = 4096, ROWS["nvidia/Nemotron-H-8B-Base-8K"]["config"]["hybrid_override_pattern"]
    kinds = {"M": mamba2(d, 128, 8, 128, 64), "-": network(d, 21504, False), "*": attention(d, 32, 8, 128)}
    return "nemotron_h", {"block_count": 52, "embedding_length": d,
                          "attention.head_count": [32 * (kind == "*") for kind in pattern],
                          "attention.head_count_kv": [8 * (kind == "*") for kind in pattern],
                          "attention.key_length": 128, "ssm.inner_size": 8192, "ssm.state_size": 128,
                          "ssm.group_count": 8, "ssm.time_step_rank": 128, "ssm.conv_kernel": 4}, ends(
        d, 131072, False) + in_layers([kinds[kind] + [("attn_norm", d)] for kind in pattern])


def mamba():
    parts = [("ssm_in", 768, 3072), ("ssm_conv1d", 4, 1536), ("ssm_conv1d.bias", 1536), ("ssm_x", 1536, 80),
             ("ssm_dt", 48, 1536), ("ssm_dt.bias", 1536), ("ssm_a", 16, 1536), ("ssm_d", 1536), ("ssm_out", 1536, 768),
             ("attn_norm", 768)]
    return "mamba", {"block_count": 24, "embedding_length": 768, "attention.head_count": 0, "ssm.inner_size": 1536,
                     "ssm.state_size": 16, "ssm.time_step_rank": 48,
                     "ssm.conv_kernel": 4}, ends(768, 50280, True) + in_layers([parts] * 24)


def codestral():
    return "mamba2", {"block_count": 64, "embedding_length": 4096, "attention.head_count": 0, "ssm.inner_size": 8192,
                      "ssm.state_size": 128, "ssm.group_count": 8, "ssm.time_step_rank": 128,
                      "ssm.conv_kernel": 4}, ends(4096, 32768, False) + in_layers(
        [mamba2(4096, 128, 8, 128, 64) + [("attn_norm", 4096)]] * 64)


def deepseek32():
    d, norms = 7168, [("attn_norm", 7168), ("ffn_norm", 7168), ("attn_q_a_norm", 1536), ("attn_kv_a_norm", 512)]
    latent = [("attn_q_a", d, 1536), ("attn_q_b", 1536, 128 * 192), ("attn_kv_a_mqa", d, 576),
              ("attn_k_b", 128, 512, 128), ("attn_v_b", 512, 128, 128), ("attn_output", 128 * 128, d),
              ("indexer.attn_q_b", 1536, 64 * 128), ("indexer.attn_k", d, 128), ("indexer.proj", d, 64),
              ("indexer.k_norm", 128), ("indexer.k_norm.bias", 128)]
    layers = [latent + norms + (network(d, 18432) if i < 3 else
                                experts(d, 256, 2048, 2048) + [("exp_probs_b.bias", 256)]) for i in range(61)]
    return "deepseek32", {"block_count": 61, "embedding_length": d, "attention.head_count": 128,
                          "attention.head_count_kv": 1, "attention.kv_lora_rank": 512, "rope.dimension_count": 64,
                          "attention.key_length": 576, "expert_used_count": 8, "attention.indexer.head_count": 64,
                          "attention.indexer.key_length": 128,
                          "attention.indexer.top_k": 2048}, ends(d, 129280, False) + in_layers(layers)


@pytest.mark.parametrize("model, made", [
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", qwen3next), ("moonshotai/Kimi-Linear-48B-A3B-Instruct", kimi_linear),
    ("google/gemma-3n-E4B", gemma3n), ("nvidia/Nemotron-H-8B-Base-8K", nemotron_h),
    ("deepseek-ai/DeepSeek-V3.2-Exp", deepseek32), (None, qwen35),
    ("state-spaces/mamba-130m-hf", mamba), ("mistralai/Mamba-Codestral-7B-v0.1", codestral),
    *((name, lambda name=name: gemma4(name)) for name in ROWS if name.startswith("google/gemma-4"))])
def test_a_gguf_file_has_the_shape_of_the_config_of_its_model(pimdse, model, made):
    architecture, values, tensors = made()
    stored, elements = write(pimdse.folder / "model.gguf", architecture, values | {"context_length": 4096}, tensors)
    config = ROWS[model]["config"] if model else {"model_type": "qwen3_5_text"}
    (pimdse.folder / "config.json").write_text(json.dumps(config))
    ours, theirs = (json.loads(pimdse.ok("describe", "model", file, "--format", "json"))
                    for file in ("./model.gguf", "./config.json"))
    assert ours["weight_bytes"] == stored and ours["parameters"] == elements == theirs["parameters"]
    for fact in ("active_parameters", "cached_elements_per_token", "state_elements", "convolution_elements",
                 "multiplications_per_token", "multiplications_per_key"):
        assert ours[fact] == theirs[fact], fact

    def kinds(it):
        facts = ("layers", "window", "attends", "shares_keys", "state", "ffn", "experts", "indexed_positions",
                 "weights")
        heads = ("heads", "kv_heads", "head_dimension")
        return sorted([[kind[fact] for fact in (*facts, *(heads if kind["attends"] else ()))]
                       for kind in it["layer_kinds"]], key=str)

    assert kinds(ours) == kinds(theirs)
    assert "./model.gguf" in pimdse("evaluate", "gpu", "--model", "./model.gguf").stdout
