#include "dse/store/value_column.hpp"

#include "dse/search/result_store.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

namespace pimdse::dse::store {
namespace {

using models::Kind;
using models::Value;

std::uint64_t word_of(Value const& value) {
    switch (value.kind()) {
        case Kind::integer:
            return std::bit_cast<std::uint64_t>(value.as_integer());
        case Kind::quantity:
            return std::bit_cast<std::uint64_t>(value.as_quantity());
        case Kind::choice:
            return value.as_choice();
        case Kind::flag:
            return value.as_flag() ? 1 : 0;
        case Kind::permutation:
            return value.as_permutation();
    }
    return 0;
}

Value value_of(Kind kind, std::uint64_t word) {
    switch (kind) {
        case Kind::integer:
            return Value::integer(std::bit_cast<std::int64_t>(word));
        case Kind::quantity:
            return Value::quantity(std::bit_cast<double>(word));
        case Kind::choice:
            return Value::choice(word);
        case Kind::flag:
            return Value::flag(word != 0);
        case Kind::permutation:
            return Value::permutation(word);
    }
    return {};
}

/// The values of points, found by id.
struct Points {
    Points(search::ResultStore const& store, std::vector<ValueColumn> columns) : values(std::move(columns)) {
        for (auto const row : store.sorted()) {
            ids.push_back(index_of(store.task(row).point));
            rows.push_back(row);
        }
    }

    /// The store row of a point, by binary search in the ascending ids.
    [[nodiscard]] std::size_t row_of(space::PointId id) const {
        std::size_t first = 0;
        for (std::size_t count = ids.size(); count > 0;) {
            std::size_t const half = count / 2;
            bool const before = ids[first + half] < index_of(id);
            first = before ? first + half + 1 : first;
            count = before ? count - half - 1 : half;
        }
        sim::expects(first < ids.size() && ids[first] == index_of(id), "the point is in the file");
        return rows[first];
    }

    search::PackedColumn ids, rows;
    std::vector<ValueColumn> values;
};

using hdf5::Column;

/// The default value; a permutation with items is read as an ordering, one without as a choice.
models::Value default_value_of(models::Parameter& parameter, std::string const& text) {
    bool const is_ordering = parameter.kind == models::Kind::permutation && !parameter.items.empty();
    return is_ordering ? models::Value::permutation(models::permutation_rank(parameter, text))
                       : models::read_value(parameter, text);
}

constexpr std::uint64_t values_at_once = 65536;

template <class T, class Make>
void convert(hdf5::Column const& opened, ValueColumn& into, Make const& make) {
    for (std::uint64_t first = 0; first < opened.rows(); first += values_at_once) {
        for (auto const& v : opened.read<T>(first, std::min(values_at_once, opened.rows() - first)))
            into.push_back(make(v));
    }
}

/// The value of an ordering that is not among the choices.
models::Value ordering(models::Parameter const& parameter, hdf5::Column const& opened, std::string const& text) {
    try {
        return models::Value::permutation(models::permutation_rank(parameter, text));
    } catch (sim::InputError const& error) {
        opened.damaged(error.what());
    }
}

void read_choices(models::Parameter const& parameter, hdf5::Column const& opened, ValueColumn& into) {
    std::unordered_map<std::string, models::Value> known;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i)
        known.emplace(parameter.choices[i], models::Value::choice(i));
    for (std::uint64_t first = 0; first < opened.rows(); first += values_at_once) {
        for (auto const& text : opened.read_texts(first, std::min(values_at_once, opened.rows() - first))) {
            auto found = known.find(text);
            if (found == known.end()) found = known.emplace(text, ordering(parameter, opened, text)).first;
            into.push_back(found->second);
        }
    }
}

/// Reads a list: an attribute in files of version 1, a text column since.
std::vector<std::string> read_list(hdf5::Group const& root, std::string const& list, std::string const& name,
                                   hdf5::Column const& opened) {
    if (opened.has_attribute(list)) return opened.texts(list);
    if (!root.has(list)) return {};
    auto const group = root.open_group(list);
    return group.has(name) ? group.open_column(name).read_texts() : std::vector<std::string>{};
}

}  // namespace

void ValueColumn::push_back(Value const& value) {
    kinds_.push_back(static_cast<std::uint64_t>(value.kind()));
    words_.push_back(word_of(value));
}

Value ValueColumn::operator[](std::size_t row) const { return value_of(static_cast<Kind>(kinds_[row]), words_[row]); }

std::function<void(space::PointId, std::vector<Value>&)> decoder_of(search::ResultStore const& store,
                                                                    std::vector<ValueColumn> values) {
    return [points = std::make_shared<Points const>(store, std::move(values))](space::PointId id,
                                                                               std::vector<Value>& into) {
        std::size_t const row = points->row_of(id);
        into.clear();
        for (auto const& column : points->values) into.push_back(column[row]);
    };
}

models::Parameter read_parameter(hdf5::Group const& root, std::string const& name, hdf5::Column const& opened) {
    models::Parameter parameter;
    parameter.name = name;
    parameter.kind = schema::kind_named(opened.text("kind"));
    parameter.unit = opened.text("usual_unit");
    parameter.meaning = opened.text("meaning");
    parameter.assumed = opened.number("assumed") != 0;
    parameter.choices = read_list(root, "choices", name, opened);
    parameter.items = read_list(root, "items", name, opened);
    parameter.default_value = default_value_of(parameter, opened.text("default"));
    return parameter;
}

void read_values(models::Parameter const& parameter, hdf5::Column const& opened, ValueColumn& into) {
    using models::Value;
    switch (parameter.kind) {
        case models::Kind::integer:
            return convert<std::int64_t>(opened, into, [](std::int64_t v) { return Value::integer(v); });
        case models::Kind::quantity:
            return convert<double>(opened, into, [&](double v) {
                if (!std::isfinite(v)) opened.damaged(fmt::format("{} is {} in a row", parameter.name, v));
                return Value::quantity(v);
            });
        case models::Kind::flag:
            return convert<std::uint8_t>(opened, into, [&](std::uint8_t v) {
                if (v > 1) opened.damaged(fmt::format("the flag {} is {} in a row", parameter.name, v));
                return Value::flag(v != 0);
            });
        case models::Kind::choice:
        case models::Kind::permutation:
            break;
    }
    read_choices(parameter, opened, into);
}

}  // namespace pimdse::dse::store
