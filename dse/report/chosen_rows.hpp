#pragma once

#include "dse/store/result_file.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pimdse::dse::report {

/// Why a row should be on the page, most needed first. within: its interval does not rule out that it belongs on the
/// front.
inline constexpr std::array<std::string_view, 4> need_names{"front", "within", "failed", "other"};

using RowsPerNeed = std::array<std::size_t, need_names.size()>;

/// All rows of a file, those needed most first and of one need in an order that follows no pattern: any beginning of
/// the list is a sample.
struct RankedRows {
    std::vector<search::ResultStore::Row> rows;
    RowsPerNeed counts{};

    /// The first `count` by point, then fidelity.
    [[nodiscard]] std::vector<search::ResultStore::Row> first(search::ResultStore const& store,
                                                              std::size_t count) const;
    /// How many of each need the first `count` have.
    [[nodiscard]] RowsPerNeed counts_in(std::size_t count) const;
};

[[nodiscard]] RankedRows ranked_rows(store::ResultFile const& file);

}  // namespace pimdse::dse::report
