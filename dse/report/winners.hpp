#pragma once

#include "dse/space/expression.hpp"
#include "dse/space/formula.hpp"
#include "dse/space/space.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// What is asked of all machines of a space: the best design in one metric and one scenario, among those that meet a
/// condition.
struct Question {
    std::size_t scenario = 0;  ///< position in the space's list; 0 where there are none
    std::string scenario_name;
    std::string metric;  ///< of every machine, or a formula of such metrics: "latency * energy"
    std::string unit;    ///< of the metric
    bool maximize = false;
    std::string under;  ///< "peak_power <= 15 W"; "" = no condition
};

/// A question for one machine: where its architecture has the metric, and formula and condition compiled.
struct MachineQuestion {
    std::size_t metric = 0;  ///< of the architecture; where there is no formula
    std::optional<space::MetricFormula> formula;
    std::optional<space::Expression> under;

    /// What is asked, of the architecture's metrics in one scenario; NaN where it does not apply.
    [[nodiscard]] double value_of(models::Metrics const& metrics) const;
};

/// Every metric that is an objective of the space, in every scenario, without a condition and under each of the
/// space's. Throws InputError for a space of one machine, for a formula of several scenarios, which has no value in
/// one, and for a condition that some machine does not understand.
[[nodiscard]] std::vector<Question> questions_of(space::Space const& space);
[[nodiscard]] MachineQuestion question_for(space::Machine const& machine, Question const& question);

/// A design and its value in the metric of a question.
struct Ranked {
    space::PointId point{};
    double value = std::numeric_limits<double>::quiet_NaN();  ///< SI
};

/// Of one question: each machine's best designs, best first; empty where none is feasible. Equal values are in order of
/// ids, so that the result does not depend on threads.
struct MachineRanking {
    std::vector<std::vector<Ranked>> by_machine;

    /// Position of the machine with the best design; none where no machine has one.
    [[nodiscard]] std::optional<std::size_t> winner(bool maximize) const;
    /// The best machine beside the winner.
    [[nodiscard]] std::optional<std::size_t> runner_up(bool maximize) const;
    [[nodiscard]] Ranked const& best_of(std::size_t machine) const { return by_machine[machine].front(); }
};

/// Evaluates these points (all of the space where there are none named) at analytic level in every scenario on its own,
/// and keeps the best `keep` of each machine for each question. A point that one scenario cannot be asked of may win in
/// another. Constraints of the space hold as far as they read this scenario's metrics. All threads of this process.
[[nodiscard]] std::vector<MachineRanking> standings(space::Space const& space, std::vector<Question> const& questions,
                                                    std::size_t keep, std::vector<space::PointId> const* points,
                                                    int threads);

}  // namespace pimdse::dse::report
