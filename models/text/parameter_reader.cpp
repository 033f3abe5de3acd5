#include "models/text/parameter_reader.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/head.hpp"
#include "models/text/request.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace pimdse::models::text {
namespace {

/// A number in SI with the unit of a parameter, or plain.
double in_unit(toml::node const& node, sim::Unit const& unit) {
    auto const text = scalar_text(node);
    auto const quantity = sim::parse_quantity(text);
    if (quantity.dimension.is_number()) return sim::in_si(quantity.si, unit);
    if (quantity.dimension != unit.dimension)
        throw sim::InputError(sim::units_differ(quantity.dimension, unit.dimension, "compared"));
    return quantity.si;
}

std::vector<std::string> texts_of_list(toml::array const& list) {
    std::vector<std::string> texts;
    for (auto const& entry : list) texts.push_back(scalar_text(entry));
    return texts;
}

Parameter choice_of(std::string const& name, TableReader& keys, std::string const& meaning) {
    auto const* list = keys.node("choices")->as_array();
    if (list == nullptr || list->empty()) throw sim::InputError("'choices' is not a list of names");
    auto const choices = texts_of_list(*list);
    for (auto const& one : choices)
        if (std::ranges::count(choices, one) > 1)
            throw sim::InputError(fmt::format("'{}' is twice among the choices", one));
    auto const chosen = keys.text_or("default", choices.front());
    if (std::ranges::find(choices, chosen) == choices.end())
        throw sim::InputError(
            fmt::format("the default '{}' is not a choice.{}", chosen, sim::suggestion(chosen, choices)));
    return choice(name, choices, chosen, meaning);
}

Parameter number_of(std::string const& name, TableReader& keys, std::string const& meaning) {
    auto const* given = keys.node("default");
    if (given == nullptr) throw sim::InputError("'default' is missing");
    auto const* const bounds = keys.node("limits");
    (void)keys.node("whole");  // known also where the unit is a mistake
    bool const says_unit = keys.node("unit") != nullptr;
    auto const unit_text = keys.text_or("unit", "");
    auto const unit = sim::parse_unit(unit_text.empty() ? "1" : unit_text);
    double value = in_unit(*given, unit);
    if (!std::isfinite(value)) throw sim::InputError("the default is not finite");
    Limits limits = unlimited;
    if (bounds != nullptr) {
        auto const* list = bounds->as_array();
        if (list == nullptr || list->size() != 2)
            throw sim::InputError("'limits' is not a pair of numbers [lower, upper]");
        limits = {in_unit((*list)[0], unit), in_unit((*list)[1], unit)};
        if (!(limits.lower <= limits.upper)) throw sim::InputError("'limits' has the larger number first");
        if (!(limits.lower <= value && value <= limits.upper)) {
            keys.mistake("default", fmt::format("parameter '{}': the default is not within the limits", name));
            value = limits.lower;  // so that what reads the parameter is not reported, too
        }
    }
    bool const common = name == attained_share_name || name == layer_overhead_name;
    bool const whole = !common && keys.flag_or("whole", given->is_integer() && unit.dimension.is_number());
    if (!whole) return quantity(name, says_unit ? unit_text : "1", value, limits, meaning);
    double const units = value / unit.in_si;
    auto const whole_units = sim::exact_whole(units);
    if (!whole_units) throw sim::InputError("the default is not a whole number");
    return count(name, unit_text, *whole_units, {limits.lower / unit.in_si, limits.upper / unit.in_si}, meaning);
}

/// Every machine has this parameter in the same unit and within the same limits.
void expect_fits(Parameter const& own, Parameter const& of_all) {
    auto const unit = sim::parse_unit(of_all.unit);
    double const value = own.default_value.as_quantity();
    if (auto const stated = sim::parse_unit(own.unit).dimension; stated != unit.dimension && value != 0.0)
        throw sim::InputError(sim::units_differ(stated, unit.dimension, "compared"));
    if ((of_all.lower != 0.0 || of_all.upper != 0.0) && !(of_all.lower <= value && value <= of_all.upper))
        throw sim::InputError(fmt::format("the default {:.6g} is not between {:.6g} and {:.6g}", value / unit.in_si,
                                          of_all.lower / unit.in_si, of_all.upper / unit.in_si));
}

Parameter parameter_of(std::string const& name, TableReader& keys, std::string const& meaning) {
    if (keys.node("choices") != nullptr) return choice_of(name, keys, meaning);
    if (auto const* given = keys.node("default"); given != nullptr && given->is_boolean())
        return flag(name, given->value_or(false), meaning);
    auto parameter = number_of(name, keys, meaning);
    if (name == attained_share_name) {
        double const share = parameter.default_value.as_quantity();
        expect_fits(parameter, attained_share(share == as_measured ? share : 1.0, meaning));
        return attained_share(share, meaning);
    }
    if (name == layer_overhead_name) {
        expect_fits(parameter, layer_overhead(0.0, LaunchedBy::host, meaning));
        auto const launch = keys.node("launch") == nullptr
                                ? std::string(launch_names.front())
                                : keys.one_of("launch", {launch_names.begin(), launch_names.end()});
        auto const at = std::ranges::find(launch_names, launch) - launch_names.begin();
        return layer_overhead(parameter.default_value.as_quantity(), static_cast<LaunchedBy>(at % 3), meaning);
    }
    return parameter;
}

}  // namespace

void check_parameter_name(std::string const& name, TableReader& keys) {
    MachineFile simplest;
    simplest.formats = simplest.cache_formats = {"fp16"};
    static auto const of_request = parameters_of(simplest), of_groups = chips::group_parameters();
    auto const said = [&](std::string_view what) {
        keys.mistake("", fmt::format("the parameter '{}' {}", sim::clipped(name), what));
    };
    if (!is_machine_name(name))
        said("is not a name (a letter, then letters, digits and '_'; at most 64)");
    else if (find_parameter(of_request, name) >= 0 || find_parameter(of_groups, name) >= 0)
        said("is the name of a parameter that every machine has");
}

std::optional<Parameter> read_parameter(std::string const& name, TableReader& keys) {
    auto const meaning = keys.text("meaning");
    bool const is_resource = keys.flag_or("resource", false), is_assumed = keys.flag_or("assumed", false);
    try {
        auto parameter = parameter_of(name, keys, meaning);
        parameter.resource = is_resource;
        parameter.assumed = is_assumed;
        return parameter;
    } catch (sim::InputError const& error) {
        keys.mistake("default", fmt::format("parameter '{}': {}", name, error.what()));
        return std::nullopt;
    }
}

KeyFile::KeyFile(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    auto const content = read_toml(file);
    for (auto const& [name, node] : *content) {
        auto const* table = node.as_table();
        if (table == nullptr) {
            mistakes.push_back(fmt::format("{}: '{}' is not a table", place(file, node.source()), name.str()));
            continue;
        }
        TableReader keys(*table, file, mistakes);
        if (auto key = read_parameter(std::string(name.str()), keys)) keys_.push_back(*std::move(key));
        keys.refuse_unknown_keys();
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

Parameter KeyFile::operator[](std::string_view name) const {
    int const at = find_parameter(keys_, name);
    sim::expects(at >= 0, "the file describes the key");
    return keys_[static_cast<std::size_t>(at)];
}

}  // namespace pimdse::models::text
