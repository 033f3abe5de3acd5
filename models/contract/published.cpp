#include "models/contract/published.hpp"

#include "models/contract/data_directory.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>

namespace pimdse::models {
namespace {

/// The value of a parameter within the table `key`; on a mistake, a sentence.
std::string value_text(TableReader& reader, std::string_view key, std::string_view parameter, toml::node const& node) {
    try {
        return scalar_text(node);
    } catch (sim::InputError const& error) {
        reader.mistake(key, fmt::format("'{}' of '{}' is no value ({})", parameter, key, error.what()));
        return "";
    }
}

std::vector<std::pair<std::string, std::string>> settings(TableReader& reader, std::string_view key) {
    std::vector<std::pair<std::string, std::string>> result;
    auto const* node = reader.node(key);
    if (node == nullptr) return result;
    if (auto const* table = node->as_table()) {
        for (auto const& [name, value] : *table)
            result.emplace_back(std::string(name.str()), value_text(reader, key, name.str(), value));
    } else {
        reader.mistake(key, fmt::format("'{}' is not a table of parameters", key));
    }
    return result;
}

std::vector<std::pair<std::string, std::vector<std::string>>> read_grid(TableReader& reader) {
    std::vector<std::pair<std::string, std::vector<std::string>>> grid;
    auto const* node = reader.node("grid");
    if (node == nullptr) return grid;
    auto const* table = node->as_table();
    if (table == nullptr) reader.mistake("grid", "'grid' is not a table of parameters");
    for (auto const& [name, values] : table == nullptr ? toml::table{} : *table) {
        auto const* list = values.as_array();
        if (list == nullptr || list->empty()) {
            reader.mistake("grid", fmt::format("'{}' of the grid is no list of values", name.str()));
            continue;
        }
        auto& [parameter, texts] = grid.emplace_back(std::string(name.str()), std::vector<std::string>{});
        for (auto const& value : *list) texts.push_back(value_text(reader, "grid", name.str(), value));
    }
    return grid;
}

PublishedFigure read_figure(toml::table const& table, std::filesystem::path const& file,
                            std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    PublishedFigure figure;
    figure.name = reader.text("name");
    figure.source = reader.text("source");
    figure.metric = reader.text("metric");
    figure.set = settings(reader, "set");
    figure.over = settings(reader, "over");
    figure.grid = read_grid(reader);
    figure.fidelity = reader.text_or("fidelity", "analytic");
    figure.unit = reader.text_or("unit", "1");
    figure.value = reader.number("value");
    figure.tolerance = reader.number("tolerance");
    figure.gate = reader.flag_or("gate", true);
    figure.fitted = reader.flag_or("fitted", false);
    figure.note = reader.text_or("note", "");
    reader.refuse_unknown_keys();
    try {
        figure.value *= sim::parse_unit(figure.unit).in_si;
    } catch (sim::InputError const& error) {
        reader.mistake("unit", error.what());
    }
    return figure;
}

}  // namespace

std::vector<PublishedFigure> load_published(std::string_view architecture) {
    auto const file = data_directory() / "models" / std::string(architecture) / "published.toml";
    std::vector<PublishedFigure> figures;
    std::vector<std::string> mistakes;
    auto const content = read_toml(file);
    if (auto const* list = content.get_as<toml::array>("figure")) {
        for (auto const& entry : *list) {
            if (auto const* table = entry.as_table()) figures.push_back(read_figure(*table, file, mistakes));
        }
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return figures;
}

}  // namespace pimdse::models
