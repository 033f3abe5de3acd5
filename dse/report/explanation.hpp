#pragma once

#include "dse/report/standing.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// A point with one parameter changed.
struct Change {
    std::size_t parameter = 0;  ///< of its machine
    models::Value from, to;
    space::PointId point{};
};

struct Changes {
    std::vector<Change> list;    ///< by parameter, then by value
    std::uint64_t left_out = 0;  ///< choices beyond 64 of a parameter
};

/// The changes by one step that the space has: a number to the next smaller and the next larger of its values, a choice
/// or flag to every other one, an ordering by exchanging two neighbours. What scenarios decide stays.
[[nodiscard]] Changes changes_of(space::Space const& space, space::PointId point);

/// What a change comes to among the answered points.
struct Effect {
    Change change;
    space::Result result;
    bool restored = false;  ///< the result had the answer; else it was evaluated now
    /// Of feasible ones:
    std::vector<double> vector;      ///< in the front_view
    std::uint64_t dominated_by = 0;  ///< members of the front
    std::optional<double> behind;    ///< as PointStanding::behind, of the front only
    double distance = 0.0;           ///< shares by which the nearest member of the front is ahead, added up; 0 or more
    [[nodiscard]] bool feasible() const { return !vector.empty(); }
};

[[nodiscard]] Effect effect_of(FrontView const& front_view, Change const& change, space::Result result, bool restored);

/// Of each parameter the change that comes nearest to the front or farthest before it, of those that are equally far in
/// every objective at once the one with the least distance; one that is infeasible where none is feasible. `effects`:
/// by parameter.
[[nodiscard]] std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects);

/// The change that gains most in an objective against this vector; nothing where none gains.
[[nodiscard]] std::optional<std::size_t> max_gain(std::span<Effect const> effects, std::size_t objective,
                                                  std::span<double const> than);

/// Where time, energy and area of a point go, in a scenario or as it is asked.
struct Spending {
    std::string scenario;  ///< "" where there are none
    models::Breakdown parts;
};

/// What explaining rests on: a space, its answers, and the front among those of one fidelity. All must live as long.
struct ExplainContext {
    space::Space const& space;
    search::ResultStore const& store;  ///< has objectives and common metrics; others may be NaN
    FrontView const& front_view;       ///< of the objectives of the space or others
    search::Certificate const* certificate = nullptr;
    int threads = 1;
    bool evaluates_changes = true;  ///< else only those that are answered already are told
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> until{};  ///< no change is evaluated from then on
};

/// Why a point is on the front or not, at the fidelity of the front_view.
struct Explanation {
    space::Result result;
    bool restored = false;                  ///< the result had the answer; else it was evaluated now
    std::vector<double> vector;             ///< in the front_view; empty where it is not feasible
    std::optional<PointStanding> standing;  ///< of a feasible point
    std::vector<Extreme> extremes;          ///< of a feasible point
    std::vector<Margin> margins;
    std::vector<Effect> effects;  ///< of changes by one step, by parameter
    std::uint64_t choices_left_out = 0, changes_not_evaluated = 0;
    std::vector<Spending> spending;           ///< of a feasible point
    std::optional<CertificateEntry> closing;  ///< with a certificate
};

[[nodiscard]] Explanation explanation_of(ExplainContext const& context, space::PointId point);

/// By which share of `own` the other number is less.
[[nodiscard]] inline double share_below(double own, double other) {
    if (own == other) return 0.0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return own == 0.0 ? std::copysign(infinity, own - other) : (own - other) / std::abs(own);
}

/// The least share by which another vector is ahead, where less is better; negative: it is behind somewhere.
[[nodiscard]] inline double lead_of(std::span<double const> other, std::span<double const> own) {
    double lead = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < own.size(); ++i) lead = std::min(lead, share_below(own[i], other[i]));
    return lead;
}

}  // namespace pimdse::dse::report
