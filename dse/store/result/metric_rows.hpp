#pragma once

#include "dse/store/hdf5/column.hpp"
#include "models/contract/architecture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace pimdse::dse::store::result {

/// Where a metric lies in the file, and the rows that pass through memory. Its columns may have some of the rows of all
/// answers only; it is not a number at others.
class MetricRows {
  public:
    struct Columns {
        hdf5::Column value, low, high, kind;
    };
    MetricRows(Columns columns, std::uint64_t first, std::uint64_t rows)
        : columns_(std::move(columns)),
          first_(first),
          rows_(rows),
          exact_(columns_.low.is(columns_.value) && columns_.high.is(columns_.value)) {}

    /// Of all answers, these.
    void go_to(std::uint64_t first, std::uint64_t count) {
        std::uint64_t const from = std::max(first, first_), to = std::min(first + count, first_ + rows_);
        begin_ = from - first;
        std::uint64_t const have = from < to ? to - from : 0;
        values_.clear();
        if (have == 0) return;
        values_ = columns_.value.read<double>(from - first_, have);
        if (!exact_) lows_ = columns_.low.read<double>(from - first_, have);
        if (!exact_) highs_ = columns_.high.read<double>(from - first_, have);
        kinds_ = columns_.kind.read<std::uint8_t>(from - first_, have);
        if (std::any_of(kinds_.begin(), kinds_.end(),
                        [](std::uint8_t kind) { return kind >= sim::bound_names.size(); }))
            columns_.kind.damaged("unknown kind of bound");
    }
    /// Row `i` of those.
    [[nodiscard]] models::Estimate estimate(std::size_t i) const {
        std::size_t const at = i - begin_;  // beyond all where i comes before the first
        if (at >= values_.size()) return models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
        return {values_[at], exact_ ? values_[at] : lows_[at], exact_ ? values_[at] : highs_[at],
                sim::all_bound_kinds[kinds_[at]]};
    }

  private:
    Columns columns_;
    std::uint64_t first_, rows_;
    std::size_t begin_ = 0;  ///< of the rows in memory, the first it has
    bool exact_;             ///< one data set with three names
    std::vector<double> values_, lows_, highs_;
    std::vector<std::uint8_t> kinds_;
};

}  // namespace pimdse::dse::store::result
