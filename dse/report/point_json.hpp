#pragma once

#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "sim/base/json.hpp"

#include <vector>

namespace pimdse::dse::report {

/// The point of a space with these values of its parameters: {"vlen": 2048, "frequency": "1 GHz"}. Numbers are in SI,
/// texts may have units. Parameters with a single value may be missing. If the space has several machines, "machine"
/// names one. Throws InputError with one sentence.
[[nodiscard]] space::PointId read_point(space::Space const& space, sim::Json const& given);

/// A point with these values, and the values of `base` for all other parameters. An unknown text is appended to the
/// choices of its parameter in `parameters`. Throws InputError with one sentence.
[[nodiscard]] std::vector<models::Value> read_free_point(models::Parameters& parameters, models::Point base,
                                                         sim::Json const& given);

/// The id of a point of the space, given as a string of digits or as a number. Throws InputError with one sentence.
[[nodiscard]] space::PointId read_id(space::Space const& space, sim::Json const& given);

/// The values of the parameters of a point by name, with "machine" if the space has several machines.
[[nodiscard]] sim::Json point_json(space::Space const& space, space::PointId id);

/// Adds "status", "rule" and "reason" of an outcome, as far as it has them.
void add_status(sim::Json& object, models::Outcome const& outcome);

/// {"status": "ok", "metrics": {...}}. Infeasible outcomes have "rule" and "reason", defects "reason".
[[nodiscard]] sim::Json outcome_json(models::MetricList const& metrics, models::Outcome const& outcome);

/// {"id": "12", "status": "ok", "metrics": {...}}. A metric that does not apply is null.
[[nodiscard]] sim::Json result_json(models::MetricList const& metrics, space::Result const& result);

/// Machines with their parameters (with values if there are at most 1,000), metrics, objectives, fidelity of the
/// search, number of points.
[[nodiscard]] sim::Json space_json(space::Space const& space);

/// The front of the results so far: id, parameters and metrics of each member.
[[nodiscard]] sim::Json front_json(space::Space const& space, search::ResultStore const& store);

/// The output of `pimdse robust --format json`: statement, constants, designs, machines, decisions and flips. Numbers
/// are in SI, ids are strings.
[[nodiscard]] sim::Json robust_json(search::RobustFront const& front);

/// The part "uncertain" of an explanation: {"front_share": ..., "tornado": [...], "leaves_front": {...} or null}.
[[nodiscard]] sim::Json point_study_json(search::RobustFront const& front, space::PointId point,
                                         search::PointStudy const& study);

/// Position of a design in the front; nullptr if it was on no front.
[[nodiscard]] search::RobustDesign const* find_design(search::RobustFront const& front, space::PointId point);

}  // namespace pimdse::dse::report
