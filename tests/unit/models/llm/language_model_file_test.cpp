#include "models/llm/language_models.hpp"

#include "../contract/temporary_file.hpp"
#include "models/contract/toml_file.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::language_model_file_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Changes = std::vector<std::pair<std::string, std::string>>;

/// A shipped model with other values; "" removes a line.
std::string text_with(Changes const& changes) {
    std::ifstream file(data_directory() / "models" / "llm" / "llada-moe-7b-a1b.toml");
    std::string text;
    for (std::string line; std::getline(file, line);) {
        auto const key = line.substr(0, line.find_first_of(" ="));
        auto const changed = std::ranges::find(changes, key, [](auto const& change) { return change.first; });
        if (changed == changes.end())
            text += line + '\n';
        else if (!changed->second.empty())
            text += fmt::format("{} = {}\n", key, changed->second);
    }
    return text;
}

std::vector<std::string> mistakes_with(Changes const& changes, std::string const& more = "") {
    testing::TemporaryFile const file(text_with(changes) + more);
    return mistakes_by([&] { (void)load_language_model(file.path().string()); });
}

TEST(LanguageModelFile, of_a_users_own_is_read_like_a_shipped_one) {
    EXPECT_THAT(mistakes_with({}), IsEmpty());
    testing::TemporaryFile const file(
        text_with({{"layers", "3"}, {"norm", "\"layernorm\""}, {"published_parameters", ""}}));
    auto const own = load_language_model(file.path().string());
    EXPECT_EQ(own.layers, 3);
    EXPECT_TRUE(own.layer_norm);
    EXPECT_EQ(own.attention, models::Attention::bidirectional);
}

TEST(LanguageModelFile, lacks_no_number_and_has_none_too_many) {
    for (std::string const key :
         {"name", "source", "attention", "layers", "hidden", "heads", "kv_heads", "head_dimension", "ffn", "gated",
          "vocabulary", "tied_embedding", "maximum_context", "qkv_bias", "norm", "positions", "experts_active",
          "expert_ffn", "embedding_projection"})
        EXPECT_THAT(mistakes_with({{key, ""}}), ElementsAre(HasSubstr(key))) << key;
    EXPECT_THAT(
        mistakes_with(
            {{"experts", ""}, {"experts_active", ""}, {"expert_ffn", ""}, {"ffn", "64"}, {"published_parameters", ""}}),
        IsEmpty())
        << "a dense model";
    EXPECT_THAT(mistakes_with({{"note", ""}, {"family", ""}, {"activation", ""}}), IsEmpty()) << "informative keys";
    EXPECT_THAT(mistakes_with({}, "layer = 3\n"), ElementsAre(HasSubstr("layer")));
}

TEST(LanguageModelFile, is_of_a_kind_that_is_known) {
    EXPECT_THAT(mistakes_with({{"attention", "\"bidirectionl\""}}), ElementsAre(HasSubstr("'bidirectional'")));
    EXPECT_THAT(mistakes_with({{"norm", "\"layer_norm\""}}), ElementsAre(HasSubstr("'layernorm'")));
    EXPECT_THAT(mistakes_with({{"positions", "\"absolute\""}}), ElementsAre(HasSubstr("rope")));
}

TEST(LanguageModelFile, has_a_shape_that_there_can_be) {
    EXPECT_THAT(mistakes_with({{"heads", "6"}, {"kv_heads", "4"}}), ElementsAre(says("divide-heads")));
    EXPECT_THAT(mistakes_with({{"kv_heads", "32"}, {"heads", "16"}}), ElementsAre(says("divide")));
    EXPECT_THAT(mistakes_with({{"experts", "4"}, {"experts_active", "5"}, {"expert_ffn", "64"}}),
                ElementsAre(HasSubstr("exceeds")));
    for (auto const* outputs : {"output_rank = 64\n", "output_groups = 4\n", "output_rank = 64\noutput_groups = 3\n"})
        EXPECT_THAT(mistakes_with({{"published_parameters", ""}}, outputs), ElementsAre(HasSubstr("output_groups = ")))
            << outputs;
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}}, "output_rank = 64\noutput_groups = 4\n"), IsEmpty());
    EXPECT_THAT(mistakes_with({{"ffn", "0"}, {"experts", "0"}, {"experts_active", "0"}}),
                ElementsAre(HasSubstr("without experts")));
    EXPECT_THAT(mistakes_with({{"ffn", "0"}, {"published_parameters", ""}}), IsEmpty()) << "experts are enough";
    EXPECT_THAT(mistakes_with({{"experts_active", "0"}, {"expert_ffn", "0"}}),
                ElementsAre(HasSubstr("experts_active = 0 of"), HasSubstr("expert_ffn = 0 with")));
    EXPECT_THAT(
        mistakes_with({{"layers", "4096"}, {"experts", "16384"}, {"experts_active", "2"}, {"expert_ffn", "16777216"}}),
        ElementsAre(says("parameters-most")));
    std::string const indexer = "indexer = { heads = 2, dimension = 4, positions = 8, pool = ";
    Changes const chosen{{"attention", "\"causal\""}, {"published_parameters", ""}};
    EXPECT_THAT(mistakes_with(chosen, indexer + "4 }\n"), IsEmpty());
    EXPECT_THAT(mistakes_with(chosen, indexer + "0 }\n"), ElementsAre(HasSubstr("pool")));
    for (auto const* wrong : {"0", "-1", "4097", "1.5", "\"many\""})
        EXPECT_THAT(mistakes_with({{"layers", wrong}}), ElementsAre(HasSubstr("layers"))) << wrong;
}

TEST(LanguageModelFile, has_as_many_parameters_as_it_says) {
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}, {"layers", "3"}}), IsEmpty());
    EXPECT_THAT(mistakes_with({{"published_parameters", "7.42e9"}}), IsEmpty());
    EXPECT_THAT(mistakes_with({{"published_parameters", "7.44e9"}}),
                ElementsAre(AllOf(HasSubstr(".toml:6"), HasSubstr("7.44e+09"), HasSubstr("7.35"))));
    EXPECT_THAT(mistakes_with({{"layers", "17"}}), ElementsAre(HasSubstr("published_parameters = 7.36e+09")));
    for (auto const* wrong : {"0", "-1"})
        EXPECT_THAT(mistakes_with({{"published_parameters", wrong}}), ElementsAre(HasSubstr("published_parameters")));
}

constexpr auto* two_kinds = R"(
[[layer_kind]]
layers = 4
window = 128
ffn = 64
experts = 0
experts_active = 0
expert_ffn = 0

[[layer_kind]]
layers = 12
ffn = 0
experts = 8
experts_active = 2
expert_ffn = 32
)";
Changes const no_layers{{"layers", ""},         {"ffn", ""},        {"experts", ""},
                        {"experts_active", ""}, {"expert_ffn", ""}, {"published_parameters", ""}};

TEST(LanguageModelFile, may_have_several_kinds_of_layers) {
    testing::TemporaryFile const file(text_with(no_layers) + two_kinds);
    auto const model = load_language_model(file.path().string());
    EXPECT_EQ(model.layers, 16);
    ASSERT_EQ(alike_layers(model).size(), 2U);
    EXPECT_EQ(alike_layers(model)[0].window, 128);
    EXPECT_EQ(alike_layers(model)[1].experts_active, 2);
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}}, two_kinds), list("kinds-beside-layers"));
    EXPECT_THAT(mistakes_with(no_layers, "layer_kind = []"), list("no-kinds"));
    EXPECT_THAT(mistakes_with(no_layers, std::string(two_kinds) + "windows = 3"), list("key-of-a-kind"));
}

TEST(LanguageModelFile, may_have_latent_attention) {
    std::string const latent = "kv_rank = 512\nquery_rank = 0\nrope_dimension = 64\nvalue_dimension = 128\n";
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}}, latent), IsEmpty());
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}}, "rope_dimension = 64"), list("latent-without-rank"));
    EXPECT_THAT(mistakes_with({{"published_parameters", ""}, {"kv_heads", "4"}}, "kv_rank = 512\nrope_dimension = 500"),
                list("latent-shapes"));
}

TEST(LanguageModelFile, may_have_values_and_experts_of_other_widths) {
    Changes const free{{"published_parameters", ""}};
    EXPECT_THAT(mistakes_with(free, "value_dimension = 64"), IsEmpty());
    EXPECT_THAT(mistakes_with(free, "value_dimension = 64\nvalues_from_keys = true"), list("narrow-keys"));
    EXPECT_THAT(mistakes_with(free, "expert_inputs = 64"), IsEmpty());
    Changes const dense{
        {"published_parameters", ""}, {"experts", "0"}, {"experts_active", "0"}, {"expert_ffn", "0"}, {"ffn", "64"}};
    EXPECT_THAT(mistakes_with(dense, "expert_inputs = 64"), list("no-experts-to-narrow"));
}

TEST(LanguageModelFile, tells_all_mistakes_at_once_with_their_lines) {
    auto const found = mistakes_with({{"layers", "0"}, {"gated", "7"}, {"hidden", ""}});
    EXPECT_EQ(found.size(), 3U);
    for (auto const& sentence : found) EXPECT_THAT(sentence, HasSubstr(".toml"));
    EXPECT_THAT(found, ::testing::Contains(AllOf(HasSubstr("layers"), HasSubstr(":"))));
}

}  // namespace
}  // namespace pimdse::models::language_model_file_test
