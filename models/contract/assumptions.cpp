#include "models/contract/assumptions.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::models {
namespace {

constexpr std::string_view technology_prefix = "technology.", economy_prefix = "economy.";
constexpr std::array<std::string_view, 3> view_names{"own", "hardware", "deployed"};
constexpr std::array<std::string_view, 2> constant_source_names{"papers", "technology"};
constexpr std::array<std::string_view, 3> host_names{"own", "excluded", "included"};
/// Keys of [assumptions]; in addition, [assumptions.technology] has rows of technology.toml and [assumptions.economy]
/// those of economy.toml.
constexpr std::array<std::string_view, 7> assumption_keys{"view", "constants",      "node",          "precision",
                                                          "host", "attained_share", "layer_overhead"};
constexpr std::int64_t max_bits = 64;

/// Position of a text among names. Throws InputError.
std::size_t position_in(auto const& names, std::string_view key, std::string const& text) {
    auto const found = std::ranges::find(names, text);
    if (found == names.end())
        throw sim::InputError("assumption {} = '{}' is unknown.{}", key, text,
                              sim::suggestion(text, {names.begin(), names.end()}));
    return static_cast<std::size_t>(found - names.begin());
}

template <class Choice>
void choose(Choice& member, auto const& names, std::string_view key, std::string const& text) {
    member = static_cast<Choice>(position_in(names, key, text));
}

std::int64_t bits_in(std::string const& text) {
    auto const bits = sim::number_in<std::int64_t>(text);
    if (!bits || *bits < 0 || *bits > max_bits)
        throw sim::InputError(
            "assumption precision = '{}' must be a number of bits, 1 to {} (0: as each machine computes)", text,
            max_bits);
    return *bits;
}

/// Replaces the text with this name, or adds it.
void put(AssumptionTexts& texts, std::string_view name, std::string const& text) {
    auto const found = std::ranges::find(texts, name, &AssumptionTexts::value_type::first);
    if (found == texts.end())
        texts.emplace_back(std::string(name), text);
    else
        found->second = text;
    std::ranges::sort(texts);
}

/// Checks a value as of a parameter: a plain number, or a time.
void check_common(std::string_view key, std::string const& text) {
    auto const value = sim::parse_quantity(text);
    bool const share = key == "attained_share";
    if (share && (!value.dimension.is_number() || !(value.si > 0.0) || value.si > 1.0))
        throw sim::InputError("assumption attained_share = '{}' must be above 0 and at most 1", text);
    if (!share && (value.dimension != sim::parse_unit("s").dimension || value.si < 0.0))
        throw sim::InputError("assumption {} = '{}' must be a time, such as \"55 us\"", key, text);
}

constexpr std::array<std::string_view, 3> basis_names{"own", "bill", "price"};

/// Throws InputError for an unknown one.
void set_cost_basis(Assumptions& assumptions, std::string const& text) {
    bool const is_own = position_in(basis_names, "economy.basis", text) == 0;
    std::erase_if(assumptions.economy, [](auto const& row) { return row.first == basis_row; });
    if (!is_own) assumptions.economy.emplace_back(basis_row, text);
    std::ranges::sort(assumptions.economy);
}

/// The assumption under which machines read a row of technology.toml.
std::string_view reader_of(std::string_view row) {
    if (row == "host_power") return "host included";
    return row == attained_share_name || row.starts_with(layer_overhead_name) ? "view deployed"
                                                                              : "constants technology";
}

}  // namespace

void set_assumption(Assumptions& assumptions, std::string_view key, std::string const& text) {
    auto changed = assumptions;
    if (key == "view") {
        choose(changed.view, view_names, key, text);
    } else if (key == "constants") {
        choose(changed.constants, constant_source_names, key, text);
    } else if (key == "host") {
        choose(changed.host, host_names, key, text);
    } else if (key == "node") {
        (void)position_in(node_names(), key, text);
        changed.node = text;
    } else if (key == "precision") {
        changed.precision = bits_in(text);
    } else if (key == "attained_share" || key == "layer_overhead") {
        check_common(key, text);
        put(changed.common, key, text);
    } else if (key.starts_with(technology_prefix)) {
        put(changed.technology, key.substr(technology_prefix.size()), text);
        (void)Technology::load(changed);
    } else if (key.starts_with(economy_prefix) && key.substr(economy_prefix.size()) == basis_row) {
        set_cost_basis(changed, text);
    } else if (key.starts_with(economy_prefix)) {
        put(changed.economy, key.substr(economy_prefix.size()), text);
        (void)Constants::load(data_directory() / "models" / "economy.toml", {"", changed}, economy_table);
    } else {
        throw sim::InputError("assumption '{}' is unknown.{}", key,
                              sim::suggestion(key, {assumption_keys.begin(), assumption_keys.end()}));
    }
    assumptions = std::move(changed);
}

AssumptionTexts texts_of(Assumptions const& a) {
    Assumptions const plain;
    AssumptionTexts texts;
    if (a.view != plain.view) texts.emplace_back("view", view_names[static_cast<std::size_t>(a.view)]);
    if (a.constants != plain.constants)
        texts.emplace_back("constants", constant_source_names[static_cast<std::size_t>(a.constants)]);
    if (a.node != plain.node) texts.emplace_back("node", a.node);
    if (a.host != plain.host) texts.emplace_back("host", host_names[static_cast<std::size_t>(a.host)]);
    if (a.precision != plain.precision) texts.emplace_back("precision", fmt::format("{}", a.precision));
    texts.insert(texts.end(), a.common.begin(), a.common.end());
    for (auto const& [name, text] : a.technology) texts.emplace_back(std::string(technology_prefix) + name, text);
    for (auto const& [name, text] : a.economy) texts.emplace_back(std::string(economy_prefix) + name, text);
    return texts;
}

std::string text_of(Assumptions const& a, std::string_view key) {
    if (key == "view") return std::string(view_names[static_cast<std::size_t>(a.view)]);
    if (key == "constants") return std::string(constant_source_names[static_cast<std::size_t>(a.constants)]);
    if (key == "host") return std::string(host_names[static_cast<std::size_t>(a.host)]);
    if (key == "precision") return fmt::format("{}", a.precision);
    sim::expects(key == "node", "the key is a key of [assumptions] with one value");
    return a.node;
}

std::string sentence_of(Assumptions const& a) {
    auto sentence = fmt::format("view {}, constants {}", view_names[static_cast<std::size_t>(a.view)],
                                constant_source_names[static_cast<std::size_t>(a.constants)]);
    if (a.constants == ConstantSource::technology)
        sentence += fmt::format(" ({})", a.node);
    else if (a.node != Assumptions{}.node)
        sentence += fmt::format(" (node {} is not read: it belongs to constants technology)", a.node);
    sentence += fmt::format(", host {}", host_names[static_cast<std::size_t>(a.host)]);
    sentence += a.precision > 0 ? fmt::format(", weights of at least {} bit", a.precision)
                                : ", weights as each machine computes them";
    for (auto const& [name, text] : a.common) sentence += fmt::format(", {} {}", name, text);
    for (auto const& [name, text] : a.technology)
        sentence += fmt::format(
            ", {} {}{}", name, text,
            reads_technology_row(a, name) ? "" : fmt::format(" (not read: it belongs to {})", reader_of(name)));
    for (auto const& [name, text] : a.economy) sentence += fmt::format(", {}{} {}", economy_prefix, name, text);
    return sentence;
}

CostBasis cost_basis(Assumptions const& assumptions) {
    auto const found = std::ranges::find(assumptions.economy, basis_row, &AssumptionTexts::value_type::first);
    if (found == assumptions.economy.end()) return CostBasis::own;
    return static_cast<CostBasis>(std::ranges::find(basis_names, found->second) - basis_names.begin());
}

bool reads_technology_row(Assumptions const& assumptions, std::string_view row) {
    auto const reader = reader_of(row);
    auto const key = reader.substr(0, reader.find(' '));
    return text_of(assumptions, key) == reader.substr(key.size() + 1);
}

bool reads_economy_row(Assumptions const& assumptions, std::string_view row) {
    return row != "margin" || cost_basis(assumptions) == CostBasis::price;
}

}  // namespace pimdse::models
