#include "dse/store/result_schema.hpp"

#include "dse/space/columns.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <unordered_set>

namespace pimdse::dse::store::schema {
namespace {

constexpr std::array<std::string_view, 5> kind_names{"integer", "quantity", "choice", "flag", "permutation"};
constexpr std::array<std::string_view, 3> sense_names{"minimize", "maximize", "none"};

template <class T, std::size_t N>
T named(std::array<std::string_view, N> const& names, std::string_view name, std::string_view what) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        throw sim::InputError("unknown {} '{}' in a result file (was it written by a newer version?)", what, name);
    return static_cast<T>(found - names.begin());
}

struct NamedDimension {
    sim::Dimension dimension;
    std::string_view name;
};
constexpr std::array si_units{
    NamedDimension{{.second = -1}, "Hz"},
    NamedDimension{{.second = -1, .joule = 1}, "W"},
    NamedDimension{{.metre = 2}, "m2"},
    NamedDimension{{.second = -1, .operation = 1}, "FLOP/s"},
};

void multiply(std::string& into, int exponent, std::string_view unit) {
    if (exponent == 0) return;
    if (!into.empty()) into += "*";
    into += exponent == 1 ? std::string(unit) : fmt::format("{}^{}", unit, exponent);
}

std::string written_out(sim::Dimension dimension) {
    std::string text;
    multiply(text, dimension.money, "USD");
    multiply(text, dimension.mass, "kg");
    multiply(text, dimension.joule, "J");
    multiply(text, dimension.byte, "B");
    multiply(text, dimension.operation, "FLOP");
    multiply(text, dimension.metre, "m");
    if (dimension.second < 0 && !text.empty())
        return fmt::format("{}/s{}", text, dimension.second == -1 ? "" : std::to_string(-dimension.second));
    multiply(text, dimension.second, "s");
    return text;
}

}  // namespace

std::string_view name_of(models::Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
models::Kind kind_named(std::string_view name) { return named<models::Kind>(kind_names, name, "kind of parameter"); }
std::string_view name_of(models::Sense sense) { return sense_names[static_cast<std::size_t>(sense)]; }
models::Sense sense_named(std::string_view name) { return named<models::Sense>(sense_names, name, "sense"); }

std::string si_unit(std::string_view unit) {
    if (unit.empty()) return "";
    auto const dimension = sim::parse_unit(unit).dimension;
    if (dimension.is_number()) return std::string(unit);
    auto const found = std::find_if(si_units.begin(), si_units.end(),
                                    [&](NamedDimension const& known) { return known.dimension == dimension; });
    return found != si_units.end() ? std::string(found->name) : written_out(dimension);
}

std::size_t longest_text(models::Parameter const& parameter) {
    std::size_t longest = 0;
    for (auto const& choice : parameter.choices) longest = std::max(longest, choice.size());
    std::size_t joined = 0;
    for (auto const& item : parameter.items) joined += item.size() + 1;
    return std::max(longest, joined == 0 ? 0 : joined - 1);
}

std::pair<std::string, std::string> name_and_scenario(std::string_view metric) {
    auto const at = space::is_formula(metric) ? std::string_view::npos : metric.find('@');
    if (at == std::string_view::npos) return {std::string(metric), ""};
    return {std::string(metric.substr(0, at)), std::string(metric.substr(at + 1))};
}

std::string name_in(std::string_view scenario, std::string_view metric) {
    return scenario.empty() ? std::string(metric) : fmt::format("{}@{}", metric, scenario);
}

std::vector<std::string> scenarios_in(models::MetricList const& metrics) {
    std::vector<std::string> scenarios;
    std::unordered_set<std::string> known;
    for (auto const& metric : metrics) {
        auto const scenario = name_and_scenario(metric.name).second;
        if (!scenario.empty() && known.insert(scenario).second) scenarios.push_back(scenario);
    }
    return scenarios;
}

std::uint64_t version_for(models::MetricList const& metrics) {
    return std::ranges::any_of(metrics,
                               [](auto const& metric) { return !name_and_scenario(metric.name).second.empty(); })
               ? version
               : version - 1;
}

std::string dataset_name(std::string_view metric) {
    std::string name;
    for (char const c : metric) {
        if (c == '/')
            name += "\u2215";
        else
            name += c;
    }
    return name;
}

std::string flag_meanings(std::span<std::string_view const> names) { return fmt::format("{}", fmt::join(names, " ")); }

}  // namespace pimdse::dse::store::schema
