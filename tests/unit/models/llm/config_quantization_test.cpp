#include "models/contract/toml_file.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/llm/config_files.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// Formats of weights in a config.json, against the sizes of the tensors that each method stores.
namespace pimdse::models::config_quantization_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mistakes_of;
using testing::model_of;
using ::testing::Not;

/// Llama-2-7B, where all matrices of a layer but `down` have 4096 inputs.
std::string llama(std::string const& format) {
    return fmt::format(R"({{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 32000,
  "max_position_embeddings": 4096,
  "quantization_config": {}
}})",
                       format);
}

std::string gpt_oss(int layers, int experts) {
    return fmt::format(R"({{"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": {},
  "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 2880, "vocab_size": 201088,
  "max_position_embeddings": 131072, "head_dim": 64, "attention_bias": true, "num_local_experts": {},
  "experts_per_token": 4, "num_experts_per_tok": 4, "sliding_window": 128, "quantization_config": {{
  "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens",
                             "lm_head"],
  "quant_method": "mxfp4"}}
}})",
                       layers, experts);
}

/// Inputs and outputs of the matrices of a layer of Llama-2-7B.
std::vector<std::pair<double, double>> matrices() {
    constexpr double d = 4096, ffn = 11008;
    return {{d, d}, {d, d}, {d, d}, {d, d}, {d, ffn}, {d, ffn}, {ffn, d}};
}

/// Embedding, LM head and norms in 16 bits.
constexpr double plain_bytes = 2.0 * (2.0 * 32000 * 4096 + 65.0 * 4096);

}  // namespace

TEST(ConfigQuantization, of_gptq_has_packed_weights_scales_zero_points_and_indices) {
    auto const model = model_of(llama(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true,
        "sym": true, "true_sequential": true, "damp_percent": 0.1})"));
    double bytes = plain_bytes;
    for (auto const& [in, out] : matrices())
        bytes += 32 * (4 * in / 8 * out + 4 * in / 128 * out / 8 + 2 * in / 128 * out + 4 * in);
    EXPECT_EQ(stored_bytes(model), bytes);
    EXPECT_EQ(bits_per_weight(model.weight_format.usual), 4 + 20.0 / 128);
    EXPECT_EQ(text_of(model.weight_format), "gptq, 4.156 bits with scales");
    auto const columns = model_of(llama(R"({"quant_method": "gptq", "bits": 3, "group_size": -1})"));
    bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (3 * in / 8 * out + 19.0 / 8 * out + 4 * in);
    EXPECT_EQ(stored_bytes(columns), bytes);
}

TEST(ConfigQuantization, says_what_activations_are) {
    auto const text = [](char const* section) { return text_of(model_of(llama(section)).weight_format); };
    EXPECT_EQ(text(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"),
              "modelopt, 4.5 bits with scales, activations of 4 bits");
    EXPECT_EQ(text(R"({"quant_method": "modelopt", "quant_algo": "W4A16_NVFP4"})"), "modelopt, 4.5 bits with scales");
    auto const quark = [](char const* inputs) {
        return fmt::format(R"({{"quant_method": "quark", "global_quant_config": {{"weight": {{"dtype": "fp8_e4m3",
            "qscheme": "per_tensor"}}, "input_tensors": {}}}, "exclude": []}})",
                           inputs);
    };
    EXPECT_EQ(text(quark(R"({"dtype": "fp8_e4m3", "qscheme": "per_token"})").c_str()),
              "quark, 8 bits with scales, activations of 8 bits");
    EXPECT_EQ(text(quark("null").c_str()), "quark, 8 bits with scales");
    EXPECT_THAT(mistakes_of(llama(quark(R"({"dtype": "mx9"})"))), ElementsAre(HasSubstr("activations")));
}

/// A type that no reader knows may be that of weights, unless it is as wide as those that are not converted.
TEST(ConfigQuantization, of_a_type_that_is_not_read_is_refused) {
    auto const with = [](std::string const& field) {
        return mistakes_of(llama(R"({"quant_method": "fp8", )" + field + "}"));
    };
    EXPECT_THAT(with(R"("linear_dtype": "fp4")"),
                ElementsAre(HasSubstr("linear_dtype = \"fp4\" is not modelled (it names a format of weights")));
    for (auto const* wide : {"bfloat16", "float32", "auto"})
        EXPECT_THAT(with(fmt::format(R"("linear_dtype": "{}")", wide)), ElementsAre()) << wide;
}

TEST(ConfigQuantization, of_awq_has_packed_weights_scales_and_zero_points) {
    auto const model = model_of(llama(R"({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm",
        "zero_point": true, "modules_to_not_convert": null})"));
    double bytes = plain_bytes;
    for (auto const& [in, out] : matrices())
        bytes += 32 * (4 * in * out / 8 + 4 * in / 128 * out / 8 + 2 * in / 128 * out);
    EXPECT_EQ(stored_bytes(model), bytes);
    std::string const rounded =
        R"({"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": true,
        "act_group_size": 128, "packing_format": "auto_round:auto_gptq", "data_type": "int")";
    EXPECT_EQ(stored_bytes(model_of(llama(rounded + "}"))), bytes);
    auto const mixed = model_of(llama(rounded + R"(, "extra_config": {"model.layers.0.self_attn.q_proj": {"bits": 16},
        "model.layers.1.self_attn.q_proj": {"bits": 8}, ".*mlp.gate_proj": {"bits": 8}}})"));
    double const plain = 4096.0 * 4096 / 8, gates = 32.0 * 4096 * 11008 / 8;
    EXPECT_EQ(stored_bytes(mixed), bytes + plain * (16 - 4 - 20.0 / 128) + (plain + gates) * (4 + 4.0 / 128));
    auto const head = model_of(llama(rounded + R"(, "extra_config": {"lm_head": {"bits": 4}}})"));
    double const words = 4096.0 * static_cast<double>(head.vocabulary);
    EXPECT_EQ(stored_bytes(head), bytes - words * (16 - 4 - 20.0 / 128) / 8);
}

TEST(ConfigQuantization, of_bitsandbytes_has_a_scale_per_output_or_per_64_weights) {
    auto const wide = model_of(llama(R"({"load_in_8bit": true, "load_in_4bit": false, "llm_int8_threshold": 6.0,
        "llm_int8_skip_modules": ["lm_head"], "quant_method": "bitsandbytes"})"));
    double bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out + 4 * out);
    EXPECT_EQ(stored_bytes(wide), bytes);
    // Without a method, as files of 2023 have it.
    auto const narrow = model_of(llama(R"({"load_in_8bit": false, "load_in_4bit": true,
        "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": false})"));
    bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out / 2 + 4 * in * out / 64);
    EXPECT_EQ(stored_bytes(narrow), bytes);
    auto const twice = model_of(llama(R"({"load_in_4bit": true, "quant_method": "bitsandbytes",
        "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": true})"));
    bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out / 2 + in * out / 64 + 4 * in * out / 64 / 256);
    EXPECT_EQ(stored_bytes(twice), bytes);
}

TEST(ConfigQuantization, of_fp8_has_a_scale_per_block_output_or_matrix) {
    auto const blocks = model_of(llama(R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
        "weight_block_size": [128, 128]})"));
    double bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out + 4 * in / 128 * out / 128);
    EXPECT_EQ(stored_bytes(blocks), bytes);
    auto const outputs = model_of(llama(R"({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0})"));
    bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out + 4 * out);
    EXPECT_EQ(stored_bytes(outputs), bytes);
    auto const whole = model_of(llama(R"({"quant_method": "fp8", "activation_scheme": "static",
        "ignored_layers": ["lm_head"]})"));
    bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (in * out + 4);
    EXPECT_EQ(stored_bytes(whole), bytes);
}

TEST(ConfigQuantization, of_compressed_tensors_has_the_groups_of_its_strategy) {
    auto const config = [](std::string const& weights, std::string const& ignored = R"(["lm_head"])",
                           std::string const& layout = "pack-quantized") {
        return llama(fmt::format(R"({{"quant_method": "compressed-tensors", "format": "{}", "ignore": {},
            "config_groups": {{"group_0": {{"targets": ["Linear"], "weights": {}, "input_activations": null}}}},
            "kv_cache_scheme": null, "quantization_status": "compressed"}})",
                                 layout, ignored, weights));
    };
    auto const bytes_of = [](double bits, double of_group, double inputs, double outputs) {
        double bytes = plain_bytes;
        for (auto const& [in, out] : matrices())
            bytes += 32 * (bits / 8 * in * out +
                           of_group / 8 * (inputs > 0 ? in / inputs : 1.0) * (outputs > 0 ? out / outputs : 1.0));
        return bytes;
    };
    EXPECT_EQ(stored_bytes(model_of(config(R"({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
        "symmetric": true})"))),
              bytes_of(4, 16, 128, 1));
    EXPECT_EQ(stored_bytes(model_of(config(R"({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
        "symmetric": false})"))),
              bytes_of(4, 20, 128, 1));
    EXPECT_EQ(stored_bytes(model_of(config(R"({"num_bits": 8, "type": "float", "strategy": "channel"})"))),
              bytes_of(8, 16, 0, 1));
    EXPECT_EQ(stored_bytes(model_of(config(R"({"num_bits": 8, "type": "float", "strategy": "block",
        "block_structure": [128, 128]})"))),
              bytes_of(8, 16, 128, 128));
    EXPECT_EQ(stored_bytes(model_of(config(R"({"num_bits": 4, "type": "float", "strategy": "tensor_group",
        "group_size": 16})",
                                           R"(["lm_head"])", "nvfp4-pack-quantized"))),
              bytes_of(4, 8, 16, 1) + 7 * 32 * 4);
    auto const head = model_of(config(R"({"num_bits": 8, "type": "int", "strategy": "channel"})", "[]"));
    EXPECT_EQ(stored_bytes(head), bytes_of(8, 16, 0, 1) - 32000.0 * 4096 + 2 * 32000);
}

/// 12.8 and 60.8 GiB (arXiv 2508.10925, Table 1); the first is the sum of all its tensors to the byte.
TEST(ConfigQuantization, of_gpt_oss_has_experts_of_4_bits_and_a_quarter) {
    auto const small = model_of(gpt_oss(24, 32)), large = model_of(gpt_oss(36, 128));
    EXPECT_EQ(stored_bytes(small), 13'761'264'768.0);
    EXPECT_NEAR(stored_bytes(small) / 0x1p30, 12.8, 0.05);
    EXPECT_NEAR(stored_bytes(large) / 0x1p30, 60.8, 0.05);
    EXPECT_EQ(bits_per_weight(small.weight_format.usual), 4.25);
    for (auto const& matrix : layer_matrices(small)) EXPECT_EQ(is_converted(small, matrix), matrix.count == 32);
}

/// Bytes of the tensors as published: gpt-oss by the metadata of its index, DeepSeek-V3 by its files, which have
/// headers of 91,991 tensors, and copies of the embedding and the LM head beside the prediction head.
TEST(ConfigQuantization, of_shipped_models_is_that_of_their_published_checkpoints) {
    EXPECT_EQ(stored_bytes(load_language_model("gpt-oss-20b")), 13'761'264'768.0);
    EXPECT_EQ(stored_bytes(load_language_model("gpt-oss-120b")), 65'248'815'744.0);
    auto const model = load_language_model("deepseek-v3");
    double const copies = 2.0 * 2.0 * 129280 * 7168, files = 688'586'727'753.0;
    double const tensors = stored_bytes(model) + stored_bytes(load_language_model("deepseek-v3-mtp")) + copies;
    EXPECT_GT(files - tensors, 91'991 * 100.0);
    EXPECT_LT(files - tensors, 91'991 * 160.0);
    auto const indexed = load_language_model("deepseek-v3.2");
    for (auto const& alike : alike_layers(indexed))
        for (auto const& matrix : layer_matrices(alike))
            EXPECT_EQ(is_converted(alike, matrix), matrix.name != "index_weights") << matrix.name;
    EXPECT_EQ(whole_bits(model), 8);
}

TEST(ConfigQuantization, of_a_model_file_is_that_of_a_config_json) {
    for (auto const* name : {"gpt-oss-20b", "gpt-oss-120b"}) {
        bool const large = std::string(name).ends_with("120b");
        auto const file = load_language_model(name), config = model_of(gpt_oss(large ? 36 : 24, large ? 128 : 32));
        EXPECT_EQ(file.formats, config.formats);
        EXPECT_EQ(file.kinds, config.kinds);
        EXPECT_EQ(served_bytes(file), served_bytes(config));
    }
}

TEST(ConfigQuantization, of_a_model_file_names_its_line_where_it_is_wrong) {
    auto const shipped = [] {
        std::ifstream stream(data_directory() / "models" / "llm" / "gpt-oss-20b.toml");
        return std::string(std::istreambuf_iterator<char>(stream), {});
    }();
    auto const line = 1 + std::ranges::count(shipped.substr(0, shipped.find("[quantization_config]")), '\n');
    auto const told = [&](std::string const& from, std::string const& to) {
        auto text = shipped;
        text.replace(text.find(from), from.size(), to);
        testing::TemporaryFile const file(text, ".toml");
        try {
            (void)load_language_model(file.path().string());
        } catch (sim::InputError const& error) {
            return fmt::format("{}", fmt::join(error.sentences(), "; "));
        }
        return std::string("nothing");
    };
    EXPECT_THAT(told("\"mxfp4\"", "\"mxfp5\""), HasSubstr(fmt::format(":{}: quant_method = \"mxfp5\"", line)));
    EXPECT_THAT(told("\"mxfp4\"", "\"mxfp5\""), HasSubstr("mxfp4"));
    EXPECT_THAT(told("\"mxfp4\"", "8"), HasSubstr("quant_method = 8 is not a text"));
    EXPECT_THAT(told("\"gpt_oss\"", "\"gpt_os\""), HasSubstr("gpt_oss"));
    auto const missing = told("model_type           = \"gpt_oss\"", "");
    EXPECT_THAT(missing, HasSubstr("'model_type' is missing beside quantization_config"));
    EXPECT_THAT(missing, Not(HasSubstr("; ")));  // one sentence
    EXPECT_THAT(told("model_type           = \"gpt_oss\"", "model_type = 7"), Not(HasSubstr("names no family")));
    EXPECT_THAT(told("modules_to_not_convert", "modules_to_not_convrt"),
                HasSubstr(fmt::format(":{}: unknown key 'modules_to_not_convrt'. Did you mean "
                                      "'modules_to_not_convert'?",
                                      line)));
    EXPECT_THAT(told("quant_method           = \"mxfp4\"",
                     "quant_method = \"fp8\"\nweight_block_size = [128, 128]\nweight_blok_size = [64, 64]"),
                HasSubstr("unknown key 'weight_blok_size'. Did you mean 'weight_block_size'?"));
    EXPECT_THAT(told("[quantization_config]", "[[quantization_config]]"), HasSubstr("must be a table"));
}

TEST(ConfigQuantization, keeps_the_modules_that_it_lists) {
    auto const bytes_of = [](std::string const& modules) {
        return stored_bytes(
            model_of(llama(fmt::format(R"({{"quant_method": "fbgemm_fp8", "modules_to_not_convert": {}}})", modules))));
    };
    double const all = bytes_of("[]"), down = 32 * (4096.0 * 11008 - 4 * 4096);
    EXPECT_EQ(bytes_of(R"(["lm_head", "model.embed_tokens", "model.layers.3.input_layernorm", "re:.*mlp.gate$"])"),
              all);
    EXPECT_EQ(bytes_of(R"(["re:.*down_proj"])"), all + down);
    EXPECT_EQ(bytes_of(R"(["mlp"])"), all + 3 * down - 2 * 32 * 4.0 * (11008 - 4096));
    std::string every = R"("lm_head")";
    for (int layer = 0; layer < 32; ++layer) every += fmt::format(R"(, "model.layers.{}.mlp.down_proj")", layer);
    EXPECT_EQ(bytes_of("[" + every + "]"), all + down);
    EXPECT_EQ(bytes_of(R"(["model.layers.32.self_attn"])"), all) << "a module beyond the layers of generation";
}

TEST(ConfigQuantization, may_differ_between_layers_and_modules) {
    auto const model = model_of(llama(R"({"quant_method": "fbgemm_fp8", "modules_to_not_convert":
        ["model.layers.0.mlp.down_proj", "model.layers.31.mlp.down_proj", "merger"]})"));
    ASSERT_EQ(alike_layers(model).size(), 2U);
    EXPECT_EQ(alike_layers(model)[0].layers, 2);
    double const one_down = 4096.0 * 11008 - 4 * 4096;
    EXPECT_EQ(stored_bytes(model), stored_bytes(model_of(llama(R"({"quant_method": "fbgemm_fp8"})"))) + 2 * one_down);
    EXPECT_EQ(whole_bits(model), 16);
    auto const dynamic = model_of(llama(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {
        "-:.*self_attn": {}, "+:model\\.layers\\.(0|1)\\..*down": {"bits": 8, "group_size": 32}}})"));
    ASSERT_EQ(alike_layers(dynamic).size(), 2U);
    for (auto const& alike : alike_layers(dynamic)) {
        for (auto const& matrix : layer_matrices(alike)) {
            bool const attention = matrix.name.size() == 1, eight = alike.layers == 2 && matrix.name == "down";
            EXPECT_EQ(format_of(alike, matrix).bits, attention ? 16.0 : eight ? 8.0 : 4.0) << matrix.name;
        }
    }
    auto const two = model_of(llama(R"({"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups": {
        "a": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}},
        "b": {"targets": ["Linear"], "weights": {"num_bits": 4, "strategy": "group", "group_size": 128}}}})"));
    for (auto const& matrix : layer_matrices(two))
        EXPECT_EQ(format_of(two, matrix).bits, matrix.name.size() == 1 ? 8.0 : 4.0) << matrix.name;
}

TEST(ConfigQuantization, of_lists_means_what_its_library_means) {
    auto const kept = [](std::string const& ignored) {
        auto const model = model_of(llama(fmt::format(R"({{"quant_method": "compressed-tensors", "ignore": {},
            "config_groups": {{"a": {{"targets": ["Linear"], "weights": {{"num_bits": 8}}}}}}}})",
                                                      ignored)));
        std::string names;
        for (auto const& matrix : layer_matrices(model))
            if (!is_converted(model, matrix)) names += matrix.name + " ";
        return names;
    };
    EXPECT_EQ(kept(R"(["re:.*gate"])"), "gate ") << "a beginning matches";
    EXPECT_EQ(kept(R"(["re:.*gate$"])"), "");
    EXPECT_EQ(kept(R"(["re:.*(q|k)_proj", "re:.*down"])"), "q k down ");
    EXPECT_EQ(kept(R"(["model.layers.0.mlp", "mlp", "gate_proj"])"), "") << "a parent keeps nothing";
    EXPECT_EQ(kept(R"(["re:^(?!.*self_attn).*$"])"), "gate up down ");
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "compressed-tensors", "ignore": ["re:.*(gate"],
        "config_groups": {"a": {"targets": ["Linear"], "weights": {"num_bits": 8}}}})")),
                list("no-expression"));
}

/// Bytes of Llama-2-7B whose matrices have so many bits a weight, scales of groups included, and bytes of their own.
double bytes_of(double bits, double of_matrix) {
    double bytes = plain_bytes;
    for (auto const& [in, out] : matrices()) bytes += 32 * (bits / 8 * in * out + of_matrix);
    return bytes;
}

TEST(ConfigQuantization, of_quark_and_bitnet_has_their_scales) {
    std::string const fp8 = R"({"dtype": "fp8_e4m3", "qscheme": "per_tensor", "group_size": null, "symmetric": null})";
    auto const quark = [](std::string const& weight, std::string const& more = "") {
        return model_of(llama(fmt::format(R"({{"quant_method": "quark", "global_quant_config": {{"weight": {},
            "input_tensors": null}}, "exclude": ["lm_head"], "layer_type_quant_config": {{}} {}}})",
                                          weight, more)));
    };
    EXPECT_EQ(stored_bytes(quark(fp8)), bytes_of(8, 2));
    EXPECT_EQ(quark(fp8).weight_format.others.count("cache"), 0U);
    std::string const fp4 = R"({"dtype": "fp4", "qscheme": "per_group", "group_size": 32, "scale_format": "e8m0"})";
    EXPECT_EQ(stored_bytes(quark(fp4)), bytes_of(4.25, 0));
    EXPECT_EQ(
        stored_bytes(quark(R"({"dtype": "uint4", "qscheme": "per_group", "group_size": 128, "symmetric": false})")),
        bytes_of(4 + 20.0 / 128, 0));
    auto const keys = quark(fp4, fmt::format(R"(, "kv_cache_quant_config": {{"*k_proj": {{"weight": {},
        "output_tensors": {}}}}})",
                                             fp8, fp8));
    EXPECT_EQ(keys.weight_format.others.at("cache").bits, 8.0);
    EXPECT_EQ(stored_bytes(keys), bytes_of(4.25, 0) + 32 * (3.75 / 8 * 4096 * 4096 + 2));
    auto const attention = fmt::format(R"(, "layer_quant_config": {{"*self_attn*": {{"weight": {}}}}})", fp8);
    EXPECT_EQ(stored_bytes(quark(fp4, attention)), bytes_of(4.25, 0) + 32 * 4 * (3.75 / 8 * 4096 * 4096 + 2));

    EXPECT_EQ(stored_bytes(model_of(llama(R"({"quant_method": "bitnet", "linear_class": "bitlinear"})"))),
              bytes_of(2, 2));
    EXPECT_EQ(stored_bytes(model_of(llama(R"({"quant_method": "bitnet", "quantization_mode": "online"})"))),
              bytes_of(16, 0));
}

/// Weights and scales of NVIDIA's library and MLX, for the shapes of Llama-2-7B.
TEST(ConfigQuantization, of_modelopt_and_mlx_has_their_scales) {
    auto const modelopt = [](std::string const& name, std::string const& more = "") {
        return stored_bytes(model_of(llama(fmt::format(
            R"({{"quant_method": "modelopt", "quant_algo": "{}", "exclude_modules": ["lm_head"{}]}})", name, more))));
    };
    EXPECT_EQ(modelopt("FP8"), bytes_of(8, 4));
    EXPECT_EQ(modelopt("NVFP4"), bytes_of(4.5, 4));
    double const attention = 32 * 4 * (4096.0 * 4096 - 4);
    EXPECT_EQ(modelopt("FP8", R"(, "*self_attn*")"), bytes_of(8, 4) + attention);
    EXPECT_EQ(modelopt("FP8", R"(, "model.layers.0.self_attn*")"), bytes_of(8, 4) + attention / 32);
    auto const nested = model_of(llama(R"({"quant_method": "modelopt", "quantization": {"quant_algo": "FP8"}})"));
    EXPECT_EQ(stored_bytes(nested), modelopt("FP8") - (32000.0 * 4096 - 4));
    auto const mlx = model_of(R"({"model_type": "llama", "quantization": {"group_size": 64, "bits": 4,
        "model.layers.0.mlp.down_proj": {"group_size": 64, "bits": 8}, "lm_head": false}})");
    double const norms = 65.0 * 4096, table = 32000.0 * 4096, parameters = 6'738'415'616.0;
    EXPECT_EQ(stored_bytes(mlx), 2 * (norms + table) + 4.5 / 8 * (parameters - norms - table) + 0.5 * 4096.0 * 11008);
}

/// Names by which programs choose kernels, or authors, mean the same tensors.
TEST(ConfigQuantization, has_one_meaning_under_several_names) {
    for (auto const& [name, same] : {std::pair{"awq_marlin", "awq"}, std::pair{"gptq_marlin", "gptq"},
                                     std::pair{"intel/auto-round", "auto-round"}})
        EXPECT_EQ(stored_bytes(model_of(llama(fmt::format(R"({{"quant_method": "{}", "bits": 4}})", name)))),
                  stored_bytes(model_of(llama(fmt::format(R"({{"quant_method": "{}", "bits": 4}})", same)))));
    EXPECT_EQ(stored_bytes(model_of(llama(R"({"quant_method": "modelopt_fp4", "quant_algo": "NVFP4"})"))),
              stored_bytes(model_of(llama(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"))));
}

TEST(ConfigQuantization, of_single_experts_is_refused_however_an_expression_names_them) {
    for (std::string const one : {R"(-:.*experts\\.3\\..*)", R"(-:.*experts\\.(3|5)\\.w2)"})
        EXPECT_THAT(mistakes_of(R"({"model_type": "mixtral", "quantization_config": {"quant_method": "gptq", "bits": 4,
            "dynamic": {")" + one +
                                R"(": {}}}})"),
                    ElementsAre(HasSubstr("formats of single experts are not modelled")));
}

TEST(ConfigQuantization, of_a_file_in_32_bits_is_that_of_its_file_only) {
    auto const model = model_of(R"({"model_type": "llama", "torch_dtype": "float32"})");
    EXPECT_EQ(stored_bytes(model), 4.0 * 6'738'415'616.0);
    EXPECT_EQ(served_bytes(model), 2.0 * 6'738'415'616.0);
}

TEST(ConfigQuantization, that_is_absent_or_switched_off_leaves_16_bits) {
    for (std::string const off : {"null", "false", "{}"}) {
        auto const model = model_of(llama(off));
        EXPECT_EQ(stored_bytes(model), 2.0 * static_cast<double>(total_parameters(model)));
        EXPECT_EQ(text_of(model.weight_format), "16 bits");
    }
    auto const shipped = load_language_model("qwen3-30b-a3b");
    EXPECT_EQ(stored_bytes(shipped), 2.0 * static_cast<double>(total_parameters(shipped)));
}

TEST(ConfigQuantization, that_is_not_modelled_is_refused_by_its_name) {
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "aqlm"})")), list("unknown-method"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "gtpq", "bits": 4})")), list("misspelt-method"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "hqq"})")), ElementsAre(Not(HasSubstr("Did you mean"))));
    for (std::string const type : {"mx", "mx6", "bfp16", "int16", "fp1_2"})
        EXPECT_THAT(
            mistakes_of(llama(fmt::format(
                R"({{"quant_method": "quark", "global_quant_config": {{"weight": {{"dtype": "{}"}}}}}})", type))),
            ElementsAre(HasSubstr(fmt::format("dtype = \"{}\"", type))));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "fp8", "batch_size": 8, "expert_dim": "fp4"})")),
                ElementsAre(HasSubstr("expert_dim = \"fp4\" is not modelled")));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "fp8", "expert_dtype": "int4"})")),
                ElementsAre(HasSubstr("expert_dtype = \"int4\" is not supported (fp4 and fp8 are)")));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "fp8", "store_dtype": "nvfp4"})")),
                ElementsAre(HasSubstr("store_dtype = \"nvfp4\" is not supported (mxfp4 and fp8 are)")));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "compressed-tensors", "transform_config": {"config_groups": {}},
        "config_groups": {"a": {"targets": ["Linear"], "weights": {"num_bits": 4}}}})")),
                ElementsAre(HasSubstr("rotations")));
    EXPECT_THAT(mistakes_of(llama(R"({"bits": 4})")), list("no-method"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "modelopt", "ignore": ["lm_head"]})")),
                ElementsAre(HasSubstr("'quant_algo' is missing")));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "modelopt", "quant_algo": "NVFP4",
                                      "quantization": {"quant_algo": "FP8"}})")),
                ElementsAre(HasSubstr("both 'quant_algo' and the one inside 'quantization'")));
    EXPECT_THAT(mistakes_of(llama(R"("int4")")), list("no-object"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "gptq", "bits": 40, "dynamic": {"+:.*": {"bits": 8}}})")),
                list("bits-and-dynamic"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "fp8", "weight_block_size": [128]})")), list("half-a-block"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "load_in_8bit": true})")),
                list("4-and-8-bits"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "compressed-tensors", "config_groups": {"a": {}, "b": {}}})")),
                list("no-targets"));
    EXPECT_THAT(mistakes_of(llama(R"({"quant_method": "compressed-tensors", "config_groups": {"a": {"targets":
        ["re:.*experts"], "weights": {"num_bits": 4, "strategy": "spiral"}}}})")),
                list("unknown-strategy"));
}

}  // namespace pimdse::models::config_quantization_test
