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
    [[nodiscard]] Given on(std::string const& device, std::string const& weights = "model") const {
        return Given({{"llm", file_.path().string()}, {"device", device}, {"weights", weights}, {"input", "1024"}});
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
