#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/service_engine.hpp"
#include "models/contract/value.hpp"
#include "models/service/traffic.hpp"
#include "sim/serving/max_rate.hpp"
#include "sim/serving/summary.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

namespace pimdse::models::service {

struct Pools;  // pools.hpp

/// Condition for ending a schedule early because too few requests can still meet required limits; nullopt: no limits.
[[nodiscard]] std::optional<sim::serving::GiveUp> give_up_of(Traffic const& traffic);

/// Power [W] of all engines of a pool between steps.
[[nodiscard]] double idle_watts(ServiceEngine const& engine);

/// Figures of a schedule that are kept when its single requests are dropped.
struct ServedFigures {
    std::optional<Infeasible> missed{};  ///< set: required limits are missed, and only `watts` and `told` are valid
    sim::serving::ServiceSummary summary{};
    /// Lower bounds of the figures: each request served alone, with steps at their lower bounds. Empty if the engine
    /// states no bounds, and at the finest fidelity.
    std::optional<sim::serving::ServiceSummary> alone{};
    std::optional<sim::serving::LargestRate> max_rate{};  ///< where no limits are required
    double watts = 0.0;                                   ///< largest mean power of a step, of all engines together
    /// Peaks of the schedule: scheduler limits above them change nothing. Not known if limits are required.
    std::int64_t peak_sequences = 0, peak_tokens = 0;
    bool keeps_up = false;  ///< the schedule alone shows that the engines keep up
    double told = 0.0;      ///< largest power [W] that was passed to PowerRefusal
};

/// Reason to refuse a result whose engines together draw `watts` in a step; nullopt: none. Monotone: it also refuses
/// every larger power.
using PowerRefusal = std::function<std::optional<Infeasible>(double watts)>;

/// A point of a machine that serves traffic, as it was evaluated.
struct ServedPoint {
    Architecture const& architecture;
    Inputs const& inputs;
    Point point;
    Fidelity fidelity{};
};

/// Figures of the traffic served by the pools of a point. `refuses` may be empty; it is called whenever the largest
/// power has risen by a percent, and a refusal ends the schedule. A recent schedule is used again if two points differ
/// only in costs, in links that they do not have, or in scheduler limits that neither schedule reached.
/// Thread-safe.
[[nodiscard]] std::variant<ServedFigures, Infeasible> served_figures(ServedPoint const& served, Pools const& pools,
                                                                     Traffic const& traffic,
                                                                     PowerRefusal const& refuses);

}  // namespace pimdse::models::service
