#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::served {

/// {"status": "ok", "metrics": {...}}; what is not feasible has its rule and reason, what failed its reason.
[[nodiscard]] nlohmann::ordered_json outcome_json(models::MetricList const& metrics, models::Outcome const& outcome);

/// {"id": "12", "status": "ok", "metrics": {...}}; a metric that does not apply is null.
[[nodiscard]] nlohmann::ordered_json answer_json(models::MetricList const& metrics, task::Answer const& answer);

/// Parameters with their values (of at most 1,000), metrics, objectives, fidelities, number of points.
[[nodiscard]] nlohmann::ordered_json space_json(space::Space const& space);

/// The front of the answers so far: each member's id, parameters and metrics.
[[nodiscard]] nlohmann::ordered_json front_json(space::Space const& space, answers::ResultStore const& store);

}  // namespace pimdse::dse::served
