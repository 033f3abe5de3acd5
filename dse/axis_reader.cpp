#include "dse/axis_reader.hpp"

#include "models/toml_file.hpp"
#include "sim/check.hpp"
#include "sim/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace pimdse::dse {
namespace {

using models::Kind;
using models::Parameter;
using models::scalar_text;
using models::Value;

constexpr std::size_t longest_axis = 1'000'000;

std::vector<Value> read_list(Parameter& parameter, toml::array const& list, std::string const& where, std::vector<std::string>& mistakes) {
    std::vector<Value> values;
    if (list.empty()) mistakes.push_back(fmt::format("{}: {} has an empty list (at least one value is needed)", where, parameter.name));
    std::set<Value> seen;
    for (auto const& entry : list) {
        try {
            Value const value = models::read_value(parameter, scalar_text(entry));
            if (!seen.insert(value).second) {
                mistakes.push_back(fmt::format("{}: {} lists {} twice", where, parameter.name, models::print_value(parameter, value)));
            }
            values.push_back(value);
        } catch (sim::InputError const& error) {
            mistakes.push_back(fmt::format("{}: {}", where, error.what()));
        }
    }
    return values;
}

/// The values of { from, to, step | times }, as plain numbers in the parameter's own scale.
std::vector<double> range_values(double from, double to, std::optional<double> step, std::optional<double> times) {
    if (!std::isfinite(from) || !std::isfinite(to) || to < from) throw sim::InputError("'to' is below 'from'");
    if (step && times) throw sim::InputError("both 'step' and 'times' are given (one of them is enough)");
    if (step && !(*step > 0.0)) throw sim::InputError("'step' must be positive");
    if (times && (!(*times > 1.0) || !(from > 0.0))) throw sim::InputError("'times' must exceed 1 and 'from' must be positive");
    std::vector<double> values;
    double const tolerance = 1e-9 * std::max(std::abs(from), std::abs(to));
    for (std::size_t i = 0; values.size() <= longest_axis; ++i) {
        double const value = times ? from * std::pow(*times, static_cast<double>(i)) : from + *step * static_cast<double>(i);
        if (value > to + tolerance) return values;
        values.push_back(value);
    }
    throw sim::InputError(fmt::format("the range has more than {} values", longest_axis));
}

double plain_number(Value const& value) { return value.kind() == Kind::integer ? static_cast<double>(value.as_integer()) : value.as_quantity(); }

std::optional<double> end_of_range(Parameter& parameter, toml::table const& table, std::string_view key) {
    auto const* node = table.get(key);
    return node == nullptr ? std::nullopt : std::optional(plain_number(models::read_value(parameter, scalar_text(*node))));
}

/// A step is a difference, so the parameter's limits and "not built" rules do not speak about it.
std::optional<double> step_of_range(Parameter const& parameter, toml::table const& table) {
    auto const* node = table.get("step");
    if (node == nullptr) return parameter.kind == Kind::integer && !table.contains("times") ? std::optional(1.0) : std::nullopt;
    Parameter free = parameter;
    free.low = free.high = 0.0;
    free.not_built.clear();
    return plain_number(models::read_value(free, scalar_text(*node)));
}

void refuse_other_keys(toml::table const& table, std::vector<std::string> const& known) {
    for (auto const& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            throw sim::InputError(fmt::format("unknown key '{}'.{}", key.str(), sim::suggestion(key.str(), known)));
        }
    }
}

std::vector<Value> read_range(Parameter& parameter, toml::table const& table) {
    if (parameter.kind != Kind::integer && parameter.kind != Kind::quantity) throw sim::InputError("a range needs numbers");
    refuse_other_keys(table, {"from", "to", "step", "times"});
    auto const from = end_of_range(parameter, table, "from");
    auto const to = end_of_range(parameter, table, "to");
    if (!from || !to) throw sim::InputError("a range needs both 'from' and 'to'");
    auto const* factor = table.get("times");
    auto const times = factor == nullptr ? std::nullopt : factor->value<double>();
    auto const step = step_of_range(parameter, table);
    if (!step && !times) throw sim::InputError("a range of quantities needs 'step' or 'times'");
    std::vector<Value> values;
    for (double const number : range_values(*from, *to, step, times)) {
        if (parameter.kind == Kind::quantity) {
            values.push_back(Value::quantity(number));
        } else if (number == std::round(number)) {
            values.push_back(Value::integer(static_cast<std::int64_t>(number)));
        } else {
            throw sim::InputError(fmt::format("the range meets {} (it must stay at whole numbers)", number));
        }
    }
    return values;
}

Axis read_permutations(Parameter const& parameter, toml::table const& table) {
    refuse_other_keys(table, {"permute"});
    if (parameter.items.empty()) throw sim::InputError("it has nothing to permute");
    auto const* list = table.get_as<toml::array>("permute");
    if (list == nullptr) throw sim::InputError("'permute' is not a list");
    std::vector<std::string> given;
    for (auto const& entry : *list) given.push_back(entry.value_or(std::string{}));
    auto sorted_given = given;
    auto sorted_items = parameter.items;
    std::sort(sorted_given.begin(), sorted_given.end());
    std::sort(sorted_items.begin(), sorted_items.end());
    if (sorted_given != sorted_items) {
        throw sim::InputError(fmt::format("[{}] is no permutation (each of {} must be there exactly once)", fmt::join(given, ", "), fmt::join(parameter.items, ", ")));
    }
    return Axis::permutations(parameter.items.size());
}

Axis read_table(Parameter& parameter, toml::table const& table) {
    if (table.contains("permute")) return read_permutations(parameter, table);
    return Axis::list(read_range(parameter, table));
}

}  // namespace

std::optional<Axis> read_axis(Parameter& parameter, toml::node const& node, std::string const& where, std::vector<std::string>& mistakes) {
    std::size_t const before = mistakes.size();
    try {
        if (auto const* list = node.as_array()) {
            auto values = read_list(parameter, *list, where, mistakes);
            return mistakes.size() == before ? std::optional(Axis::list(std::move(values))) : std::nullopt;
        }
        if (auto const* table = node.as_table()) return read_table(parameter, *table);
        return Axis::list({models::read_value(parameter, scalar_text(node))});
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) {
            bool const named = sentence.find(parameter.name) != std::string::npos;
            mistakes.push_back(named ? fmt::format("{}: {}", where, sentence) : fmt::format("{}: {}: {}", where, parameter.name, sentence));
        }
        return std::nullopt;
    }
}

std::optional<models::ClassRequest> read_class_request(toml::node const& node) {
    auto const* table = node.as_table();
    if (table == nullptr || !table->contains("classes")) return std::nullopt;
    models::ClassRequest request;
    for (auto const& [key, entry] : *table) {
        std::vector<std::string> texts;
        if (auto const* list = entry.as_array()) {
            for (auto const& text : *list) texts.push_back(scalar_text(text));
        } else {
            texts.push_back(scalar_text(entry));
        }
        if (key.str() != "classes") request.details[std::string(key.str())] = std::move(texts);
        else if (texts.size() == 1 && !texts.front().empty()) request.family = texts.front();
        else throw sim::InputError("'classes' is not one word such as \"all\"");
    }
    return request;
}

}  // namespace pimdse::dse
