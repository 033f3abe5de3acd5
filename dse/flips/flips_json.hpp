#pragma once

#include "dse/flips/flips.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::flips {

/// What `pimdse flips --format json` prints and the page of a report shows (docs/flips.md). `space`: the one that was
/// studied, as it is assumed.
[[nodiscard]] nlohmann::ordered_json flips_json(space::Space const& space, Report const& report);

}  // namespace pimdse::dse::flips
