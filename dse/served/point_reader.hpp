#pragma once

#include "dse/space/space.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pimdse::dse::served {

/// The point of a space whose parameters have these values: {"vlen": 2048, "frequency": "1 GHz"}; numbers are SI, texts
/// as a person writes them, and what takes one value only need not be said. Of several machines, "machine" says which.
/// Throws InputError in one sentence.
[[nodiscard]] task::PointId read_point(space::Space const& space, nlohmann::json const& said);

/// A point that has these values and else those of `base`; a text that the table has not met is appended to the
/// choices of its parameter. Throws InputError in one sentence.
[[nodiscard]] std::vector<models::Value> read_free_point(models::Parameters& parameters, models::Point base,
                                                         nlohmann::json const& said);

/// The id of a point of the space, a text of digits or a number.
[[nodiscard]] task::PointId read_id(space::Space const& space, nlohmann::json const& said);

/// The value of each parameter of a point, by name; of several machines with "machine".
[[nodiscard]] nlohmann::ordered_json point_json(space::Space const& space, task::PointId id);

}  // namespace pimdse::dse::served
