#pragma once

#include "sim/base/bounded.hpp"

#include <fmt/core.h>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models {

/// A value and the interval of the cycle-level value, in SI.
using Estimate = sim::Bounded;
using sim::Bound;

/// One Estimate per declared metric, in declared order. The value of a metric that does not apply is NaN with
/// Bound::none.
using Metrics = std::vector<Estimate>;

/// The result for a design that cannot exist; it is not an error. `rule` is a short stable name, `reason` has the
/// numbers.
struct Infeasible {
    static constexpr double unmeasured = std::numeric_limits<double>::infinity();
    std::string rule;
    std::string reason;
    /// By how much it breaks the conditions of its space, all together (dse/space/requested_machine.hpp); `unmeasured`
    /// for a rule of the machine.
    double violation = unmeasured;
};
/// The result for a design that breaks a rule of its machine; the reason as for fmt::format.
template <class... Values>
[[nodiscard]] Infeasible infeasible(std::string rule, fmt::format_string<Values...> reason, Values&&... values) {
    return {std::move(rule), fmt::format(reason, std::forward<Values>(values)...)};
}

/// Kind of a defect: the code threw an exception, a feasible result was not a number, the evaluation took too long, or
/// it killed its process.
enum class DefectKind : std::uint8_t { exception, not_a_number, timeout, crash };

/// A bug in pimdse, caught at the border of the task.
struct Defect {
    std::string what;
    DefectKind kind = DefectKind::exception;
};

using Outcome = std::variant<Metrics, Infeasible, Defect>;

/// Calls `evaluate` and turns what it throws into a Defect (TooLong into one of kind timeout), except want of memory or
/// threads of the host (sim::refused_by_host), which is thrown on.
[[nodiscard]] Outcome outcome_safely(std::function<Outcome()> const& evaluate);

}  // namespace pimdse::models
