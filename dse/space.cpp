#include "dse/space.hpp"

#include "dse/input_hashes.hpp"
#include "models/catalogue.hpp"
#include "sim/check.hpp"
#include "sim/counting.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pimdse::dse {
namespace {

/// Numbers as they are (SI, every bit), so that equal text means equal points.
nlohmann::ordered_json value_text(models::Parameter const& parameter, models::Value const& value) {
    switch (value.kind()) {
        case models::Kind::integer: return value.as_integer();
        case models::Kind::quantity: return value.as_quantity();
        case models::Kind::flag: return value.as_flag();
        default: return models::print_value(parameter, value);
    }
}

models::Value read_value_text(models::Parameter& parameter, nlohmann::ordered_json const& text) {
    switch (parameter.kind) {
        case models::Kind::integer: return models::Value::integer(text.get<std::int64_t>());
        case models::Kind::quantity: return models::Value::quantity(text.get<double>());
        case models::Kind::flag: return models::Value::flag(text.get<bool>());
        default: return models::read_value(parameter, text.get<std::string>());
    }
}

nlohmann::ordered_json axis_text(models::Parameter const& parameter, Axis const& axis) {
    if (axis.size() > 0 && axis.at(0).kind() == models::Kind::permutation) return {{"permute", parameter.items}};
    auto values = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i < axis.size(); ++i) values.push_back(value_text(parameter, axis.at(i)));
    return values;
}

Axis read_axis_text(models::Parameter& parameter, nlohmann::ordered_json const& text) {
    if (text.is_object()) return Axis::permutations(parameter.items.size());
    std::vector<models::Value> values;
    for (auto const& value : text) values.push_back(read_value_text(parameter, value));
    return Axis::list(std::move(values));
}

}  // namespace

Axis Axis::permutations(std::size_t items) {
    sim::expects(items >= 1 && items <= 20, "between 1 and 20 items are permuted");
    return {{}, sim::factorial(items)};
}

std::uint64_t Axis::find(models::Value const& value) const {
    if (orderings_ != 0) {
        return value.kind() == models::Kind::permutation && value.as_permutation() < orderings_ ? value.as_permutation() : orderings_;
    }
    return static_cast<std::uint64_t>(std::find(values_.begin(), values_.end(), value) - values_.begin());
}

void Space::decode(PointId id, std::vector<models::Value>& into) const {
    std::uint64_t rest = index_of(id);
    sim::expects(rest < size_, "a point's id is below the size of its space");
    into.resize(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
        std::uint64_t const radix = axes_[i].size();
        into[i] = axes_[i].at(rest % radix);
        rest /= radix;
    }
}

PointId Space::encode(models::Point point) const {
    sim::expects(point.size() == axes_.size(), "a point has one value per parameter");
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        std::uint64_t const at = axes_[i].find(point[i]);
        sim::expects(at < axes_[i].size(), "every value of the point is on its axis");
        id = id * axes_[i].size() + at;
    }
    return PointId{id};
}

std::string Space::canonical_text() const {
    nlohmann::ordered_json text;
    text["architecture"] = architecture_->name;
    auto& axes = text["parameters"];
    for (std::size_t i = 0; i < axes_.size(); ++i) axes[parameters()[i].name] = axis_text(parameters()[i], axes_[i]);
    auto& conditions = text["constraints"] = nlohmann::ordered_json::array();
    for (auto const& constraint : constraints_) conditions.push_back({{"name", constraint.name}, {"expr", constraint.expression.text()}});
    // Files that keep fronts only can be joined where they kept the front of the same objectives.
    if (search_.keep == Keep::front) {
        for (auto const& objective : objectives_) text["kept_front_of"].push_back(metrics_[objective.metric].name);
    }
    return text.dump();
}

Space Space::from_columns(Columns const& columns) {
    auto const text = nlohmann::ordered_json::parse(columns.canonical_text);
    Space space;
    space.architecture_ = &models::find_architecture(text["architecture"].get<std::string>());
    auto parameters = space.architecture_->parameters();
    space.metrics_ = space.architecture_->metrics();
    for (auto& parameter : parameters) {
        auto const axis = text["parameters"].find(parameter.name);
        space.axes_.push_back(axis == text["parameters"].end() ? Axis::list({parameter.fallback}) : read_axis_text(parameter, *axis));
        space.size_ *= space.axes_.back().size();
    }
    for (auto const& constraint : text["constraints"]) {
        auto expression = Expression::condition(constraint["expr"].get<std::string>(), {parameters, space.metrics_});
        bool const before = !expression.uses_metrics();
        space.constraints_.push_back({constraint["name"].get<std::string>(), std::move(expression), before});
    }
    space.objectives_ = columns.objectives;
    space.search_.seed = columns.seed;
    space.search_.keep = text.contains("kept_front_of") ? Keep::front : Keep::all;
    space.text_ = columns.space_text;
    space.inputs_ = models::prepare(*space.architecture_, std::move(parameters));
    return space;
}

Columns Space::columns() const {
    Columns columns;
    columns.architecture = architecture_->name;
    columns.parameters = parameters();
    columns.metrics = metrics_;
    columns.objectives = objectives_;
    columns.decode = [this](PointId id, std::vector<models::Value>& into) { decode(id, into); };
    columns.space_text = text_;
    columns.canonical_text = canonical_text();
    columns.seed = search_.seed;
    columns.points = size_;
    columns.input_hashes = input_hashes(*architecture_);
    return columns;
}

}  // namespace pimdse::dse
