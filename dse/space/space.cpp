#include "dse/space/space.hpp"

#include "dse/space/input_hashes.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pimdse::dse {
namespace {

/// Numbers as they are (SI, every bit), so that equal text means equal points.
nlohmann::ordered_json value_text(models::Parameter const& parameter, models::Value const& value) {
    switch (value.kind()) {
        case models::Kind::integer:
            return value.as_integer();
        case models::Kind::quantity:
            return value.as_quantity();
        case models::Kind::flag:
            return value.as_flag();
        default:
            return models::print_value(parameter, value);
    }
}

nlohmann::ordered_json axis_text(models::Parameter const& parameter, Axis const& axis) {
    if (axis.size() > 0 && axis.at(0).kind() == models::Kind::permutation) return {{"permute", parameter.items}};
    auto values = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i < axis.size(); ++i) values.push_back(value_text(parameter, axis.at(i)));
    return values;
}

}  // namespace

Axis Axis::permutations(std::size_t items) {
    sim::expects(items >= 1 && items <= 20, "between 1 and 20 items are permuted");
    return {{}, sim::factorial(items)};
}

std::uint64_t Axis::find(models::Value const& value) const {
    if (orderings_ != 0) {
        return value.kind() == models::Kind::permutation && value.as_permutation() < orderings_ ? value.as_permutation()
                                                                                                : orderings_;
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
    for (auto const& constraint : constraints_)
        conditions.push_back({{"name", constraint.name}, {"expr", constraint.expression.text()}});
    // Files that keep fronts only can be joined where they kept the front of the same objectives.
    if (search_.keep == Keep::front) {
        for (auto const& objective : objectives_) text["kept_front_of"].push_back(metrics_[objective.metric].name);
    }
    return text.dump();
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
