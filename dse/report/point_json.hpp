#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// The point of a space whose parameters have these values: {"vlen": 2048, "frequency": "1 GHz"}; numbers are SI, texts
/// as a person writes them, and what takes one value only need not be said. Of several machines, "machine" says which.
/// Throws InputError in one sentence.
[[nodiscard]] space::PointId read_point(space::Space const& space, nlohmann::json const& said);

/// A point that has these values and else those of `base`; a text that the table has not met is appended to the
/// choices of its parameter. Throws InputError in one sentence.
[[nodiscard]] std::vector<models::Value> read_free_point(models::Parameters& parameters, models::Point base,
                                                         nlohmann::json const& said);

/// The id of a point of the space, a text of digits or a number.
[[nodiscard]] space::PointId read_id(space::Space const& space, nlohmann::json const& said);

/// The value of each parameter of a point, by name; of several machines with "machine".
[[nodiscard]] nlohmann::ordered_json point_json(space::Space const& space, space::PointId id);

/// {"status": "ok", "metrics": {...}}; what is not feasible has its rule and reason, what failed its reason.
[[nodiscard]] nlohmann::ordered_json outcome_json(models::MetricList const& metrics, models::Outcome const& outcome);

/// {"id": "12", "status": "ok", "metrics": {...}}; a metric that does not apply is null.
[[nodiscard]] nlohmann::ordered_json result_json(models::MetricList const& metrics, space::Result const& result);

/// Parameters with their values (of at most 1,000), metrics, objectives, fidelities, number of points.
[[nodiscard]] nlohmann::ordered_json space_json(space::Space const& space);

/// The front of the answers so far: each member's id, parameters and metrics.
[[nodiscard]] nlohmann::ordered_json front_json(space::Space const& space, search::ResultStore const& store);

}  // namespace pimdse::dse::report
