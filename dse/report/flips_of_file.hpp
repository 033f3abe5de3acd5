#pragma once

#include "dse/store/result/result_file.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace pimdse::dse::report {

/// What `pimdse flips --format json` printed into a file, for the page of these answers. Throws InputError for another
/// text, and for flips of another space: other machines, parameters, scenarios, conditions or assumptions.
[[nodiscard]] nlohmann::ordered_json flips_of_file(std::filesystem::path const& path,
                                                   store::result::ResultFile const& answers);

}  // namespace pimdse::dse::report
