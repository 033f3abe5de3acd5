#pragma once

#include "dse/store/hdf5/column.hpp"
#include "models/contract/architecture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pimdse::dse::store::result {

/// Where a metric lies in the file, and the rows that pass through memory.
class MetricRows {
  public:
    MetricRows(hdf5::Column value, hdf5::Column low, hdf5::Column high, hdf5::Column kind)
        : value_(std::move(value)),
          low_(std::move(low)),
          high_(std::move(high)),
          kind_(std::move(kind)),
          exact_(low_.is(value_) && high_.is(value_)) {}

    void go_to(std::uint64_t first, std::uint64_t count) {
        values_ = value_.read<double>(first, count);
        if (!exact_) lows_ = low_.read<double>(first, count);
        if (!exact_) highs_ = high_.read<double>(first, count);
        kinds_ = kind_.read<std::uint8_t>(first, count);
        if (std::any_of(kinds_.begin(), kinds_.end(),
                        [](std::uint8_t kind) { return kind >= sim::bound_names.size(); }))
            kind_.damaged("unknown kind of bound");
    }
    /// Row `i` of those.
    [[nodiscard]] models::Estimate estimate(std::size_t i) const {
        return {values_[i], exact_ ? values_[i] : lows_[i], exact_ ? values_[i] : highs_[i],
                sim::all_bound_kinds[kinds_[i]]};
    }

  private:
    hdf5::Column value_, low_, high_, kind_;
    bool exact_;  ///< one data set with three names
    std::vector<double> values_, lows_, highs_;
    std::vector<std::uint8_t> kinds_;
};

}  // namespace pimdse::dse::store::result
