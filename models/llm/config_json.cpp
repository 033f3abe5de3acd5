#include "models/llm/config_json.hpp"

#include "models/llm/config_families.hpp"
#include "models/llm/config_quantization.hpp"
#include "models/llm/config_reader.hpp"
#include "models/llm/shape_check.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>

namespace pimdse::models {
namespace {

/// Fields that change no shape but have names like those that do.
void ignore_harmless(ConfigReader& file) {
    file.ignore({"model_type", "architectures", "num_beams", "num_return_sequences", "num_labels",
                 "output_hidden_states", "original_max_position_embeddings", "max_window_layers"});
}

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

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (auto const& family : config_readers()) names.emplace_back(family.name);
    return names;
}

ConfigFamily const* family_named(ConfigReader& file) {
    auto const name = file.text_or("model_type", "");
    auto const found = std::ranges::find(config_readers(), name, &ConfigFamily::name);
    if (found != config_readers().end()) return &*found;
    file.mistake("model_type",
                 name.empty()
                     ? fmt::format("'model_type' is missing (one of {})", fmt::join(family_names(), ", "))
                     : fmt::format("model_type = \"{}\" is not supported (these are: {}).{}", sim::clipped(name),
                                   fmt::join(family_names(), ", "), sim::suggestion(name, family_names())));
    return nullptr;
}

}  // namespace

LanguageModel read_config_json(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    ConfigReader reader(file, mistakes);
    LanguageModel m;
    if (auto const* family = family_named(reader)) {
        ignore_harmless(reader);
        family->read(reader, m);
        if (reader.is_on("quantization_config")) read_quantization(reader, m);
        finish_layers(m);
        m.name = reader.text_or("_name_or_path", file.string());
        m.source = file.string();
        reader.refuse_unknown_shapes();
        if (mistakes.empty())
            for (auto const& [field, sentence] : shape_mistakes(m)) reader.mistake(usual_name(field), sentence);
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return m;
}

}  // namespace pimdse::models
