#pragma once

#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
    std::vector<search::Row> rows;
    RowsPerNeed counts{};

    /// The first `count` rows, sorted by point, then by fidelity.
    [[nodiscard]] std::vector<search::Row> first(search::ResultStore const& store, std::size_t count) const;
    /// Number of rows of each need among the first `count` rows.
    [[nodiscard]] RowsPerNeed counts_in(std::size_t count) const;
};

[[nodiscard]] RankedRows ranked_rows(store::ResultFile const& file);

/// Columns of a page: a head for each column, and the packed values, to which "data" of the head is the index.
struct PageColumns {
    sim::Json heads = sim::Json::array();
    std::vector<std::string> data;

    [[nodiscard]] std::size_t bytes() const;
};

/// Metrics that a page with many designs has for every design: the objectives, also the common metrics, or all. Metrics
/// with few distinct values are always included. The other metrics are included for the designs on the front.
enum class MetricSet : std::uint8_t { objectives, usual, all };

/// Columns of the given rows: id, fidelity, status, rule, whether the row is on the front, parameters, metrics,
/// intervals of objectives, intervals of other metrics for the designs on the front, and with draws of uncertain
/// constants front_share and regret. `known`: the columns of the file, with the machines of its space if the program
/// knows it.
[[nodiscard]] PageColumns page_columns(store::ResultFile const& file, space::Columns const& known,
                                       std::span<search::Row const> rows, MetricSet metrics);

}  // namespace pimdse::dse::report
