#pragma once

#include "dse/space/machine.hpp"

#include <span>

namespace pimdse::dse::space {

/// By how much a point breaks a condition: 0 where it is met, `unmeasured` where it is unknown.
///
/// A comparison counts its excess over the limit, relative to the limit (Deb, 2000): (a - b)/|b| for `a <= b`. The
/// limit is the side without parameters and metrics, else the right side; a limit of 0 is replaced by the sum of the
/// absolute values of the other side's terms. Names and flags that differ count 1. `and` is the sum, `or` the smaller
/// one, and `not` breaks what its operand keeps.
[[nodiscard]] double violation_of(models::Expression const& condition, models::Point point,
                                  std::span<models::Estimate const> metrics);

/// The sum over those constraints of a machine that read parameters only, or over the others.
[[nodiscard]] double violation_of(Machine const& machine, bool parameters_only, models::Point point,
                                  std::span<models::Estimate const> metrics);

/// The outcome of a point that breaks a condition on metrics. `words` has "FORMULA is not met: footprint = 17.2 GiB":
/// every metric that the condition reads, so that a row states by how much it fails; "is at least" for one of which
/// only a lower bound is known (`so_far`).
[[nodiscard]] models::Infeasible broken(Machine const& machine, Constraint const& constraint,
                                        models::Metrics const& metrics, double violation, bool so_far = false);

}  // namespace pimdse::dse::space
