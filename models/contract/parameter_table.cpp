#include "models/contract/parameter_table.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models {
namespace {

Parameter row(Kind kind, std::string name, Value default_value, std::string meaning) {
    Parameter p;
    p.name = std::move(name);
    p.kind = kind;
    p.default_value = default_value;
    p.meaning = std::move(meaning);
    return p;
}

Parameter number(Parameter p, std::string unit, double default_value, Limits limits) {
    bool const limited = limits.lower != 0.0 || limits.upper != 0.0;
    sim::expects(!limited || (limits.lower <= default_value && default_value <= limits.upper),
                 "the default is within its limits");
    p.unit = std::move(unit);
    p.lower = limits.lower;
    p.upper = limits.upper;
    return p;
}

}  // namespace

Parameter count(std::string name, std::string unit, std::int64_t default_value, Limits limits, std::string meaning) {
    auto p = row(Kind::integer, std::move(name), Value::integer(default_value), std::move(meaning));
    return number(std::move(p), std::move(unit), static_cast<double>(default_value), limits);
}

Parameter quantity(std::string name, std::string unit, double default_si, Limits limits, std::string meaning) {
    auto p = row(Kind::quantity, std::move(name), Value::quantity(default_si), std::move(meaning));
    return number(std::move(p), std::move(unit), default_si, limits);
}

Parameter choice(std::string name, std::vector<std::string> choices, std::string meaning) {
    sim::expects(!choices.empty(), "a choice has at least one value");
    auto p = row(Kind::choice, std::move(name), Value::choice(0), std::move(meaning));
    p.choices = std::move(choices);
    return p;
}

Parameter choice(std::string name, std::vector<std::string> choices, std::string_view default_value,
                 std::string meaning) {
    auto p = choice(std::move(name), std::move(choices), std::move(meaning));
    auto const at = std::find(p.choices.begin(), p.choices.end(), default_value);
    sim::expects(at != p.choices.end(), "the default is one of the choices");
    p.default_value = Value::choice(static_cast<std::size_t>(at - p.choices.begin()));
    return p;
}

Parameter flag(std::string name, bool default_value, std::string meaning) {
    return row(Kind::flag, std::move(name), Value::flag(default_value), std::move(meaning));
}

Parameter also_called(Parameter parameter, std::string alias) {
    parameter.aliases.push_back(std::move(alias));
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
