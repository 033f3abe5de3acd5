#include "dse/cli/model_note.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>

namespace pimdse::dse::cli {
namespace {

/// What a machine that follows the file of a model stores.
std::string followed_text(std::string_view parameter, models::LanguageModel const& model) {
    if (parameter == "weights") return "so does this machine";
    return fmt::format("this machine has {} bits a weight", models::whole_bits(model));
}

/// What the file of the model says of its weights, and whether the machine follows it; "" if it says nothing.
std::string weight_note(models::Parameters const& parameters, models::Point point, std::string const& file,
                        models::LanguageModel const& model) {
    auto const& format = model.weight_format;
    if (format.method.empty()) return "";
    std::string has = "a format of its own, which stays";
    for (std::string_view const name : {"weights", "weight_bits"}) {
        int const own = models::find_parameter(parameters, name);
        if (own < 0) continue;
        auto const i = static_cast<std::size_t>(own);
        auto const value = models::print_value(parameters[i], point[i]);
        if (value == models::as_model_says)
            return fmt::format("{} stores weights as {}; {}\n", file, models::text_of(format),
                               followed_text(name, model));
        has = fmt::format("{} = {}, which --set changes", name, value);
    }
    return fmt::format("{} stores weights as {}; this machine has {}\n", file, models::text_of(format), has);
}

/// What the file says of keys and values, and whether the machine follows it; "" if it says nothing.
std::string cache_note(models::Parameters const& parameters, models::Point point, std::string const& file,
                       models::LanguageModel const& model) {
    auto const bits = models::cache_bits(model);
    if (bits == 0.0) return "";
    std::string has = "this machine has a format of its own, which stays";
    if (int const own = models::find_parameter(parameters, "kv_cache"); own >= 0) {
        auto const& row = parameters[static_cast<std::size_t>(own)];
        auto const value = models::print_value(row, point[static_cast<std::size_t>(own)]);
        bool const there = bits == 8.0 && std::ranges::find(row.choices, "8bit") != row.choices.end();
        has = value != models::as_model_says ? fmt::format("this machine has kv_cache = {}, which --set changes", value)
              : there                        ? "so does this machine"
                                             : fmt::format("this machine has {}", row.choices.front());
    }
    return fmt::format("{} has keys and values of {:.4g} bits; {}\n", file, bits, has);
}

}  // namespace

std::string model_note(models::Parameters const& parameters, models::Point point) {
    int const llm = models::find_parameter(parameters, "llm");
    if (llm < 0) return "";
    auto const at = static_cast<std::size_t>(llm);
    auto const file = models::print_value(parameters[at], point[at]);
    if (!models::names_own_file(file)) return "";
    auto const model = models::load_language_model(file);
    auto text = weight_note(parameters, point, file, model) + cache_note(parameters, point, file, model);
    for (auto const& remark : model.remarks) text += fmt::format("{}: {}\n", file, remark);
    return text;
}

}  // namespace pimdse::dse::cli
