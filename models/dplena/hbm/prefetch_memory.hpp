#pragma once

#include "models/dplena/hbm/outcome_memory.hpp"
#include "models/dplena/hbm/prefetch_reads.hpp"
#include "models/dplena/hbm/shape_memory.hpp"

#include <cstdint>
#include <span>

namespace pimdse::models::dplena {

/// The HBM for prefetches that come one after the other. No timer outlives a prefetch (the constructor checks that the
/// constants make it so), so between prefetches the state is the open row of every bank, and what a prefetch does is
/// remembered. With refresh on this holds between two refreshes; a prefetch that runs into one is simulated.
class PrefetchMemory {
  public:
    PrefetchMemory(Hbm const& hbm, Fetching const& fetching);

    /// The tick in which a list of reads presented at `start` ends; starts do not go back behind earlier ends.
    std::int64_t fetch(std::span<HbmAddress const> reads, std::int64_t start);
    /// The same for the prefetch of elements from `offset` on of the area at `base`, its scales `scales` bytes behind
    /// it.
    std::int64_t fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start);

  private:
    std::int64_t after_refresh(std::int64_t start);
    [[nodiscard]] std::int64_t next_refresh() const { return (refreshes_ + 1) * timing_.rules.refresh_interval; }
    [[nodiscard]] bool meets_refresh(std::int64_t last_issue) const {
        return refresh_ == Refresh::on && last_issue >= next_refresh();
    }
    std::int64_t through_refresh(std::span<HbmAddress const> reads, std::int64_t start);

    ChannelTiming timing_;
    std::int64_t channels_;
    Refresh refresh_;
    std::int64_t reads_worth_a_shape_;
    OpenRows open_;
    PrefetchReads reads_;
    OutcomeMemory outcomes_;
    ShapeMemory shapes_;
    std::int64_t refreshes_ = 0;  ///< refreshes whose effect open_ shows
};

}  // namespace pimdse::models::dplena
