#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/objective.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// How the front was after so many answers, in the order of their ids.
struct HistoryStep {
    std::uint64_t evaluations = 0;
    double hypervolume = 0.0;  ///< as FrontHistory::hypervolume
    std::uint64_t size = 0;    ///< members of the front
};

/// What FrontHistory says block of ids by block, in equal steps of answers: of a store that has every answer. Empty for
/// more objectives than three, of which each step would take long.
[[nodiscard]] std::vector<HistoryStep> fine_history(answers::ResultStore const& store,
                                                    std::span<task::Objective const> objectives,
                                                    models::Fidelity fidelity, std::size_t steps);

}  // namespace pimdse::dse::front
