#pragma once

#include "models/contract/outcome.hpp"
#include "models/contract/service_engine.hpp"
#include "models/service/service.hpp"
#include "sim/serving/max_rate.hpp"

#include <optional>
#include <variant>

namespace pimdse::models::service {

/// A machine with the settings of its pool of sequences, or of its two pools if it hands sequences over.
struct Pools {
    ServiceEngine engine;
    sim::serving::SchedulerSettings settings, of_decode;  ///< of_decode: only with a handover

    [[nodiscard]] ServiceEngine const& last() const { return engine.handover ? *engine.handover->to : engine; }
    [[nodiscard]] sim::serving::SchedulerSettings const& last_settings() const {
        return engine.handover ? of_decode : settings;
    }
    /// Whether the request exceeds the context or the cache.
    [[nodiscard]] bool rejects(sim::serving::ServiceRequest request) const;
};

/// The pools of an engine with the scheduler of the point, or why it cannot serve the traffic.
[[nodiscard]] std::variant<Pools, Infeasible> pools_of(ServiceEngine engine, Point point, Traffic const& traffic);

/// Serves the load, without its ceiling. Has no summary if `give_up` ended it early.
[[nodiscard]] Served scheduled(Pools const& pools, Traffic const& traffic, sim::serving::GiveUp const* give_up,
                               sim::serving::Observer const& observe = {});

/// Sets the ceiling, if the schedule does not show that the engines keep up, and whether they are saturated. With
/// `give_up` it is ceiling_up_to_its_rate(), and is not computed if too few requests meet the limits.
void find_ceiling(Served& served, Pools const& pools, Traffic const& traffic, sim::serving::GiveUp const* give_up);

/// scheduled(), then find_ceiling().
[[nodiscard]] Served served_by(Pools const& pools, Traffic const& traffic, sim::serving::GiveUp const* give_up,
                               sim::serving::Observer const& observe = {});

/// Largest rate [1/s] that the engines serve, or any number that is at least the rate of the traffic.
[[nodiscard]] double ceiling_up_to_its_rate(Pools const& pools, Traffic const& traffic);

/// The largest rate of the traffic at which the required share of requests meets the limits; nullopt if it has no rate.
/// `ceiling`: largest rate [1/s] that the engines serve, if it is known.
[[nodiscard]] std::optional<sim::serving::LargestRate> largest_rate(Pools const& pools, Traffic const& traffic,
                                                                    std::optional<double> ceiling);

}  // namespace pimdse::models::service
