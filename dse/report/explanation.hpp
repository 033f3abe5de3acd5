#pragma once

#include "dse/report/standing.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "models/chips/group.hpp"
#include "models/contract/breakdown.hpp"
#include "sim/base/json.hpp"

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

/// The devices that serve a model together (models/chips), with the values of their parameters `link` and `stage_link`.
struct NamedGroup {
    models::chips::DeviceGroup group;
    std::string link, stage_link;
};

/// The group of a point, which has the parameters of `inputs`; nullopt for one device and for a group that cannot be
/// built.
[[nodiscard]] std::optional<NamedGroup> group_of(models::Architecture const& architecture, models::Inputs const& inputs,
                                                 models::Point point);

/// "8 devices: 2 stages x 4 tensor; link own: switch, 450 GB/s; between stages eth400: switch, 50 GB/s".
[[nodiscard]] std::string group_text(NamedGroup const& named);

/// {"devices": 8, "tensor": 4, "pipeline": 2, "expert": 1, "data": 1, "micro_batches": 1, "link": {"name": "own",
/// "topology": "switch", "bandwidth": 4.5e11}, "stage_link": {...}}. Bandwidths in B/s, of a device in one direction.
[[nodiscard]] sim::Json group_json(NamedGroup const& named);

/// A point with one parameter changed.
struct Change {
    std::size_t parameter = 0;  ///< of its machine
    models::Value from, to;
    space::PointId point{};
};

struct Changes {
    std::vector<Change> list;    ///< by parameter, then by value
    std::uint64_t left_out = 0;  ///< choices beyond the first 64 of a parameter
};

/// The one-step changes that the space contains: numbers to the next smaller and the next larger value, choices and
/// flags to every other value, orderings by exchanging two neighbours. Parameters that scenarios set do not change.
[[nodiscard]] Changes changes_of(space::Space const& space, space::PointId point);

/// Result of a change, compared with the evaluated points.
struct Effect {
    Change change;
    space::Result result;
    bool restored = false;  ///< the result comes from the store; otherwise it was evaluated now
    // Of feasible results only:
    std::vector<double> vector;         ///< as in FrontView
    std::uint64_t dominated_by = 0;     ///< number of members of the front
    std::optional<double> needed_gain;  ///< as PointStanding::needed_gain, but relative to the front only
    double distance = 0.0;  ///< sum of the shares by which the nearest member of the front is better; 0 or more
    [[nodiscard]] bool feasible() const { return !vector.empty(); }
};

[[nodiscard]] Effect effect_of(FrontView const& front_view, Change const& change, space::Result result, bool restored);

/// For each parameter, the position of its best change: a feasible one if there is any, then the least `needed_gain`,
/// then the least `distance`. `effects` must be sorted by parameter.
[[nodiscard]] std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects);

/// The change that improves an objective most over the vector `than`; nullopt if none improves it.
[[nodiscard]] std::optional<std::size_t> max_gain(std::span<Effect const> effects, std::size_t objective,
                                                  std::span<double const> than);

/// Breakdown of a point's time, energy and area, in a scenario or, without scenarios, for its own request.
struct Spending {
    std::string scenario;  ///< "" if the space has no scenarios
    models::Breakdown parts;
};

/// Inputs of an explanation: a space, its results, and the front of one fidelity. The referenced objects must outlive
/// it.
struct ExplainContext {
    space::Space const& space;
    search::ResultStore const& store;  ///< with objectives and common metrics; other metrics may be NaN
    FrontView const& front_view;       ///< for the objectives of the space or other objectives
    search::Certificate const* certificate = nullptr;
    int threads = 1;
    bool evaluates_changes = true;  ///< false: only changes with a result in the store are included
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> until{};  ///< no change is evaluated after this time
};

/// Why a point is or is not on the front, at the fidelity of the FrontView.
struct Explanation {
    space::Result result;
    bool restored = false;                  ///< the result comes from the store; otherwise it was evaluated now
    std::vector<double> vector;             ///< as in FrontView; empty if the point is infeasible
    std::optional<PointStanding> standing;  ///< of a feasible point
    std::vector<Extreme> extremes;          ///< of a feasible point
    std::vector<Margin> margins;
    std::vector<Effect> effects;  ///< of one-step changes, by parameter
    std::uint64_t choices_left_out = 0, changes_not_evaluated = 0;
    std::vector<Spending> spending;                     ///< of a feasible point
    std::optional<NamedGroup> group;                    ///< of a point with several devices
    std::optional<CertificateEntry> certificate_entry;  ///< if the context has a certificate
};

[[nodiscard]] Explanation explanation_of(ExplainContext const& context, space::PointId point);

/// (own - other) / |own|: the share of `own` by which `other` is less.
[[nodiscard]] inline double share_below(double own, double other) {
    if (own == other) return 0.0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return own == 0.0 ? std::copysign(infinity, own - other) : (own - other) / std::abs(own);
}

/// The least share, over all objectives (to be minimized), by which `other` is better than `own`; negative if `other`
/// is worse in some objective.
[[nodiscard]] inline double lead_of(std::span<double const> other, std::span<double const> own) {
    double lead = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < own.size(); ++i) lead = std::min(lead, share_below(own[i], other[i]));
    return lead;
}

/// {"time": [{"what": ..., "seconds": ...}], "energy": [...], "area": [...], "silicon": [...], "limits": [...]}
[[nodiscard]] sim::Json breakdown_json(models::Breakdown const& breakdown);

/// The output of `pimdse explain --format json`. Numbers are in SI, ids are strings.
[[nodiscard]] sim::Json explanation_json(ExplainContext const& context, Explanation const& explanation);

}  // namespace pimdse::dse::report
