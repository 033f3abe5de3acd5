#pragma once

#include "dse/space/formula.hpp"
#include "dse/space/space.hpp"
#include "models/expression/expression.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

/// A question to all machines of a space: which machine has the best design in one metric and one scenario, among the
/// designs that meet a condition?
struct Question {
    std::size_t scenario = 0;  ///< position in the space's list; 0 without scenarios
    std::string scenario_name;
    std::string metric;  ///< a metric of every machine, or a formula of such metrics: "latency * energy"
    std::string unit;    ///< of the metric
    bool maximize = false;
    std::string under;  ///< "peak_power <= 15 W"; "" = no condition
};

/// A question compiled for one machine.
struct MachineQuestion {
    std::size_t metric = 0;  ///< position in the architecture's metrics; unused with a formula
    std::optional<space::MetricFormula> formula;
    std::optional<models::Expression> under;

    /// Value of the metric or formula, from the architecture's metrics in one scenario; NaN if it does not apply.
    [[nodiscard]] double value_of(models::Metrics const& metrics) const;
};

/// One question per objective metric, scenario and condition: no condition, and each entry of `under` of the space.
/// Throws InputError for a space with one machine, for an objective that reads several scenarios, and for a metric or
/// condition that a machine does not know.
[[nodiscard]] std::vector<Question> questions_of(space::Space const& space);
[[nodiscard]] MachineQuestion question_for(space::Machine const& machine, Question const& question);

/// A design and its value in the metric of a question.
struct Ranked {
    space::PointId point{};
    double value = std::numeric_limits<double>::quiet_NaN();  ///< SI
    /// What the design needs in the scenario [W, m2]; NaN if the machine has no such metric.
    double peak_power = std::numeric_limits<double>::quiet_NaN(), silicon = std::numeric_limits<double>::quiet_NaN();
};

/// Result for one question: the best designs of each machine, the best first; empty if no design is feasible. Equal
/// values are sorted by id, so that the result does not depend on threads.
struct MachineRanking {
    std::vector<std::vector<Ranked>> by_machine;

    /// Position of the machine with the best design; nullopt if no design is feasible.
    [[nodiscard]] std::optional<std::size_t> winner(bool maximize) const;
    /// The best machine except the winner.
    [[nodiscard]] std::optional<std::size_t> runner_up(bool maximize) const;
    [[nodiscard]] Ranked const& best_of(std::size_t machine) const { return by_machine[machine].front(); }
};

/// Evaluates `points` (nullptr: the whole space) at analytic level, each scenario alone, and keeps the best `keep`
/// designs of each machine for each question. Returns one ranking per question. A point that is infeasible in one
/// scenario may win in another. Constraints apply unless they read metrics of another scenario. Uses `threads` threads.
[[nodiscard]] std::vector<MachineRanking> rank_machines(space::Space const& space,
                                                        std::vector<Question> const& questions, std::size_t keep,
                                                        std::vector<space::PointId> const* points, int threads);

}  // namespace pimdse::dse::uncertain
