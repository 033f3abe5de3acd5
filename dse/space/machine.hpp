#pragma once

#include "dse/space/expression.hpp"
#include "dse/space/scenarios.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// The values one parameter takes: a list, or all orderings of the parameter's items (never stored, decoded by rank).
class Axis {
  public:
    static Axis list(std::vector<models::Value> values) { return Axis(std::move(values), 0); }
    static Axis permutations(std::size_t items);

    [[nodiscard]] std::uint64_t size() const { return orderings_ != 0 ? orderings_ : values_.size(); }
    [[nodiscard]] models::Value at(std::uint64_t index) const {
        return orderings_ != 0 ? models::Value::permutation(index) : values_[static_cast<std::size_t>(index)];
    }
    /// Position of a value on this axis; size() if it is not there.
    [[nodiscard]] std::uint64_t find(models::Value const& value) const;

  private:
    Axis(std::vector<models::Value> values, std::uint64_t orderings)
        : values_(std::move(values)), orderings_(orderings) {}
    std::vector<models::Value> values_;
    std::uint64_t orderings_ = 0;
};

/// How many points have one value of each axis; nothing where that is more than 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> points_of(std::span<Axis const> axes);

/// A condition that a point must meet. `parameters_only`: it reads no metrics and is checked before simulation.
struct Constraint {
    std::string name;
    Expression expression;
    bool parameters_only = false;
};

/// An architecture, the values that each of its parameters takes, and what its answers must meet. Its points are
/// numbered in mixed radix over the parameters in declared order, the last one fastest.
struct Machine {
    std::string name;  ///< the architecture's unless a space says otherwise
    models::Architecture const* architecture = nullptr;
    models::Inputs inputs;
    std::vector<Axis> axes;
    std::vector<Constraint> constraints;
    Scenarios scenarios;

    /// The bound table: every accepted text is among its choices.
    [[nodiscard]] models::Parameters const& parameters() const { return inputs.parameters; }
    /// What it answers, in all scenarios where there are some.
    [[nodiscard]] models::MetricList metrics() const;
    /// Precondition: fewer than 2^64 points have a value of each axis.
    [[nodiscard]] std::uint64_t size() const;
    /// The point with this number; `into` has one value per parameter.
    void decode(std::uint64_t number, std::vector<models::Value>& into) const;
    /// The number of a point; throws ContractViolation if a value is not on its axis.
    [[nodiscard]] std::uint64_t encode(models::Point point) const;
    /// Parameters that no scenario decides: what makes a design.
    [[nodiscard]] std::vector<std::size_t> designed() const;
};

/// The metrics of several machines as one list: those that every machine has under one name with one unit and sense,
/// then of each machine its own, as MACHINE.NAME. Of one machine: its metrics as they are.
struct MachineMetrics {
    models::MetricList list;
    std::size_t common = 0;                        ///< how many of the list every machine has
    std::vector<std::vector<std::size_t>> places;  ///< [machine][its metric]: where that is in the list
};

[[nodiscard]] MachineMetrics metrics_of(std::span<Machine const> machines);

/// Why a metric of a machine applies to no point of it: the needs that no value of an axis, or of a scenario, meets. ""
/// if it may apply to some. `metric`: as machine.metrics() has it. Conditions are not looked at.
[[nodiscard]] std::string why_never(Machine const& machine, std::string_view metric);

/// Why it does not apply to this point; "" if all needs that the metric states are met.
[[nodiscard]] std::string why_not_here(Machine const& machine, std::string_view metric, models::Point point);

}  // namespace pimdse::dse::space
