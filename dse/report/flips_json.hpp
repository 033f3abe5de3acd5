#pragma once

#include "dse/report/flips.hpp"
#include "dse/store/result_file.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pimdse::dse::report {

/// What `pimdse flips --format json` prints and the page of a report shows (docs/flips.md). `space`: the one that was
/// studied, as it is assumed.
[[nodiscard]] nlohmann::ordered_json flips_json(space::Space const& space, Report const& report);

/// Of the machines of a space, with axes, scenarios, conditions and assumptions, whatever its objectives are. Equal
/// digests: what flips says of one space holds for answers of the other. `canonical_text`: that of a space or a result
/// file; empty for a text that is none.
[[nodiscard]] std::string space_digest(std::string_view canonical_text);

/// What `pimdse flips --format json` printed into a file, for the page of these answers. Throws InputError for another
/// text, and for flips of another space: other machines, parameters, scenarios, conditions or assumptions.
[[nodiscard]] nlohmann::ordered_json flips_of_file(std::filesystem::path const& path, store::ResultFile const& results);

}  // namespace pimdse::dse::report
