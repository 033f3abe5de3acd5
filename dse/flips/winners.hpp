#pragma once

#include "dse/flips/question.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pimdse::dse::flips {

/// A design and its value in the metric of a question.
struct Ranked {
    task::PointId point{};
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
                                                    std::size_t keep, std::vector<task::PointId> const* points,
                                                    int threads);

}  // namespace pimdse::dse::flips
