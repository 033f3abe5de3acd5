#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/refused.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

/// Models from the headers of files that a test writes; their weights are holes.
namespace pimdse::models::tensor_model_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFile;

template <class T>
std::string bytes(T value) {
    std::string text(sizeof value, '\0');
    std::memcpy(text.data(), &value, sizeof value);
    return text;
}
std::string text(std::string const& value) { return bytes(std::uint64_t{value.size()}) + value; }

/// A GGUF header in the making.
struct Gguf {
    std::string values, tensors;
    std::uint64_t value_count = 0, tensor_count = 0, data = 0;
    double elements = 0.0;

    void number(std::string const& key, std::uint32_t value) {
        values += text(key) + bytes(std::uint32_t{4}) + bytes(value);
        ++value_count;
    }
    void word(std::string const& key, std::string const& value) {
        values += text(key) + bytes(std::uint32_t{8}) + text(value);
        ++value_count;
    }
    void numbers(std::string const& key, std::vector<std::uint32_t> const& list) {
        values += text(key) + bytes(std::uint32_t{9}) + bytes(std::uint32_t{4}) + bytes(std::uint64_t{list.size()});
        for (auto const entry : list) values += bytes(entry);
        ++value_count;
    }
    /// A type with so many bytes for a block of so many elements; `shape` with the inputs first.
    struct Type {
        std::uint32_t number, block, size;
    };
    void tensor(std::string const& name, std::vector<std::uint64_t> const& shape, Type type) {
        tensors += text(name) + bytes(static_cast<std::uint32_t>(shape.size()));
        std::uint64_t count = 1;
        for (auto const width : shape) {
            tensors += bytes(width);
            count *= width;
        }
        tensors += bytes(type.number) + bytes(data);
        data += count / type.block * type.size;  // multiples of the alignment
        elements += static_cast<double>(count);
        ++tensor_count;
    }
    [[nodiscard]] std::string header() const {
        auto whole = "GGUF" + bytes(std::uint32_t{3}) + bytes(tensor_count) + bytes(value_count) + values + tensors;
        return whole + std::string((32 - whole.size() % 32) % 32, '\0');
    }
};
constexpr Gguf::Type f32{0, 1, 4}, f16{1, 1, 2}, q4_k{12, 256, 144}, q6_k{14, 256, 210}, mxfp4{39, 32, 17};

/// A llama with 4 layers, 512 wide, 8 heads of 64, 2 with keys; `down` has 6 bits in the first two layers.
Gguf small(std::string const& architecture = "llama") {
    Gguf file;
    file.word("general.architecture", architecture);
    auto const key = [&](std::string const& name) { return architecture + "." + name; };
    file.number(key("block_count"), 4);
    file.number(key("context_length"), 4096);
    file.number(key("embedding_length"), 512);
    file.number(key("attention.head_count"), 8);
    file.number(key("attention.head_count_kv"), 2);
    file.tensor("token_embd.weight", {512, 1000}, q6_k);
    file.tensor("output.weight", {512, 1000}, f16);
    file.tensor("output_norm.weight", {512}, f32);
    for (int i = 0; i < 4; ++i) {
        auto const part = [&](std::string const& name) { return fmt::format("blk.{}.{}.weight", i, name); };
        file.tensor(part("attn_q"), {512, 512}, q4_k);
        file.tensor(part("attn_k"), {512, 128}, q4_k);
        file.tensor(part("attn_v"), {512, 128}, q4_k);
        file.tensor(part("attn_output"), {512, 512}, q4_k);
        file.tensor(part("ffn_gate"), {512, 1024}, q4_k);
        file.tensor(part("ffn_up"), {512, 1024}, q4_k);
        file.tensor(part("ffn_down"), {1024, 512}, i < 2 ? q6_k : q4_k);
        file.tensor(part("attn_norm"), {512}, f32);
        file.tensor(part("ffn_norm"), {512}, f32);
    }
    return file;
}

std::vector<std::string> mistakes_of(std::filesystem::path const& file) {
    return mistakes_by([&] { (void)load_language_model(file.string()); });
}

/// The header of a model with two layers, 64 wide, 8 heads of 16, 2 with keys.
std::string safetensors(std::string const& dtype = "BF16", int bytes_each = 2, std::string const& norm = "q_norm") {
    std::string fields;
    std::uint64_t at = 0;
    auto const add = [&](std::string const& name, std::vector<std::uint64_t> const& shape) {
        std::uint64_t size = static_cast<std::uint64_t>(bytes_each);
        std::string widths;
        for (auto const width : shape) {
            size *= width;
            widths += (widths.empty() ? "" : ", ") + std::to_string(width);
        }
        fields += fmt::format(R"({}"{}": {{"dtype": "{}", "shape": [{}], "data_offsets": [{}, {}]}})",
                              fields.empty() ? "" : ", ", name, dtype, widths, at, at + size);
        at += size;
    };
    add("model.embed_tokens.weight", {1000, 64});
    for (int i = 0; i < 2; ++i) {
        auto const part = [&](std::string const& name) { return fmt::format("model.layers.{}.{}.weight", i, name); };
        add(part("self_attn.q_proj"), {128, 64});
        add(part("self_attn.k_proj"), {32, 64});
        add(part("self_attn.v_proj"), {32, 64});
        add(part("self_attn.o_proj"), {64, 128});
        add(part("self_attn." + norm), {16});
        add(part("mlp.gate_proj"), {256, 64});
        add(part("mlp.up_proj"), {256, 64});
        add(part("mlp.down_proj"), {64, 256});
        add(part("input_layernorm"), {64});
    }
    auto const json = "{" + fields + "}";
    return bytes(std::uint64_t{json.size()}) + json + std::string(at, '\0');
}
constexpr std::int64_t of_layer = 64 * (128 * 2 + 32 * 2 + 3 * 256) + 16 + 64;

}  // namespace

TEST(TensorModel, of_gguf_has_the_shapes_types_and_bytes_of_its_tensors) {
    auto const gguf = small();
    TemporaryFile const file(gguf.header(), ".gguf");
    std::filesystem::resize_file(file.path(), gguf.header().size() + gguf.data);
    auto const model = load_language_model(file.path().string());
    EXPECT_EQ(static_cast<double>(total_parameters(model)), gguf.elements);
    EXPECT_EQ(stored_bytes(model), static_cast<double>(gguf.data));
    EXPECT_EQ(model.maximum_context, 4096);
    EXPECT_EQ(model.kv_width(), 128);
    EXPECT_EQ(model.vocabulary, 1000);
    EXPECT_FALSE(model.tied_embedding);
    ASSERT_EQ(alike_layers(model).size(), 2U);
    for (auto const& alike : alike_layers(model)) {
        EXPECT_EQ(alike.layers, 2);
        EXPECT_EQ(alike.ffn, 1024);
        EXPECT_TRUE(alike.gated);
    }
    auto const& first = alike_layers(model).front();
    EXPECT_EQ(bits_per_weight(format_of(first, layer_matrices(first).back())), 6.5625);
    EXPECT_EQ(bits_per_weight(format_of(first, layer_matrices(first).front())), 4.5);
    EXPECT_EQ(head_bytes(model), 2.0 * 512 * 1000);
}

TEST(TensorModel, of_gguf_has_windows_experts_and_fused_matrices) {
    auto gguf = small("gemma2");
    gguf.number("gemma2.attention.sliding_window", 64);
    TemporaryFile const windows(gguf.header(), ".gguf");
    std::filesystem::resize_file(windows.path(), gguf.header().size() + gguf.data);
    auto const model = load_language_model(windows.path().string());
    std::int64_t windowed = 0;
    for (auto const& alike : alike_layers(model)) windowed += alike.window == 64 ? alike.layers : 0;
    EXPECT_EQ(windowed, 2);

    Gguf moe;
    moe.word("general.architecture", "somemoe");
    for (auto const& [key, value] : std::vector<std::pair<std::string, std::uint32_t>>{{"block_count", 1},
                                                                                       {"context_length", 64},
                                                                                       {"embedding_length", 64},
                                                                                       {"attention.head_count", 4},
                                                                                       {"attention.head_count_kv", 1},
                                                                                       {"attention.key_length", 32},
                                                                                       {"expert_used_count", 2}})
        moe.number("somemoe." + key, value);
    moe.tensor("token_embd.weight", {64, 96}, f16);
    moe.tensor("blk.0.attn_qkv.weight", {64, 4 * 32 + 2 * 32}, f16);
    moe.tensor("blk.0.attn_output.weight", {128, 64}, f16);
    moe.tensor("blk.0.ffn_gate_inp.weight", {64, 8}, f32);
    moe.tensor("blk.0.ffn_gate_exps.weight", {64, 32, 8}, mxfp4);
    moe.tensor("blk.0.ffn_up_exps.weight", {64, 32, 8}, mxfp4);
    moe.tensor("blk.0.ffn_down_exps.weight", {32, 64, 8}, mxfp4);
    TemporaryFile const experts(moe.header(), ".gguf");
    std::filesystem::resize_file(experts.path(), moe.header().size() + moe.data);
    auto const sparse = load_language_model(experts.path().string());
    EXPECT_EQ(static_cast<double>(total_parameters(sparse)), moe.elements);
    EXPECT_EQ(stored_bytes(sparse), static_cast<double>(moe.data));
    EXPECT_EQ(sparse.experts, 8);
    EXPECT_EQ(sparse.experts_active, 2);
    EXPECT_EQ(sparse.expert_ffn, 32);
    EXPECT_EQ(sparse.head_dimension, 32);
    EXPECT_TRUE(sparse.tied_embedding);
}

TEST(TensorModel, of_gguf_has_values_of_their_own_width) {
    auto const with_output = [](std::uint64_t width) {
        Gguf gguf;
        gguf.word("general.architecture", "some");
        for (auto const& [key, value] :
             std::vector<std::pair<std::string, std::uint32_t>>{{"block_count", 1},
                                                                {"context_length", 64},
                                                                {"embedding_length", 64},
                                                                {"attention.head_count", 4},
                                                                {"attention.head_count_kv", 2},
                                                                {"attention.key_length", 24},
                                                                {"attention.value_length", 16}})
            gguf.number("some." + key, value);
        gguf.tensor("token_embd.weight", {64, 96}, f16);
        gguf.tensor("blk.0.attn_q.weight", {64, 96}, f16);
        gguf.tensor("blk.0.attn_k.weight", {64, 48}, f16);
        gguf.tensor("blk.0.attn_v.weight", {64, 32}, f16);
        gguf.tensor("blk.0.attn_output.weight", {width, 64}, f16);
        for (auto const* name : {"gate", "up", "down"})
            gguf.tensor(fmt::format("blk.0.ffn_{}.weight", name), {64, 64}, f16);
        return gguf;
    };
    auto const gguf = with_output(64);
    TemporaryFile const file(gguf.header(), ".gguf");
    std::filesystem::resize_file(file.path(), gguf.header().size() + gguf.data);
    auto const model = load_language_model(file.path().string());
    EXPECT_EQ(static_cast<double>(total_parameters(model)), gguf.elements);
    EXPECT_EQ(stored_bytes(model), static_cast<double>(gguf.data));
    EXPECT_EQ(kv_elements_per_token(model), 2 * (24 + 16));
    auto const wide = with_output(96);
    TemporaryFile const other(wide.header(), ".gguf");
    std::filesystem::resize_file(other.path(), wide.header().size() + wide.data);
    EXPECT_THAT(mistakes_of(other.path()),
                ::testing::ElementsAre(::testing::HasSubstr("o is 64 x 96, and not 64 x 64")));
}

TEST(TensorModel, of_gguf_has_layers_without_keys) {
    Gguf gguf;
    gguf.word("general.architecture", "lfm2");
    for (auto const& [key, value] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"block_count", 2}, {"context_length", 64}, {"embedding_length", 64}, {"attention.head_count", 4}})
        gguf.number("lfm2." + key, value);
    gguf.numbers("lfm2.attention.head_count_kv", {0, 2});
    gguf.tensor("token_embd.weight", {64, 96}, f16);
    gguf.tensor("blk.0.shortconv.in_proj.weight", {64, 192}, f16);
    gguf.tensor("blk.0.shortconv.conv.weight", {3, 64}, f32);
    gguf.tensor("blk.0.shortconv.out_proj.weight", {64, 64}, f16);
    gguf.tensor("blk.1.attn_q.weight", {64, 64}, f16);
    gguf.tensor("blk.1.attn_k.weight", {64, 32}, f16);
    gguf.tensor("blk.1.attn_v.weight", {64, 32}, f16);
    gguf.tensor("blk.1.attn_output.weight", {64, 64}, f16);
    for (int i = 0; i < 2; ++i)
        for (auto const* name : {"gate", "up", "down"})
            gguf.tensor(fmt::format("blk.{}.ffn_{}.weight", i, name), {64, 64}, f16);
    TemporaryFile const file(gguf.header(), ".gguf");
    std::filesystem::resize_file(file.path(), gguf.header().size() + gguf.data);
    auto const model = load_language_model(file.path().string());
    EXPECT_EQ(static_cast<double>(total_parameters(model)), gguf.elements);
    ASSERT_EQ(alike_layers(model).size(), 2U);
    EXPECT_FALSE(alike_layers(model)[0].attends);
    EXPECT_EQ(alike_layers(model)[0].state.convolution, 3);
    EXPECT_EQ(alike_layers(model)[1].kv_heads, 2);
    EXPECT_EQ(kv_elements_per_token(alike_layers(model)[1]), 64);
}

TEST(TensorModel, of_a_gguf_file_that_is_cut_or_lies_is_refused_in_one_sentence) {
    auto const gguf = small();
    auto const header = gguf.header();
    for (std::size_t size = 0; size < header.size(); size += 37)
        EXPECT_EQ(mistakes_of(TemporaryFile(header.substr(0, size), ".gguf").path()).size(), 1U) << size;
    EXPECT_THAT(mistakes_of(TemporaryFile(header, ".gguf").path()), ElementsAre(HasSubstr("lies beyond its end")));
    for (std::size_t const at : {std::size_t{8}, std::size_t{16}, std::size_t{24}}) {
        auto large = header;
        large.replace(at, 8, bytes(std::uint64_t{1} << 60U));
        EXPECT_EQ(mistakes_of(TemporaryFile(large, ".gguf").path()).size(), 1U) << at;
    }
    auto without_heads = small();
    without_heads.numbers("llama.attention.head_count", {8, 0, 8, 8});
    auto const at = without_heads.values.find("llama.attention.head_count");
    without_heads.values.erase(at - 8, 8 + 26 + 8);
    --without_heads.value_count;
    TemporaryFile const no_heads(without_heads.header(), ".gguf");
    std::filesystem::resize_file(no_heads.path(), without_heads.header().size() + without_heads.data);
    EXPECT_THAT(mistakes_of(no_heads.path()), ElementsAre(HasSubstr("no heads")));
    auto state = small();
    state.tensor("blk.0.time_mix.weight", {512, 64}, f16);
    TemporaryFile const unknown(state.header(), ".gguf");
    std::filesystem::resize_file(unknown.path(), state.header().size() + state.data);
    EXPECT_THAT(mistakes_of(unknown.path()), ElementsAre(HasSubstr("blk.0.time_mix.weight")));
}

TEST(TensorModel, of_safetensors_has_the_shapes_of_its_tensors) {
    TemporaryFile const file(safetensors(), ".safetensors");
    auto const model = load_language_model(file.path().string());
    EXPECT_EQ(total_parameters(model), 64'000 + 2 * of_layer);
    EXPECT_EQ(model.heads, 8);
    EXPECT_EQ(model.kv_heads, 2);
    EXPECT_EQ(model.layers, 2);
    EXPECT_EQ(stored_bytes(model), 2.0 * static_cast<double>(total_parameters(model)));
    EXPECT_THAT(mistakes_of(TemporaryFile(safetensors("BF16", 2, "other_norm"), ".safetensors").path()),
                ElementsAre(HasSubstr("config.json")));
    EXPECT_THAT(mistakes_of(TemporaryFile(safetensors("F32", 2), ".safetensors").path()),
                ElementsAre(HasSubstr("are not where its header says")));
    auto const whole = safetensors();
    for (std::size_t size = 0; size < whole.size(); size += 5003)
        EXPECT_EQ(mistakes_of(TemporaryFile(whole.substr(0, size), ".safetensors").path()).size(), 1U) << size;
    auto large = whole;
    large.replace(0, 8, bytes(std::uint64_t{1} << 60U));
    EXPECT_EQ(mistakes_of(TemporaryFile(large, ".safetensors").path()).size(), 1U);
}

TEST(TensorModel, of_a_folder_has_the_shape_of_its_config_and_the_bytes_of_its_tensors) {
    auto const folder = std::filesystem::temp_directory_path() / fmt::format("pimdse_folder_{}", ::getpid());
    std::filesystem::create_directory(folder);
    auto const write = [&](std::string const& name, std::string const& content) {
        std::ofstream(folder / name, std::ios::binary) << content;
    };
    std::string const config = R"({"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2,
  "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 256, "vocab_size": 1000,
  "tie_word_embeddings": true)";
    write("config.json", config + "}");
    auto const plain = load_language_model(folder.string());
    write("model.safetensors", safetensors());
    auto const model = load_language_model(folder.string());
    EXPECT_EQ(layer_weights(model), layer_weights(plain));
    EXPECT_EQ(stored_bytes(model), 2.0 * (64'000 + 2 * of_layer));
    EXPECT_THAT(model.remarks, ::testing::Contains(HasSubstr("its tensors have")));
    write("config.json", config + R"(, "quantization_config": {"quant_method": "fbgemm_fp8"}})");
    EXPECT_THAT(load_language_model(folder.string()).remarks,
                ::testing::Contains(HasSubstr("in the formats that config.json states")));
    write("config.json", config + "}");
    std::filesystem::rename(folder / "model.safetensors", folder / "model-00001-of-00001.safetensors");
    write("model.safetensors.index.json", R"({"metadata": {"total_size": 1}, "weight_map": {
  "model.embed_tokens.weight": "model-00001-of-00001.safetensors"}})");
    EXPECT_EQ(stored_bytes(load_language_model((folder / "model.safetensors.index.json").string())),
              stored_bytes(model));
    std::filesystem::remove(folder / "model-00001-of-00001.safetensors");
    EXPECT_EQ(stored_bytes(load_language_model(folder.string())), 1.0) << "as the index says";
    write("config.json", R"({"model_type": "qwen3", "hidden_size": 32})");
    write("model-00001-of-00001.safetensors", safetensors());
    EXPECT_THAT(mistakes_of(folder), ElementsAre(HasSubstr("hidden_size = 32")));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    EXPECT_THAT(mistakes_of(folder), ElementsAre(HasSubstr("no config.json")));
    std::filesystem::remove_all(folder);
}

}  // namespace pimdse::models::tensor_model_test
