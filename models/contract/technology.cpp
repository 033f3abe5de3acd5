#include "models/contract/technology.hpp"

#include "models/contract/read_once.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <array>
#include <utility>

namespace pimdse::models {
namespace {

constexpr std::array<std::string_view, 3> evidences{"measured", "claimed", "assumed"};
constexpr std::array<std::string_view, 3> scales{"energy", "logic_area", "sram_area"};

std::filesystem::path technology_file() { return data_directory() / "models" / "technology.toml"; }

/// Factors relative to 7 nm, by name of the scale; "none" is 1.
using Factors = std::map<std::string, double, std::less<>>;

Factors factors_of(toml::table const& nodes, std::string const& node, std::filesystem::path const& file,
                   std::vector<std::string>& mistakes) {
    auto const* table = nodes.get_as<toml::table>(node);
    if (table == nullptr) {
        mistakes.push_back(
            fmt::format("{}: there is no node '{}'.{}", file.string(), node, sim::suggestion(node, node_names())));
        return {};
    }
    TableReader reader(*table, file, mistakes);
    Factors factors{{"none", 1.0}};
    for (auto const scale : scales) {
        double const factor = reader.number(scale);
        if (!(factor > 0.0)) reader.mistake(scale, fmt::format("'{}' must be above 0", scale));
        factors.emplace(std::string(scale), factor);
    }
    (void)reader.text("source");
    reader.refuse_unknown_keys();
    return factors;
}

TechnologyRow row_of(toml::table const& table, Factors const& factors, std::filesystem::path const& file,
                     std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    TechnologyRow row;
    auto& constant = row.constant;
    constant.si = reader.number("value");
    constant.unit = reader.text("unit");
    constant.source = reader.text("source");
    constant.file = file.string();
    constant.line = table.source().begin.line;
    row.lower = reader.number("low");
    row.upper = reader.number("high");
    row.evidence = reader.one_of("evidence", {evidences.begin(), evidences.end()});
    constant.assumed = row.evidence == "assumed";
    auto const scale = reader.one_of("scales", {"energy", "logic_area", "sram_area", "none"});
    reader.refuse_unknown_keys();
    if (!(row.lower >= 0.0 && row.lower <= constant.si && constant.si <= row.upper))
        reader.mistake("value", fmt::format("0 <= 'low' <= 'value' <= 'high' does not hold: {} <= {} <= {}", row.lower,
                                            constant.si, row.upper));
    auto const factor = factors.find(scale);
    try {
        auto const unit = sim::parse_unit(constant.unit);
        double const scaled = factor == factors.end() ? 1.0 : factor->second;
        for (auto* number : {&constant.si, &row.lower, &row.upper}) *number = sim::in_si(*number, unit) * scaled;
    } catch (sim::InputError const& error) {
        reader.mistake("unit", error.what());
    }
    return row;
}

std::string changed_row(TechnologyRow& row, std::string const& name, std::string const& text) {
    auto const unit = sim::parse_unit(row.constant.unit);
    auto const value = sim::parse_quantity(text);
    if (value.dimension != unit.dimension)
        return fmt::format("assumption technology.{} = '{}' is {} (it must be {}, in {})", name, text,
                           sim::a_dimension(value.dimension), sim::a_dimension(unit.dimension), row.constant.unit);
    bool const may_be_none = row.lower == 0.0;
    if (!(value.si > 0.0 || (may_be_none && value.si == 0.0)))
        return fmt::format("assumption technology.{} = '{}' must {} 0", name, text,
                           may_be_none ? "not be below" : "be above");
    row.constant.si = value.si;
    row.constant.source = "set under [assumptions.technology]";
    row.changed = true;
    return "";
}

}  // namespace

std::vector<std::string> node_names() {
    auto const read = read_toml(technology_file());
    auto const& content = *read;
    std::vector<std::string> names;
    if (auto const* nodes = content.get_as<toml::table>("node"))
        for (auto const& [key, _] : *nodes) names.emplace_back(key.str());
    return names;
}

Technology Technology::load(Assumptions const& assumptions) {
    auto const path = technology_file();
    auto const rows_at = [](toml::table const& content, std::filesystem::path const& file, std::string const& node) {
        std::map<std::string, TechnologyRow, std::less<>> rows;
        std::vector<std::string> mistakes;
        auto const* nodes = content.get_as<toml::table>("node");
        if (nodes == nullptr) throw sim::InputError("{}: there are no [node.NAME] tables", file.string());
        auto const factors = factors_of(*nodes, node, file, mistakes);
        for (auto const& [key, value] : content) {
            if (key.str() == "node") continue;
            if (auto const* table = value.as_table())
                rows.emplace(std::string(key.str()), row_of(*table, factors, file, mistakes));
            else
                mistakes.push_back(
                    fmt::format("{}: '{}' must be a table with value, unit, low, high, evidence, scales and source",
                                place(file, value.source()), key.str()));
        }
        if (!mistakes.empty()) throw sim::InputError(mistakes);
        return rows;
    };
    Technology technology;
    technology.file_ = path.string();
    technology.rows_ = *read_once<std::map<std::string, TechnologyRow, std::less<>>>(path, rows_at, assumptions.node);
    std::vector<std::string> mistakes;
    for (auto const& [name, text] : assumptions.technology) {
        (void)technology.row(name);
        if (auto mistake = changed_row(technology.rows_.find(name)->second, name, text); !mistake.empty())
            mistakes.push_back(std::move(mistake));
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return technology;
}

sim::Power included_host(Assumptions const& assumptions) {
    if (assumptions.host != Host::included) return {};
    return sim::Power{Technology::load(assumptions).row("host_power").constant.si};
}

TechnologyRow Technology::row(std::string_view name) && { return std::as_const(*this).row(name); }

TechnologyRow const& Technology::row(std::string_view name) const& {
    auto const found = rows_.find(name);
    if (found != rows_.end()) return found->second;
    std::vector<std::string> names;
    for (auto const& [key, _] : rows_) names.push_back(key);
    throw sim::InputError("{}: there is no row '{}'.{}", file_, name, sim::suggestion(name, names));
}

}  // namespace pimdse::models
