#include "models/llm/config_quantization.hpp"

#include "models/llm/config_modules.hpp"
#include "models/llm/limits.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <string_view>

/// The layouts are those of the libraries that write these files: GPTQModel, AutoAWQ, bitsandbytes, compressed-tensors,
/// FBGEMM, and the checkpoints of DeepSeek-V3 (blocks with a scale of 32 bits) and gpt-oss (MXFP4 of the Open Compute
/// Project).
namespace pimdse::models {
namespace {

constexpr int half = 16, single = 32, byte = 8;  ///< bits of a scale

/// Inputs of a group; 0 for one group of all inputs, which files state as -1.
std::int64_t group_size(ConfigReader& file, std::string_view field, std::int64_t otherwise) {
    return std::max<std::int64_t>(file.number_or(field, -1, max_width, otherwise), 0);
}

std::int64_t bits_of(ConfigReader& file, std::string_view field, std::int64_t otherwise) {
    constexpr std::int64_t most = 8;
    return file.number_or(field, 1, most, otherwise);
}

/// Groups of inputs of an output with a scale and a zero point, also where scales are symmetric.
void read_groups(ConfigReader& file, WeightFormat& f) {
    f.bits = bits_of(file, "bits", 4);
    f.group_inputs = group_size(file, "group_size", 128);
    f.scale_bits = half;
    f.zero_bits = static_cast<double>(f.bits);
}

/// Every input states its group.
void read_gptq(ConfigReader& file, LanguageModel& m) {
    auto& f = m.weight_format;
    read_groups(file, f);
    f.input_bits = single;
    f.head = file.flag_or("lm_head", false);
    file.refuse("dynamic", "formats of single modules are not modelled");
    (void)keep_modules(file, "modules_to_not_convert", m);
}

void read_awq(ConfigReader& file, LanguageModel& m) {
    read_groups(file, m.weight_format);
    (void)keep_modules(file, "modules_to_not_convert", m);
}

/// 8 bits: a scale of 32 bits per output. 4 bits: one for 64 weights, which `bnb_4bit_use_double_quant` stores in 8
/// bits, with a scale of 32 bits for 256 of them.
void read_bitsandbytes(ConfigReader& file, LanguageModel& m) {
    constexpr std::int64_t block = 64;
    constexpr int scales_together = 256;
    auto& f = m.weight_format;
    bool const narrow = file.flag_or("load_in_4bit", false);
    if (narrow == file.flag_or("load_in_8bit", false))
        file.mistake("load_in_8bit", "one of load_in_4bit and load_in_8bit must be true");
    f.bits = narrow ? 4 : 8;
    f.group_inputs = narrow ? block : 0;
    f.scale_bits =
        narrow && file.flag_or("bnb_4bit_use_double_quant", false) ? byte + double{single} / scales_together : single;
    (void)keep_modules(file, "llm_int8_skip_modules", m);
}

/// A scale for each block of `weight_block_size` outputs and inputs, or for each matrix.
void read_fp8(ConfigReader& file, LanguageModel& m) {
    auto& f = m.weight_format;
    f.bits = 8;
    f.floating = true;
    f.group_outputs = 0;
    f.scale_bits = single;
    if (auto const block = file.counts("weight_block_size", max_width); block.size() == 2) {
        f.group_outputs = block[0];
        f.group_inputs = block[1];
    } else if (file.has("weight_block_size")) {
        file.mistake("weight_block_size", "weight_block_size is not a list of two numbers");
    }
    (void)keep_modules(file, "modules_to_not_convert", m);
    (void)keep_modules(file, "ignored_layers", m);
}

/// A scale for each output.
void read_fbgemm(ConfigReader& file, LanguageModel& m) {
    m.weight_format.bits = 8;
    m.weight_format.floating = true;
    m.weight_format.scale_bits = single;
    (void)keep_modules(file, "modules_to_not_convert", m);
}

/// Experts only: 4 bits, and a scale of 8 for 32 inputs.
void read_mxfp4(ConfigReader& file, LanguageModel& m) {
    constexpr std::int64_t block = 32;
    auto& f = m.weight_format;
    f.bits = 4;
    f.floating = true;
    f.group_inputs = block;
    f.scale_bits = byte;
    f.kept = {"attention", "ffn", "shared"};
    (void)keep_modules(file, "modules_to_not_convert", m);
}

/// The groups that `strategy` names.
void read_strategy(ConfigReader& weights, WeightFormat& f) {
    auto const strategy = weights.text_or("strategy", weights.has("group_size") ? "group" : "tensor");
    if (strategy == "channel") return;
    if (strategy == "tensor") {
        f.group_outputs = 0;
    } else if (strategy == "group" || strategy == "tensor_group") {
        f.group_inputs = group_size(weights, "group_size", 128);
    } else if (auto const block = weights.counts("block_structure", max_width);
               strategy == "block" && block.size() == 2) {
        f.group_outputs = block[0];
        f.group_inputs = block[1];
    } else {
        weights.mistake("strategy",
                        fmt::format("strategy = \"{}\" is not supported (these are: tensor, channel, group, "
                                    "tensor_group, and block with block_structure)",
                                    sim::clipped(strategy)));
    }
}

/// One group of formats for all linear modules. Scales are as wide as activations (16 bits), except in formats whose
/// scales are floats of 8 bits.
void read_compressed(ConfigReader& file, LanguageModel& m) {
    auto& f = m.weight_format;
    auto groups = file.inside("config_groups");
    auto const names = groups.names();
    if (names.size() != 1) {
        file.mistake("config_groups", fmt::format("config_groups has {} groups (one is supported)", names.size()));
        return;
    }
    auto group = groups.inside(names.front());
    auto const targets = group.texts("targets");
    if (targets != std::vector<std::string>{"Linear"})
        file.mistake("targets", fmt::format("targets are not [\"Linear\"] but [{}]", fmt::join(targets, ", ")));
    auto weights = group.inside("weights");
    f.bits = bits_of(weights, "num_bits", 8);
    f.floating = weights.text_or("type", "int") == "float";
    read_strategy(weights, f);
    auto const layout = file.text_or("format", ""), dtype = weights.text_or("scale_dtype", "");
    bool const narrow = layout.starts_with("nvfp4") || layout.starts_with("mxfp4") ||
                        dtype.find("float8") != dtype.npos || dtype.find("uint8") != dtype.npos;
    f.scale_bits = narrow ? byte : half;
    f.zero_bits = weights.flag_or("symmetric", true) ? 0.0 : static_cast<double>(f.bits);
    file.refuse("sparsity_config", "sparse weights are not modelled");
    f.head = !keep_modules(file, "ignore", m);
}

struct Method {
    std::string_view name;
    void (*read)(ConfigReader& file, LanguageModel& model);
};
constexpr std::array methods{
    Method{"awq", read_awq},
    Method{"bitsandbytes", read_bitsandbytes},
    Method{"compressed-tensors", read_compressed},
    Method{"fbgemm_fp8", read_fbgemm},
    Method{"fp8", read_fp8},
    Method{"gptq", read_gptq},
    Method{"mxfp4", read_mxfp4},
};

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (auto const& method : methods) names.emplace_back(method.name);
    return names;
}

}  // namespace

void read_quantization(ConfigReader& whole, LanguageModel& model) {
    auto file = whole.inside("quantization_config");
    if (file.names().empty()) return;
    auto const old = file.has("load_in_8bit") || file.has("load_in_4bit") ? "bitsandbytes" : "";
    auto const name = file.text_or("quant_method", old);
    auto const found = std::ranges::find(methods, name, &Method::name);
    if (found != methods.end()) {
        model.weight_format.method = name;
        found->read(file, model);
    } else if (name.empty()) {
        whole.mistake("quantization_config",
                      fmt::format("'quant_method' is missing (one of {})", fmt::join(method_names(), ", ")));
    } else {
        whole.mistake("quant_method", fmt::format("quant_method = \"{}\" is not supported.{}", sim::clipped(name),
                                                  sim::suggestion(name, method_names())));
    }
}

}  // namespace pimdse::models
