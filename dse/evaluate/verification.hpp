#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result/result_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::evaluate {

/// What a file says of its columns and points that its space does not: names, units, senses, meanings and choices
/// against those of the architecture now, ids and blocks against the size of the space, every parameter of every row
/// against its id. A sentence for each; only the first row for each parameter.
[[nodiscard]] std::vector<std::string> check_against_space(store::result::ResultFile const& file,
                                                           space::Space const& space);

/// Evaluates `count` points of the file again (sample_rows); a sentence for each that answers differently
/// now.
[[nodiscard]] std::vector<std::string> changed_answers(store::result::ResultFile const& file, space::Space const& space,
                                                       std::size_t count, std::uint64_t seed);

}  // namespace pimdse::dse::evaluate
