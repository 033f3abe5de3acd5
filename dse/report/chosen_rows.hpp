#pragma once

#include "dse/store/result_file.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pimdse::dse::report {

/// Reasons to include a row in the page, the most important first. within: the intervals of the row do not exclude it
/// from the front. failed: the row has no metrics.
inline constexpr std::array<std::string_view, 4> need_names{"front", "within", "failed", "other"};

using RowsPerNeed = std::array<std::size_t, need_names.size()>;

/// All rows of a file, sorted by need. Rows of the same need are in a pseudo-random order, so that any prefix of the
/// list is a sample.
struct RankedRows {
    std::vector<search::ResultStore::Row> rows;
    RowsPerNeed counts{};

    /// The first `count` rows, sorted by point, then by fidelity.
    [[nodiscard]] std::vector<search::ResultStore::Row> first(search::ResultStore const& store,
                                                              std::size_t count) const;
    /// Number of rows of each need among the first `count` rows.
    [[nodiscard]] RowsPerNeed counts_in(std::size_t count) const;
};

[[nodiscard]] RankedRows ranked_rows(store::ResultFile const& file);

}  // namespace pimdse::dse::report
