#include "models/llm/config_json.hpp"

#include "models/llm/config_layers.hpp"
#include "models/llm/config_quantization.hpp"
#include "models/llm/config_reader.hpp"
#include "models/llm/config_shape.hpp"
#include "models/llm/config_values.hpp"
#include "models/llm/family.hpp"
#include "models/llm/shape_check.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace pimdse::models {
namespace {

/// Objects in which files of several models have their text model.
constexpr std::array text_models{"thinker_config", "text_config", "llm_config", "language_config"};

/// The name that most families give a dimension of shape_check.hpp.
std::string_view usual_name(std::string_view dimension) {
    constexpr std::array<std::array<std::string_view, 2>, 5> names{{{"kv_heads", "num_key_value_heads"},
                                                                    {"experts_active", "num_experts_per_tok"},
                                                                    {"expert_ffn", "moe_intermediate_size"},
                                                                    {"ffn", "intermediate_size"},
                                                                    {"hidden", "hidden_size"}}};
    auto const found = std::ranges::find(names, dimension, [](auto const& pair) { return pair[0]; });
    return found == names.end() ? dimension : (*found)[1];
}

/// "qwen3moe" of "Qwen3MoeForCausalLM" and of "qwen3_moe".
std::string plain_name(std::string_view name) {
    std::string plain;
    for (char const c : name.substr(0, name.find("For")))
        if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain;
}

/// The family that `architectures` names, if `model_type` is missing.
std::string family_of_class(ConfigReader& file) {
    auto const classes = file.texts("architectures");
    if (classes.empty()) return "";
    auto const names = family_names();
    auto const found = std::ranges::find(names, plain_name(classes.front()), plain_name);
    return found == names.end() ? "" : *found;
}

std::shared_ptr<ConfigFamily const> family_named(ConfigReader& file, ConfigReader& around) {
    auto name = file.text_or("model_type", "");
    if (name.empty()) name = family_of_class(file);
    if (name.empty()) name = around.text_or("model_type", "");
    if (name.empty()) name = family_of_class(around);
    auto family = find_family(name);
    if (family != nullptr) return family;
    constexpr std::string_view list = "pimdse list families prints those that are read";
    file.mistake("model_type",
                 name.empty() ? fmt::format("'model_type' is missing, and 'architectures' names no family (add the "
                                            "model_type of the whole file; {})",
                                            list)
                              : fmt::format("model_type = \"{}\" is not supported ({})", sim::clipped(name), list));
    return nullptr;
}

/// Says what of a file with several models is read, and what is not counted.
void remark_wrapper(ConfigReader& around, std::vector<std::string> const& path, std::vector<std::string>& remarks) {
    std::vector<std::string> others;
    for (auto const& name : around.names())
        if (name.ends_with("_config") && around.value(name)->is_object() && name != path.front() &&
            name.find("quantization") == name.npos && name.find("compression") == name.npos &&
            name.find("generation") == name.npos)
            others.push_back(name);
    remarks.push_back(
        fmt::format("read by its {}{}", fmt::join(path, "."),
                    others.empty() ? std::string() : fmt::format("; not counted: {}", fmt::join(others, ", "))));
}

void remark_family(ConfigValues& values, std::vector<std::string>& remarks) {
    for (auto const& [field, why] : values.family().noted) {
        if (values.file().is_on(field)) remarks.push_back(fmt::format("{}: {}", field, why));
        values.file().ignore(field);
    }
    if (!values.by_family().empty())
        remarks.push_back(fmt::format("not in the file, so as {} has it: {}", values.family().source,
                                      fmt::join(values.by_family(), ", ")));
}

void read_text_model(ConfigReader& file, ConfigReader& around, LanguageModel& m) {
    auto const family = family_named(file, around);
    if (family == nullptr) return;
    for (auto const* field : {"model_type", "architectures"}) file.ignore(field);
    ConfigValues values(file, around, *family);
    read_shape(values, m);
    auto layers = read_layers(values, m);
    remark_family(values, m.remarks);
    read_quantization(file, around, *family, m, layers);
    set_layers(m, layers);
    finish_layers(m);
    file.refuse_unknown_shapes();
}

}  // namespace

LanguageModel read_config_json(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    ConfigReader around(file, mistakes);
    LanguageModel m;
    m.source = file.string();
    m.name = around.text_or("_name_or_path", "");
    if (m.name.empty()) m.name = file.string();
    std::vector<std::string> path;
    std::optional<ConfigReader> text;
    for (auto const* field : text_models) {
        auto& outer = text ? *text : around;
        if (auto const* inner = outer.value(field); inner == nullptr || !inner->is_object() || inner->empty()) continue;
        path.emplace_back(field);
        text.emplace(outer.inside(field));
    }
    if (!path.empty()) remark_wrapper(around, path, m.remarks);
    auto& own = text ? *text : around;
    read_text_model(own, around, m);
    if (mistakes.empty())
        for (auto const& [field, sentence] : shape_mistakes(m)) own.mistake(usual_name(field), sentence);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return m;
}

}  // namespace pimdse::models
