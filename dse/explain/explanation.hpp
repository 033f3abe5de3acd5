#pragma once

#include "dse/explain/closing.hpp"
#include "dse/explain/effect.hpp"
#include "dse/explain/extreme.hpp"
#include "dse/explain/margin.hpp"
#include "dse/explain/spending.hpp"
#include "dse/explain/standing.hpp"
#include "dse/space/space.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::dse::explain {

/// What explaining rests on: a space, its answers, and the front among those of one fidelity. All must live as long.
struct Ground {
    space::Space const& space;
    answers::ResultStore const& store;  ///< has objectives and common metrics; others may be NaN
    Landscape const& landscape;         ///< of the objectives of the space or others
    task::Certificate const* certificate = nullptr;
    int threads = 1;
    bool evaluates_changes = true;  ///< else only those that are answered already are told
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> until{};  ///< no change is evaluated from then on
};

/// Why a point is on the front or not, at the fidelity of the landscape.
struct Explanation {
    task::Answer answer;
    bool remembered = false;                ///< the result had the answer; else it was evaluated now
    std::vector<double> vector;             ///< in the landscape; empty where it is not feasible
    std::optional<PointStanding> standing;  ///< of a feasible point
    std::vector<Extreme> extremes;          ///< of a feasible point
    std::vector<Margin> margins;
    std::vector<Effect> effects;  ///< of changes by one step, by parameter
    std::uint64_t choices_left_out = 0, changes_not_answered = 0;
    std::vector<Spending> spending;  ///< of a feasible point
    std::optional<Closing> closing;  ///< with a certificate
};

[[nodiscard]] Explanation explanation_of(Ground const& ground, task::PointId point);

}  // namespace pimdse::dse::explain
