#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// Contradictions between a file and its space, one sentence each: names, units, senses, meanings and choices are
/// compared with those of the current architecture, ids and blocks with the size of the space, and the parameters of
/// every row with its id. For each parameter only the first contradicting row is reported.
[[nodiscard]] std::vector<std::string> check_against_space(store::ResultFile const& file, space::Space const& space);

/// Result of evaluating rows again.
struct Reevaluated {
    std::array<std::uint64_t, models::fidelity_names.size()> rows{};  ///< by fidelity
    std::uint64_t left_out = 0;  ///< crashes and timeouts, which would end or block this process
    std::vector<std::string>
        problems;  ///< one sentence for each of the first 100 rows that differ, by ascending id, and their number
    [[nodiscard]] std::uint64_t total() const;
};

/// Evaluates these rows of the file again, with all threads, and compares status, values and bounds bit by bit.
[[nodiscard]] Reevaluated reevaluate(store::ResultFile const& file, space::Space const& space,
                                     std::span<search::Row const> rows);

}  // namespace pimdse::dse::run
