#include "dse/parameter_column.hpp"

#include "dse/result_schema.hpp"

#include <string>
#include <unordered_map>
#include <utility>

namespace pimdse::dse {
namespace {

using hdf5::Column;

/// The default; an ordering is told from a choice by its items.
models::Value fallback_of(models::Parameter& parameter, std::string const& text) {
    bool const is_ordering = parameter.kind == models::Kind::permutation && !parameter.items.empty();
    return is_ordering ? models::Value::permutation(schema::permutation_rank(parameter, text)) : models::read_value(parameter, text);
}

template <class T, class Make>
std::vector<models::Value> converted(Column const& opened, Make const& make) {
    std::vector<models::Value> values;
    values.reserve(opened.rows());
    for (auto const& v : opened.read<T>()) values.push_back(make(v));
    return values;
}

std::vector<models::Value> values_of(models::Parameter const& parameter, Column const& opened) {
    using models::Value;
    switch (parameter.kind) {
        case models::Kind::integer:
            return converted<std::int64_t>(opened, [](std::int64_t v) { return Value::integer(v); });
        case models::Kind::quantity:
            return converted<double>(opened, [](double v) { return Value::quantity(v); });
        case models::Kind::flag:
            return converted<std::uint8_t>(opened, [](std::uint8_t v) { return Value::flag(v != 0); });
        case models::Kind::choice:
        case models::Kind::permutation:
            break;
    }
    std::unordered_map<std::string, Value> known;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) known.emplace(parameter.choices[i], Value::choice(i));
    std::vector<Value> values;
    for (auto const& text : opened.read_texts()) {
        auto found = known.find(text);
        if (found == known.end()) found = known.emplace(text, Value::permutation(schema::permutation_rank(parameter, text))).first;
        values.push_back(found->second);
    }
    return values;
}

}  // namespace

ParameterColumn read_parameter_column(std::string const& name, Column const& opened) {
    models::Parameter parameter;
    parameter.name = name;
    parameter.kind = schema::kind_named(opened.text("kind"));
    parameter.unit = opened.text("usual_unit");
    parameter.meaning = opened.text("meaning");
    parameter.assumed = opened.number("assumed") != 0;
    if (opened.has_attribute("choices")) parameter.choices = opened.texts("choices");
    if (opened.has_attribute("items")) parameter.items = opened.texts("items");
    auto values = values_of(parameter, opened);
    parameter.fallback = fallback_of(parameter, opened.text("default"));
    return {std::move(parameter), std::move(values)};
}

}  // namespace pimdse::dse
