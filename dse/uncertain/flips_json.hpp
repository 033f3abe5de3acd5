#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/flips.hpp"
#include "sim/base/json.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace pimdse::dse::uncertain {

/// The output of `pimdse flips --format json`, which the page of a report shows (docs/uncertain.md). `space`: the space
/// of the report, with its own assumptions.
[[nodiscard]] sim::Json flips_json(space::Space const& space, FlipReport const& report);

/// Digest of a space without its objectives: machines, axes, scenarios, conditions and assumptions. If two digests are
/// equal, the flips of one space are valid for results of the other. `canonical_text`: of a space or a result file.
/// Returns "" if it is not a canonical text.
[[nodiscard]] std::string space_digest(std::string_view canonical_text);

/// Reads a file with the output of `pimdse flips --format json`, for the page of the result file `results` with this
/// text of its space. Throws InputError for other content, and for flips of another space: other machines, parameters,
/// scenarios, conditions or assumptions.
[[nodiscard]] sim::Json flips_of_file(std::filesystem::path const& path, std::string_view canonical_text,
                                      std::filesystem::path const& results);

}  // namespace pimdse::dse::uncertain
