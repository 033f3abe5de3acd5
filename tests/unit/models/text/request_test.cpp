#include "models/llm/weight_format.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/models/text/folder.hpp"
#include "tests/unit/models/text/given.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Weights in the format of the model's file.
namespace pimdse::models::text::test::request_test {
namespace {

/// Llama-3-8B with this `quantization_config`; "" for none.
std::string config(std::string const& quantization) {
    return R"({"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "hidden_act": "silu",
        "max_position_embeddings": 8192, "tie_word_embeddings": false)" +
           (quantization.empty() ? "}" : R"(, "quantization_config": )" + quantization + "}");
}

constexpr auto gptq = R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": false, "sym": true})";
constexpr auto fp8 = R"({"quant_method": "fp8", "weight_block_size": [128, 128]})";

/// A request to the model of this file.
class Quantized {
  public:
    explicit Quantized(std::string const& quantization) : file_(config(quantization), ".json") {}
    [[nodiscard]] Given on(std::string const& device, std::string const& weights = "model",
                           std::string const& input = "1024", std::string const& overhead = "55 us") const {
        return Given({{"llm", file_.path().string()},
                      {"device", device},
                      {"weights", weights},
                      {"input", input},
                      {"layer_overhead", overhead}});
    }

  private:
    testing::TemporaryFile file_;
};

/// A machine that makes a choice in its file is one whose points make it, without the parameter.
TEST(Formats, may_be_fixed_in_a_file) {
    Folder const folder;
    auto const fixed = architecture(folder.with(
        "own.toml", "base = \"tpu_v4i\"\nname = \"own\"\n[format]\nweights = \"int8\"\nkv_cache = \"fp16\"\n"));
    auto const asked = architecture(folder.with("asked.toml", "base = \"tpu_v4i\"\nname = \"asked\"\n"));
    EXPECT_LT(find_parameter(fixed.parameters(), "weights"), 0);
    EXPECT_LT(find_parameter(fixed.parameters(), "kv_cache"), 0);
    Given const own(fixed, {{"input", "1024"}}),
        same(asked, {{"input", "1024"}, {"weights", "int8"}, {"kv_cache", "fp16"}});
    for (auto const* metric : {"latency", "energy", "footprint", "precision"})
        EXPECT_EQ(own.metric(metric).value, same.metric(metric).value) << metric;
    EXPECT_EQ(own.inputs.as<Prepared>().requests().read(own.point, std::vector<bool>(8, true)).follows_file, false);
    EXPECT_THROW((void)architecture(
                     folder.with("wrong.toml", "base = \"tpu_v4i\"\nname = \"wrong\"\n[format]\nweights = \"int3\"\n")),
                 sim::InputError);
}

/// The format of products.
std::string format_of(Given const& g) { return g.prepared().machine().file().formats[g.design().request.format]; }

TEST(Formats, of_a_file_decide_what_is_read_and_stored) {
    auto const g = Quantized(gptq).on("a100");
    auto const d = g.design();
    auto const& r = d.request;
    EXPECT_TRUE(r.stored_as_file());
    EXPECT_EQ(format_of(g), "fp16");
    EXPECT_EQ(g.metric("precision").value, 4.0);
    double const cached = 1.0 * (1024 + 128) * 2 * 1024 * 32 * 2;
    EXPECT_EQ(g.metric("footprint").value, stored_bytes(*r.model) + cached);
    double bytes = 0.0;
    for (auto const& matrix : layer_matrices(*r.model)) bytes += 32.0 * matrix_bytes(*r.model, matrix);
    auto const pass = token_pass(verification_passes({}, r.input, 1));
    EXPECT_EQ(work_of(pass, d, "weights.").weight_bytes, bytes);
    EXPECT_EQ(work_of(pass, d, "lm_head").weight_bytes, 2.0 * 4096 * 128256) << "it is not converted";
}

TEST(Formats, of_a_file_are_expanded_where_a_board_does_not_multiply_in_them) {
    Quantized const file(fp8);
    EXPECT_EQ(format_of(file.on("h100")), "fp8");
    EXPECT_EQ(format_of(file.on("a100")), "fp16");
    EXPECT_EQ(file.on("a100").rule(), "");
    EXPECT_EQ(file.on("a100").metric("precision").value, 8.0);
    EXPECT_LT(file.on("a100").metric("itl").value, 0.65 * file.on("a100", "fp16").metric("itl").value);
    EXPECT_GT(file.on("a100").metric("ttft").value, 0.9 * file.on("a100", "fp16").metric("ttft").value)
        << "a prompt is limited by products, which are the same";
}

/// The formats of products by the matrix of queries, that of an expert's gate and the LM head.
std::vector<std::string> formats_of(Given const& g) {
    auto const design = g.design();
    auto const& r = design.request;
    std::vector<std::string> all;
    auto const add = [&](NumberFormat const& stored) {
        all.push_back(g.prepared().machine().file().formats[r.products_in(stored).format]);
    };
    for (auto const* name : {"q", "gate"})
        for (auto const& matrix : layer_matrices(*r.model))
            if (matrix.name == name) add(format_of(*r.model, matrix));
    add(format_of_head(*r.model));
    return all;
}

std::string compressed(std::string const& weights, std::string const& activations) {
    return fmt::format(R"({{"quant_method": "compressed-tensors", "format": "packed", "ignore": ["lm_head"],
        "config_groups": {{"g": {{"targets": ["Linear"], "weights": {}, "input_activations": {}}}}}}})",
                       weights, activations);
}

std::string modelopt(std::string const& name, std::string const& more = "") {
    return fmt::format(R"({{"quant_method": "modelopt", "quant_algo": "{}"{}}})", name, more);
}

/// NVIDIA: Ampere multiplies in fp16 and int8, Hopper in fp8, too, and Blackwell in fp4 and all of these.
TEST(Formats, of_products_are_the_narrowest_with_weights_and_activations_of_each_matrix) {
    constexpr auto int8 = R"({"num_bits": 8, "type": "int"})", int4 = R"({"num_bits": 4, "type": "int"})",
                   floats = R"({"num_bits": 8, "type": "float"})";
    struct Row {
        std::string config, device, layers, head;
    };
    for (auto const& [config, device, layers, head] :
         std::vector<Row>{{modelopt("NVFP4"), "rtx_pro_6000", "fp4", "fp4"},
                          {modelopt("NVFP4"), "h100", "fp8", "fp8"},
                          {modelopt("NVFP4"), "a100", "fp16", "fp16"},
                          {modelopt("NVFP4", R"(, "ignore": ["lm_head"])"), "rtx_pro_6000", "fp4", "fp16"},
                          {modelopt("W4A16_NVFP4"), "rtx_pro_6000", "fp16", "fp16"},
                          {modelopt("W4A16_AWQ"), "rtx_pro_6000", "fp16", "fp16"},
                          {modelopt("W4A8_AWQ"), "h100", "fp8", "fp8"},
                          {modelopt("W4A8_AWQ"), "a100", "fp16", "fp16"},
                          {modelopt("FP8_PB_WO"), "h100", "fp16", "fp16"},
                          {gptq, "rtx_pro_6000", "fp16", "fp16"},
                          {fp8, "rtx_pro_6000", "fp8", "fp16"},
                          {compressed(int8, int8), "a100", "int8", "fp16"},
                          {compressed(int8, "null"), "a100", "fp16", "fp16"},
                          {compressed(int4, int8), "h100", "int8", "fp16"},
                          {compressed(int4, int4), "h100", "int8", "fp16"},
                          {compressed(int4, floats), "h100", "fp8", "fp16"},
                          {R"({"load_in_8bit": true, "quant_method": "bitsandbytes"})", "a100", "int8", "fp16"}}) {
        SCOPED_TRACE(config + " on " + device);
        Quantized const file(config);
        EXPECT_EQ(formats_of(file.on(device)), (std::vector{layers, layers, head}));
    }
    Quantized const without_attention(modelopt("NVFP4", R"(, "exclude_modules": ["*self_attn*", "lm_head"])"));
    auto const mixed = without_attention.on("rtx_pro_6000");
    EXPECT_EQ(formats_of(mixed), (std::vector<std::string>{"fp16", "fp4", "fp16"}));
    EXPECT_EQ(mixed.machine->products(mixed.inputs, mixed.point), "4-bit x fp4 and 16-bit x fp16");
}

/// Products of a long prompt take the time of arithmetic: that of all of them in either format, in proportion.
TEST(Formats, of_single_matrices_have_their_own_rates) {
    auto const prompt = [](Quantized const& file, char const* weights) {
        auto const g = file.on("rtx_pro_6000", weights, "4096", "0 s");
        auto const design = g.design();
        return cost_of(design, design.request, prompt_pass(design.request), Phase::prefill)
            .seconds[g.rule_of(Operator::q)];
    };
    Quantized const file(modelopt("NVFP4", R"(, "exclude_modules": ["*self_attn*"])"));
    double of_attention = 0.0, all = 0.0;
    auto const g = file.on("a100");
    auto const design = g.design();
    for (auto const& matrix : layer_matrices(*design.request.model)) {
        double const weights = static_cast<double>(matrix.inputs * matrix.outputs);
        all += weights;
        if (matrix.name == "q" || matrix.name == "k" || matrix.name == "v" || matrix.name == "o")
            of_attention += weights;
    }
    double const wide = prompt(file, "fp16"), narrow = prompt(file, "fp4");
    EXPECT_GT(wide, 2.0 * narrow);
    double const expected = narrow + (wide - narrow) * of_attention / all;
    EXPECT_NEAR(prompt(file, "model"), expected, 0.01 * expected);
}

TEST(Formats, of_a_draft_model_are_those_of_its_own_file) {
    Quantized const target(modelopt("NVFP4")), plain("");
    auto const g = target.on("rtx_pro_6000");
    auto request = g.design().request;
    auto const other = plain.on("rtx_pro_6000");
    auto const without_file = other.design().request;
    request.speculation = {.draft = 2, .draft_model = without_file.model};
    auto const draft = of_draft(request);
    EXPECT_EQ(draft.format, without_file.format);
    EXPECT_EQ(weight_footprint(draft), weight_footprint(without_file));
}

TEST(Formats, that_a_user_names_come_before_those_of_the_file) {
    EXPECT_EQ(Quantized(gptq).on("a100", "fp16").metric("latency").value,
              Quantized("").on("a100", "fp16").metric("latency").value);
    EXPECT_EQ(Quantized(gptq).on("a100", "int8").metric("footprint").value,
              Quantized("").on("a100", "int8").metric("footprint").value);
}

TEST(Formats, are_fp16_where_no_file_names_one) {
    Quantized const plain("");
    for (auto const* metric : {"ttft", "itl", "latency", "energy", "footprint", "precision"})
        EXPECT_EQ(plain.on("h100").metric(metric).value, plain.on("h100", "fp16").metric(metric).value) << metric;
    auto const a = plain.on("h100"), b = plain.on("h100", "fp16");
    EXPECT_EQ(shipped().proofs.cycle_key(a.inputs, a.point), shipped().proofs.cycle_key(b.inputs, b.point));
    auto const c = Quantized(gptq).on("h100"), e = Quantized(gptq).on("h100", "fp16");
    EXPECT_NE(shipped().proofs.cycle_key(c.inputs, c.point), shipped().proofs.cycle_key(e.inputs, e.point));
}

}  // namespace
}  // namespace pimdse::models::text::test::request_test
