#pragma once

#include "dse/space/axis.hpp"
#include "dse/space/expression.hpp"
#include "dse/space/scenarios.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// A condition a point must meet. `before` = it reads parameters only and is checked before simulation.
struct Constraint {
    std::string name;
    Expression expression;
    bool before = false;
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

}  // namespace pimdse::dse::space
