#pragma once

#include "dse/space/expression.hpp"
#include "dse/space/formula.hpp"
#include "dse/space/space.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::flips {

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

}  // namespace pimdse::dse::flips
