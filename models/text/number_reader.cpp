#include "models/text/number_reader.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

namespace pimdse::models::text {

/// A number: 4, "4 ns", "2 * lanes", or { value = ..., source = "...", assumed = true }.
void NumberReader::read(TableReader& keys, NumberKey const& key, std::string const& name) {
    auto const* node = keys.node(key.name);
    WrittenNumber number{name,     std::string(key.default_text), key.dimension, place(file_, keys.region()), "", false,
                         key.range};
    if (node == nullptr) {
        if (key.default_text.empty())
            keys.mistake(key.name,
                         fmt::format("'{}' is missing (it must be {})", key.name, sim::a_dimension(key.dimension)));
        if (!key.default_text.empty()) machine_->numbers.push_back(std::move(number));
        return;
    }
    set(*node, key.name, number);
    machine_->numbers.push_back(std::move(number));
}

void NumberReader::set(toml::node const& node, std::string_view key, WrittenNumber& number) {
    number.place = place(file_, node.source());
    if (auto const* one = node.as_table()) {
        TableReader keys(*one, file_, *mistakes_);
        if (auto const* value = keys.node("value"))
            set(*value, key, number);
        else
            keys.mistake("value", fmt::format("'{}' has no 'value'", key));
        number.source = keys.text_or("source", "");
        number.assumed = keys.flag_or("assumed", false);
        set_range(keys, number);
        keys.refuse_unknown_keys();
    } else if (node.is_string() || node.is_number()) {
        number.text = scalar_text(node);
    } else {
        mistakes_->push_back(
            fmt::format("{}: '{}' is neither a number nor an expression in quotes", number.place, key));
    }
}

/// Two factors, between which the number may be.
void NumberReader::set_range(TableReader& keys, WrittenNumber& number) {
    auto const* node = keys.node("range");
    if (node == nullptr) return;
    auto const* list = node->as_array();
    auto const factor = [&](std::size_t i) { return (*list)[i].value_or(0.0); };
    if (list == nullptr || list->size() != 2 || !(factor(0) > 0.0 && factor(0) <= 1.0 && factor(1) >= 1.0)) {
        keys.mistake("range", "'range' is not two factors of the value around 1, such as [0.5, 2]");
    } else if (!number.assumed) {
        keys.mistake("range", "'range' is for an assumed number (add assumed = true)");
    } else {
        number.lowest = factor(0);
        number.highest = factor(1);
    }
}

/// A number, or a table with one for each format of products.
void NumberReader::read_by_format(TableReader& keys, NumberKey const& key, std::string const& name) {
    if (!key.by_format) return read(keys, key, name);
    auto const* node = keys.node(key.name);
    auto const* by_format = node == nullptr || node->as_table() == nullptr || node->as_table()->contains("value")
                                ? nullptr
                                : node->as_table();
    if (by_format == nullptr) {
        for (auto const& format : machine_->formats) read(keys, key, name + "." + format);
        return;
    }
    TableReader each_format(*by_format, file_, *mistakes_);
    for (auto const& format : machine_->formats)
        read(each_format, {format, key.dimension, "", false, key.range}, name + "." + format);
    each_format.refuse_unknown_keys();
}

sim::Dimension NumberReader::dimension_in(TableReader& keys, std::string const& unit) {
    try {
        return sim::parse_unit(unit).dimension;
    } catch (sim::InputError const& error) {
        keys.mistake("unit", error.what());
        return {};
    }
}

}  // namespace pimdse::models::text
