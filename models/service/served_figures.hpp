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

/// When it is sure that too few requests meet limits that are required; nullopt where none are.
[[nodiscard]] std::optional<sim::serving::GiveUp> give_up_of(Traffic const& traffic);

/// W that all engines of a pool draw between steps.
[[nodiscard]] double idle_watts(ServiceEngine const& engine);

/// What is left of a schedule when its requests are forgotten.
struct ServedFigures {
    std::optional<Infeasible> missed{};  ///< required limits that are not met; of the others, only `watts` and `told`
    sim::serving::ServiceSummary summary{};
    /// Figures of requests of which each is served alone by a machine whose steps take their lower bounds; empty where
    /// an engine states no bounds, and at the finest fidelity.
    std::optional<sim::serving::ServiceSummary> alone{};
    std::optional<sim::serving::LargestRate> max_rate{};  ///< where no limits are required
    double watts = 0.0;                                   ///< largest mean power of a step, of all engines together
    /// As those of a schedule; limits above both change nothing. Without limits that are required they are not known.
    std::int64_t peak_sequences = 0, peak_tokens = 0;
    bool keeps_up = false;  ///< the schedule alone shows that it does
    double told = 0.0;      ///< the last power at which a refusal was asked for
};

/// Why a result cannot count any more if all engines together draw so many W in a step; nullopt: it may. What it
/// refuses, it refuses at more, too.
using PowerRefusal = std::function<std::optional<Infeasible>(double watts)>;

/// A point of a machine that serves traffic, as it was evaluated.
struct ServedPoint {
    Architecture const& architecture;
    Inputs const& inputs;
    Point point;
    Fidelity fidelity{};
};

/// Figures of the traffic served by the pools of a point. `refuses` may be empty; it is asked whenever the largest
/// power has risen by a percent, and ends the schedule. Points that were served lately are not served again if only
/// costs, or links that they do not have, are others, or if limits of the scheduler are that neither of them was ever
/// near. Thread-safe.
[[nodiscard]] std::variant<ServedFigures, Infeasible> served_figures(ServedPoint const& served, Pools const& pools,
                                                                     Traffic const& traffic,
                                                                     PowerRefusal const& refuses);

}  // namespace pimdse::models::service
