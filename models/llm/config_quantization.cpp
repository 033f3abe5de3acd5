#include "models/llm/config_quantization.hpp"

#include "models/llm/config_methods.hpp"
#include "models/llm/config_modules.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <optional>
#include <string>

namespace pimdse::models {
namespace {

/// Bits of a parameter that is not converted.
double plain_bits(ConfigReader& file, ConfigReader& around) {
    for (auto* reader : {&file, &around}) {
        auto const dtype = reader->text_or("dtype", reader->text_or("torch_dtype", ""));
        if (dtype.ends_with("float64")) return 64;
        if (dtype.ends_with("float32") || dtype == "float") return 32;
        if (dtype.find("float8") != dtype.npos) return 8;
        if (!dtype.empty()) break;
    }
    return 16;
}

/// The object that states formats, and where it is.
struct Section {
    ConfigReader reader;
    std::string field;
};

std::optional<Section> section_of(ConfigReader& file, ConfigReader& around) {
    for (auto* outer : {&file, &around}) {
        for (auto const* field : {"quantization_config", "compression_config", "quantization"}) {
            if (!outer->is_on(field)) continue;
            for (auto const* same : {"quantization_config", "compression_config", "quantization"}) outer->ignore(same);
            return Section{outer->inside(field), field};
        }
    }
    return std::nullopt;
}

/// The method that a section names, or whose keys it has.
std::string method_of(Section& section, bool of_mlx) {
    auto& reader = section.reader;
    auto name = reader.text_or("quant_method", "");
    if (!name.empty()) return name;
    if (reader.has("load_in_8bit") || reader.has("load_in_4bit")) return "bitsandbytes";
    if (reader.has("quant_algo")) return "modelopt";
    if (reader.has("config_groups")) return "compressed-tensors";
    return of_mlx && reader.has("bits") ? "mlx" : "";
}

void read_section(ConfigReader& outer, Section section, bool of_mlx, ConfigFamily const& family, LanguageModel& model,
                  std::vector<LayerKind>& layers) {
    if (section.reader.names().empty()) return;
    auto const name = method_of(section, of_mlx);
    auto const found = std::ranges::find(format_methods(), name, &FormatMethod::name);
    if (found != format_methods().end()) {
        FormatRules rules;
        rules.method = name;
        found->read(section.reader, rules);
        if (rules.usual != NumberFormat{} || !rules.rules.empty() || rules.cache != NumberFormat{})
            set_formats(section.reader, family, rules, model, layers);
        return;
    }
    std::vector<std::string> names;
    for (auto const& method : format_methods()) names.emplace_back(method.name);
    if (name.empty())
        outer.mistake(section.field, fmt::format("'quant_method' is missing (one of {})", fmt::join(names, ", ")));
    else
        section.reader.mistake("quant_method", fmt::format("quant_method = \"{}\" is not supported.{}",
                                                           sim::clipped(name), sim::suggestion(name, names)));
}

}  // namespace

void read_quantization(ConfigReader& file, ConfigReader& around, ConfigFamily const& family, LanguageModel& model,
                       std::vector<LayerKind>& layers) {
    model.plain_bits = plain_bits(file, around);
    bool const of_mlx = file.is_on("quantization") || around.is_on("quantization");
    if (auto section = section_of(file, around)) {
        read_section(file, std::move(*section), of_mlx, family, model, layers);
        return;
    }
    auto const beside = file.file().parent_path() / "hf_quant_config.json";
    std::error_code error;
    if (file.file().filename() != "config.json" || !std::filesystem::exists(beside, error)) return;
    auto other = file.other(beside);
    model.remarks.push_back(fmt::format("formats of weights as in {}", beside.string()));
    read_section(other, {other.inside("quantization"), "quantization"}, false, family, model, layers);
}

}  // namespace pimdse::models
