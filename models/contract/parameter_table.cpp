#include "models/contract/parameter_table.hpp"

#include <algorithm>

namespace pimdse::models {
namespace {

Parameter row(Kind kind, std::string_view name, Value default_value, std::string_view meaning) {
    Parameter p;
    p.name = name;
    p.kind = kind;
    p.default_value = default_value;
    p.meaning = meaning;
    return p;
}

Parameter number(Parameter p, std::string_view unit, double default_value, Limits limits) {
    bool const limited = limits.lower != 0.0 || limits.upper != 0.0;
    sim::expects(!limited || (limits.lower <= default_value && default_value <= limits.upper),
                 "the default is within its limits");
    p.unit = unit;
    p.lower = limits.lower;
    p.upper = limits.upper;
    return p;
}

}  // namespace

Parameter count(std::string_view name, std::string_view unit, std::int64_t default_value, Limits limits,
                std::string_view meaning) {
    auto p = row(Kind::integer, name, Value::integer(default_value), meaning);
    return number(std::move(p), unit, static_cast<double>(default_value), limits);
}

Parameter quantity(std::string_view name, std::string_view unit, double default_si, Limits limits,
                   std::string_view meaning) {
    auto p = row(Kind::quantity, name, Value::quantity(default_si), meaning);
    return number(std::move(p), unit, default_si, limits);
}

Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view meaning) {
    sim::expects(!choices.empty(), "a choice has at least one value");
    auto p = row(Kind::choice, name, Value::choice(0), meaning);
    p.choices = std::move(choices);
    return p;
}

Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view default_value,
                 std::string_view meaning) {
    auto p = choice(name, std::move(choices), meaning);
    auto const at = std::find(p.choices.begin(), p.choices.end(), default_value);
    sim::expects(at != p.choices.end(), "the default is one of the choices");
    p.default_value = Value::choice(static_cast<std::size_t>(at - p.choices.begin()));
    return p;
}

Parameter choice(std::string_view name, std::initializer_list<std::string_view> choices, std::string_view meaning) {
    return choice(name, std::vector<std::string>(choices.begin(), choices.end()), meaning);
}

Parameter choice(std::string_view name, std::initializer_list<std::string_view> choices, std::string_view default_value,
                 std::string_view meaning) {
    return choice(name, std::vector<std::string>(choices.begin(), choices.end()), default_value, meaning);
}

Parameter flag(std::string_view name, bool default_value, std::string_view meaning) {
    return row(Kind::flag, name, Value::flag(default_value), meaning);
}

Parameter also_called(Parameter parameter, std::string_view alias) {
    parameter.aliases.emplace_back(alias);
    return parameter;
}

Parameter assumed(Parameter parameter) {
    parameter.assumed = true;
    return parameter;
}

Parameter resource(Parameter parameter) {
    parameter.resource = true;
    return parameter;
}

}  // namespace pimdse::models
