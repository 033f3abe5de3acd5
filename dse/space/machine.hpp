#pragma once

#include "dse/space/metric_table.hpp"
#include "dse/space/scenarios.hpp"
#include "models/contract/value.hpp"
#include "models/expression/expression.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// The values of one parameter: a list, or all orderings of the parameter's items (not stored, decoded from their
/// rank).
class Axis {
  public:
    static Axis list(std::vector<models::Value> values) { return Axis(std::move(values), 0); }
    static Axis permutations(std::size_t items);

    [[nodiscard]] std::uint64_t size() const { return orderings_ != 0 ? orderings_ : values_.size(); }
    [[nodiscard]] models::Value at(std::uint64_t index) const {
        return orderings_ != 0 ? models::Value::permutation(index) : values_[static_cast<std::size_t>(index)];
    }
    /// Position of a value on this axis; size() if the value is not on it.
    [[nodiscard]] std::uint64_t find(models::Value const& value) const;

  private:
    Axis(std::vector<models::Value> values, std::uint64_t orderings)
        : values_(std::move(values)), orderings_(orderings) {}
    std::vector<models::Value> values_;
    std::uint64_t orderings_ = 0;
};

/// The number of points of a grid with these axes; nullopt if it exceeds 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> points_of(std::span<Axis const> axes);

/// A condition that a point must meet. `parameters_only`: it reads no metrics and is checked before simulation.
struct Constraint {
    std::string name;
    models::Expression expression;
    bool parameters_only = false;
};

/// An architecture, the values of each of its parameters, and the constraints on its results. Points are numbered in
/// mixed radix over the parameters in declared order, the last one fastest.
struct Machine {
    std::string name;  ///< the architecture's name unless the space gives another one
    models::Architecture const* architecture = nullptr;
    models::Inputs inputs;
    std::vector<Axis> axes;
    std::vector<Constraint> constraints;
    Scenarios scenarios;
    models::MetricList table_metrics{};  ///< the metrics of `tables`, in order
    std::vector<MachineTable> tables{};

    /// The parameter table; every accepted text is among the choices of its parameter.
    [[nodiscard]] models::Parameters const& parameters() const { return inputs.parameters; }
    /// The metrics of a result; with scenarios, those aggregated and those of each scenario.
    [[nodiscard]] models::MetricList metrics() const;
    /// The metrics of one request: those of the architecture, then those of tables; with scenarios, those of each
    /// scenario.
    [[nodiscard]] models::MetricList metrics_of_request() const;
    /// Number of points. Precondition: fewer than 2^64.
    [[nodiscard]] std::uint64_t size() const;
    /// The point with this number; `into` has one value per parameter.
    void decode(std::uint64_t number, std::vector<models::Value>& into) const;
    /// The number of a point; throws ContractViolation if a value is not on its axis.
    [[nodiscard]] std::uint64_t encode(models::Point point) const;
    /// Parameters that no scenario sets: they describe the design.
    [[nodiscard]] std::vector<std::size_t> designed() const;
};

/// The metrics of several machines as one list: first those that every machine has under the same name with the same
/// unit and sense, then the remaining metrics of each machine as MACHINE.NAME. With one machine: its metrics unchanged.
struct MachineMetrics {
    models::MetricList list;
    std::size_t common = 0;  ///< number of metrics at the front of the list that every machine has
    std::vector<std::vector<std::size_t>> places;  ///< [machine][its metric]: position in the list
};

[[nodiscard]] MachineMetrics metrics_of(std::span<Machine const> machines);

/// The reason why a metric does not apply to any point of a machine: the first need that no value of an axis or
/// scenario meets. "" if it may apply to some points. `metric`: a name from machine.metrics(). Constraints are not
/// considered.
[[nodiscard]] std::string why_never(Machine const& machine, std::string_view metric);

/// The reason why the metric does not apply to this point; "" if all its stated needs are met.
[[nodiscard]] std::string why_not_here(Machine const& machine, std::string_view metric, models::Point point);

}  // namespace pimdse::dse::space
