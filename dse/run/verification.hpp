#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// What a file says of its columns and points that its space does not: names, units, senses, meanings and choices
/// against those of the architecture now, ids and blocks against the size of the space, every parameter of every row
/// against its id. A sentence for each; only the first row for each parameter.
[[nodiscard]] std::vector<std::string> check_against_space(store::ResultFile const& file, space::Space const& space);

/// What the evaluation of rows once more comes to.
struct Reevaluated {
    std::array<std::uint64_t, models::fidelity_names.size()> rows{};  ///< by fidelity
    std::uint64_t left_out = 0;         ///< crashes and timeouts, which would end this process, or take for ever
    std::vector<std::string> problems;  ///< a sentence for each of the first that differ, ids ascending, and how many
    [[nodiscard]] std::uint64_t total() const;
};

/// Evaluates these rows of the file once more, with all threads. Every part of a result counts: status, values and
/// bounds, bit for bit.
[[nodiscard]] Reevaluated reevaluate(store::ResultFile const& file, space::Space const& space,
                                     std::span<search::ResultStore::Row const> rows);

}  // namespace pimdse::dse::run
