#pragma once

#include "dse/space/machine.hpp"
#include "models/service/service.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace pimdse::dse::space {

/// The reason why a table of the machine has no metrics for a request ("accuracy.csv has no row with ..."); "" if all
/// have. `point` has the values that a scenario sets.
[[nodiscard]] std::string missing_row(Machine const& machine, models::Point point);

/// Appends the metrics of the machine's tables to those of a request; they do not apply where a table has no row.
void add_table_metrics(Machine const& machine, models::Point point, models::Metrics& metrics);

/// The outcome in the scenario with this number: one batch, or its traffic. `point` has the values that it sets.
[[nodiscard]] models::Outcome evaluate_scenario(Machine const& machine, std::size_t scenario, models::Point point,
                                                models::Fidelity fidelity,
                                                models::service::Refusal const& refusal = {});

/// What ends the evaluation of a point before its metrics are known.
enum class StopAt : std::uint8_t {
    nothing,     ///< neither constraints nor missing rows of tables are checked
    parameters,  ///< a constraint on parameters alone that is not met, or a table without a row (rule `table`)
    refusal,     ///< the same, and a service whose limits are required is served no further once a constraint is sure
                 ///< to be broken
};

/// The outcome of a machine at this point with the metrics of tables; with scenarios, the combined outcome of all of
/// them. Infeasible where `stop` says so. Constraints on metrics are not checked.
[[nodiscard]] models::Outcome evaluate_machine(Machine const& machine, models::Point point, models::Fidelity fidelity,
                                               StopAt stop = StopAt::parameters);

/// What is known of the metrics of a machine before anything is served (models/service), or why there are none. Without
/// scenarios, and of one without traffic, nothing is known.
[[nodiscard]] models::Outcome known_before_serving(Machine const& machine, models::Point point,
                                                   models::Fidelity fidelity);

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
