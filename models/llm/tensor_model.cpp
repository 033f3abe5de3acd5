#include "models/llm/tensor_model.hpp"

#include "models/llm/config_json.hpp"
#include "models/llm/config_layers.hpp"
#include "models/llm/config_values.hpp"
#include "models/llm/family.hpp"
#include "models/llm/gguf.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/safetensors.hpp"
#include "models/llm/shape_check.hpp"
#include "models/llm/tensor_shape.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::models {
namespace {

namespace fs = std::filesystem;
using sim::Json;

double bytes_of(TensorFile const& file) {
    double bytes = 0.0;
    for (auto const& tensor : file.tensors) bytes += tensor.bytes;
    return bytes;
}

/// The values of a header about its architecture: "llama.block_count" and the like.
class HeaderValues {
  public:
    HeaderValues(fs::path const& file, Json const& metadata) : file_(file), metadata_(metadata) {
        auto const* name = metadata.member("general.architecture");
        if (name == nullptr || !name->is_string())
            throw sim::InputError("{}: general.architecture is missing", file.string());
        architecture_ = name->get<std::string>();
    }

    [[nodiscard]] std::string const& architecture() const { return architecture_; }
    [[nodiscard]] Json const* find(std::string_view key) const {
        return metadata_.member(fmt::format("{}.{}", architecture_, key));
    }
    /// A number of `least` to `most`; a list of equal ones counts as one.
    [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t least, std::int64_t most,
                                      std::optional<std::int64_t> otherwise = std::nullopt) const {
        if (find(key) == nullptr && otherwise) return *otherwise;
        auto const list = numbers(key, most, {});
        if (list.front() < least) refuse(key);
        if (std::ranges::any_of(list, [&](auto number) { return number != list.front(); }))
            throw sim::InputError("{}: {}.{} differs between layers, which is not modelled", file_.string(),
                                  architecture_, key);
        return list.front();
    }
    /// A number of 0 to `most`, or a list of them; not empty.
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view key, std::int64_t most,
                                                    std::vector<std::int64_t> const& otherwise) const {
        auto const* value = find(key);
        if (value == nullptr && !otherwise.empty()) return otherwise;
        if (value == nullptr || (value->is_array() && value->empty()))
            throw sim::InputError("{}: {}.{} is missing", file_.string(), architecture_, key);
        std::vector<std::int64_t> list;
        for (auto const& entry : value->is_array() ? *value : Json::array({*value})) {
            auto const number = entry.is_number() ? entry.get<double>() : -1.0;
            if (!(number >= 0.0 && number <= static_cast<double>(most)) || number != std::floor(number)) refuse(key);
            list.push_back(static_cast<std::int64_t>(number));
        }
        return list;
    }
    [[noreturn]] void refuse(std::string_view key) const {
        throw sim::InputError("{}: {}.{} = {} is not a number that is possible", file_.string(), architecture_, key,
                              sim::clipped(find(key)->dump()));
    }

  private:
    fs::path const& file_;
    Json const& metadata_;
    std::string architecture_;
};

/// The family of an architecture: of the same name but for signs, or one of these.
std::shared_ptr<ConfigFamily const> family_of(std::string const& architecture) {
    constexpr std::array<std::array<std::string_view, 2>, 7> others{{{"gemma3", "gemma3_text"},
                                                                     {"command-r", "cohere"},
                                                                     {"deepseek2", "deepseek_v3"},
                                                                     {"phi2", "phi"},
                                                                     {"llama4", "llama4_text"},
                                                                     {"mistral3", "ministral3"},
                                                                     {"hunyuan-moe", "hunyuan_v1_moe"}}};
    auto const plain = [](std::string_view name) {
        std::string letters;
        for (char const c : name)
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
                letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return letters;
    };
    auto const other = std::ranges::find(others, architecture, [](auto const& pair) { return pair[0]; });
    if (other != others.end()) return find_family(std::string((*other)[1]));
    auto const names = family_names();
    auto const same = std::ranges::find(names, plain(architecture), plain);
    return same == names.end() ? nullptr : find_family(*same);
}

/// The state of layers with matrices of Mamba or Mamba-2; none if the header has no numbers of one.
StateMixer state_of(HeaderValues const& values) {
    StateMixer state;
    state.convolution = values.number("ssm.conv_kernel", 0, max_heads, 0);
    if (values.find("ssm.inner_size") == nullptr) return state;
    auto const inner = values.number("ssm.inner_size", 1, max_width);
    state.key_dimension = values.number("ssm.state_size", 1, max_heads);
    state.key_heads = values.number("ssm.group_count", 0, max_heads, 0);
    if (state.key_heads > 0) {
        state.kind = StateKind::mamba2;
        state.heads = values.number("ssm.time_step_rank", 1, max_heads);
        state.value_dimension = inner / state.heads;
    } else {
        state.kind = StateKind::mamba;
        state.heads = inner;
        state.key_heads = state.value_dimension = 1;
        state.rank = values.number("ssm.time_step_rank", 1, max_width);
    }
    return state;
}

HeadNumbers heads_of(HeaderValues const& values, std::int64_t hidden) {
    HeadNumbers numbers;
    numbers.heads = values.numbers("attention.head_count", max_heads, {});
    numbers.kv_heads = values.numbers("attention.head_count_kv", max_heads, numbers.heads);
    auto const heads = std::max<std::int64_t>(std::ranges::max(numbers.heads), 1);
    numbers.head_dimension =
        values.number("attention.key_length", 1, max_heads, std::max<std::int64_t>(hidden / heads, 1));
    numbers.experts_active = values.number("expert_used_count", 0, max_experts, 0);
    numbers.state = state_of(values);
    numbers.value_dimension = values.number("attention.value_length", 1, max_heads, numbers.head_dimension);
    numbers.window_dimension = values.number("attention.key_length_swa", 1, max_heads, numbers.head_dimension);
    numbers.window_value_dimension = values.number(
        "attention.value_length_swa", 1, max_heads,
        numbers.window_dimension == numbers.head_dimension ? numbers.value_dimension : numbers.window_dimension);
    numbers.sharing = values.number("attention.shared_kv_layers", 0, max_layers, 0);
    numbers.may_lack_values = values.architecture() == "gemma4";
    if (values.find("attention.indexer.top_k") != nullptr)
        numbers.indexer = {values.number("attention.indexer.head_count", 1, max_heads),
                           values.number("attention.indexer.key_length", 1, max_heads),
                           values.number("attention.indexer.top_k", 1, max_context)};
    if (values.find("attention.kv_lora_rank") != nullptr)
        numbers.rope_dimension = values.number("rope.dimension_count", 1, max_heads);
    return numbers;
}

/// Windows by the values of the header and the rule of the family.
void read_windows(fs::path const& file, HeaderValues const& values, LanguageModel& m, std::vector<LayerKind>& layers) {
    auto fields = Json::object();
    for (auto const* key : {"attention.sliding_window", "attention.chunk_size"})
        if (auto const* window = values.find(key)) fields["sliding_window"] = *window;
    if (fields.empty() || fields["sliding_window"] == Json(0)) return;
    if (auto const* pattern = values.find("attention.sliding_window_pattern")) {
        if (pattern->is_array()) {
            for (auto const& entry : *pattern)
                fields["layer_types"].push_back(entry == Json(true) || entry == Json(1) ? "sliding_attention"
                                                                                        : "full_attention");
        } else {
            fields["sliding_window_pattern"] = *pattern;
        }
    }
    auto const family = family_of(values.architecture());
    if (family == nullptr && !fields.contains("layer_types"))
        throw sim::InputError("{}: which layers of a '{}' have its window is not known", file.string(),
                              sim::clipped(values.architecture()));
    std::vector<std::string> mistakes;
    ConfigReader reader(file, fields, mistakes);
    ConfigValues keys(reader, reader, family == nullptr ? *find_family("mistral") : *family);
    LayerTypes const types(keys, m);
    set_windows(keys, types, layers);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

/// Sets layers and what is left of the parameters, and checks the whole.
void finish(fs::path const& file, TensorParts const& parts, std::vector<LayerKind> const& layers, LanguageModel& m) {
    set_layers(m, layers);
    finish_layers(m);
    std::vector<std::string> mistakes;
    for (auto const& [field, sentence] : shape_mistakes(m))
        mistakes.push_back(fmt::format("{}: {}", file.string(), sentence));
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    m.other_model_parameters = static_cast<std::int64_t>(parts.parameters()) - total_parameters(m);
    if (m.other_model_parameters < 0)
        throw sim::InputError("{}: its tensors have {:.0f} elements, fewer than the {} of their matrices",
                              file.string(), parts.parameters(), total_parameters(m));
    finish_layers(m);
    if (parts.of_further_layers() > 0.0)
        m.remarks.push_back(fmt::format("{:.0f} parameters of layers that predict further tokens are not counted",
                                        parts.of_further_layers()));
}

void refuse_without_config(fs::path const& file) {
    throw sim::InputError("{}: a header has no numbers of heads (the config.json of the model must be beside it)",
                          file.string());
}

/// The shape of tensors whose norms of queries tell the width of a head.
LanguageModel from_tensors_alone(fs::path const& file, TensorFile const& header) {
    TensorEntry const* norm = nullptr;
    for (auto const& tensor : header.tensors)
        if (tensor.name.ends_with("self_attn.q_norm.weight") && tensor.shape.size() == 1) norm = &tensor;
    TensorParts const parts(file, header.tensors, 0);
    bool const whole =
        !parts.layers().empty() && parts.layers().front().contains("q") && parts.layers().front().contains("k");
    LanguageModel m;
    m.name = m.source = file.string();
    if (parts.ends().contains("embedding") && (norm == nullptr || !whole)) refuse_without_config(file);
    HeadNumbers heads{.heads = {0}, .kv_heads = {0}};
    if (whole) {
        heads.head_dimension = heads.value_dimension = norm->shape.front();
        heads.heads = {parts.layers().front().at("q").outputs() / heads.head_dimension};
        heads.kv_heads = {parts.layers().front().at("k").outputs() / heads.head_dimension};
        if (parts.layers().front().contains("experts.down")) refuse_without_config(file);
    }
    auto const layers = shape_of_tensors(file, parts, heads, m);
    m.maximum_context = max_context;
    m.remarks.emplace_back("without config.json its context and windows are not known: all positions are attended to");
    finish(file, parts, layers, m);
    return m;
}

/// Compares what a header has with the shape and the formats that a config.json states; bytes may differ by a percent.
void compare(fs::path const& file, TensorFile const& header, LanguageModel& m) {
    constexpr int parts = 100;
    double const stated = stored_bytes(m);
    auto const* total = header.metadata.member("total_size");
    m.file_bytes = total != nullptr ? total->get<double>() : bytes_of(header);
    double elements = 0.0;
    for (auto const& tensor : header.tensors) elements += tensor.elements();
    auto const counted = static_cast<double>(total_parameters(m));
    if (total != nullptr)
        m.remarks.push_back(fmt::format("bytes as {} states them; its files are not here", file.filename().string()));
    if (total == nullptr && m.weight_format.method.empty() && elements != counted)
        m.remarks.push_back(
            fmt::format("its tensors have {:.0f} elements, and the shape {:.0f} parameters", elements, counted));
    else if (std::abs(m.file_bytes - stated) * parts > stated)
        m.remarks.push_back(
            fmt::format("its tensors have {:.0f} bytes, and its shape {:.0f} in the formats that "
                        "config.json states",
                        m.file_bytes, stated));
    for (auto const& tensor : header.tensors) {
        if (!tensor.name.ends_with("embed_tokens.weight") || tensor.shape.size() != 2) continue;
        bool const plain = tensor.format.bits > 8 && tensor.format.floating;
        if (plain && tensor.name.find("vision") == tensor.name.npos && tensor.shape[1] != m.hidden)
            throw sim::InputError("{}: {} is {} x {}, but config.json has hidden_size = {}", file.string(), tensor.name,
                                  tensor.shape[0], tensor.shape[1], m.hidden);
    }
}

/// The only file of a folder with this ending, or the first part of one; nothing if there is none.
std::optional<fs::path> only_file(fs::path const& folder, std::string_view ending) {
    std::vector<fs::path> found;
    for (auto const& entry : fs::directory_iterator(folder)) {
        auto const name = entry.path().filename().string();
        bool const further_part = name.find("-of-") != name.npos && name.find("-00001-of-") == name.npos;
        if (name.ends_with(ending) && !further_part && !name.starts_with("mmproj")) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    if (found.size() > 1)
        throw sim::InputError("{}: it has several models ({}, {}, ...). Name one of them?", folder.string(),
                              found[0].filename().string(), found[1].filename().string());
    return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

LanguageModel read_gguf_model(fs::path const& file) {
    auto const header = read_gguf(file);
    HeaderValues const values(file, header.metadata);
    LanguageModel m;
    m.source = file.string();
    auto const* name = header.metadata.member("general.name");
    m.name = name != nullptr && name->is_string() ? name->get<std::string>() : m.source;
    auto const blocks = values.number("block_count", 1, max_layers);
    auto const layers_of_generation = blocks - values.number("nextn_predict_layers", 0, blocks - 1, 0);
    TensorParts const parts(file, header.tensors, layers_of_generation);
    m.weight_format.method = "gguf";
    auto const hidden = values.number("embedding_length", 1, max_width);
    auto layers = shape_of_tensors(file, parts, heads_of(values, hidden), m);
    if (m.layers != layers_of_generation || m.hidden != hidden)
        throw sim::InputError("{}: it says {} layers of {}, but its tensors have {} of {}", file.string(),
                              layers_of_generation, hidden, m.layers, m.hidden);
    m.maximum_context = values.number("context_length", 1, max_context);
    if (values.architecture() == "llada" || values.architecture() == "dream") m.attention = Attention::bidirectional;
    read_windows(file, values, m, layers);
    m.file_bytes = bytes_of(header);
    finish(file, parts, layers, m);
    return m;
}

LanguageModel read_safetensors_model(fs::path const& file) {
    auto const header = read_safetensors(file);
    auto const config = file.parent_path() / "config.json";
    std::error_code error;
    if (!fs::exists(config, error)) {
        if (header.tensors.empty()) refuse_without_config(file);
        return from_tensors_alone(file, header);
    }
    auto m = read_config_json(config);
    compare(file, header, m);
    finish_layers(m);
    return m;
}

LanguageModel read_model_folder(fs::path const& folder) {
    std::error_code error;
    auto const index = only_file(folder, ".safetensors.index.json");
    auto const weights = index ? index : only_file(folder, ".safetensors");
    if (weights) return read_safetensors_model(*weights);
    if (fs::exists(folder / "config.json", error)) return read_config_json(folder / "config.json");
    if (auto const gguf = only_file(folder, ".gguf")) return read_gguf_model(*gguf);
    throw sim::InputError(
        sim::cannot_be_read(folder.string(), "this folder has no config.json, .gguf or .safetensors file"));
}

}  // namespace pimdse::models
