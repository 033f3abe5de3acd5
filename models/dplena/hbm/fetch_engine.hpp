#pragma once

#include "models/dplena/hbm/prefetch_memory.hpp"

#include <deque>
#include <memory>

namespace pimdse::models::dplena {

/// The HBM behind a queue of prefetches: with one under way at a time outcomes are remembered, with more the controller
/// runs with all its timers. One design's prefetches, in the order of presentation.
class FetchEngine {
  public:
    FetchEngine(Hbm const& hbm, Fetching const& fetching);

    /// Fetches elements from `offset` on of the area at `base`, its scales `scales` bytes behind it. `at` does not go
    /// back.
    void present(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t at);
    /// The tick in which the oldest prefetch not reported yet ends.
    std::int64_t finish_oldest();

    [[nodiscard]] std::int64_t under_way() const { return static_cast<std::int64_t>(starts_.size()); }
    [[nodiscard]] std::int64_t prefetches() const { return prefetches_; }
    /// Ticks in which at least one reported prefetch was under way.
    [[nodiscard]] std::int64_t busy() const { return busy_; }

  private:
    PrefetchReads reads_;
    PrefetchMemory memory_;
    ChannelTiming timing_;
    std::unique_ptr<Controller> controller_;  ///< only if prefetches overlap each other
    std::deque<std::int64_t> starts_, ends_;
    std::int64_t prefetches_ = 0, busy_ = 0, busy_until_ = 0;
};

}  // namespace pimdse::models::dplena
