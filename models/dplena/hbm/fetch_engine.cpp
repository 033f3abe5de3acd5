#include "models/dplena/hbm/fetch_engine.hpp"

#include <algorithm>

namespace pimdse::models::dplena {

FetchEngine::FetchEngine(Hbm const& hbm, Fetching const& fetching)
    : reads_(fetching), memory_(hbm, fetching), timing_(hbm.timing, fetching.bus) {
    if (fetching.outstanding == 1) return;
    controller_ =
        std::make_unique<Controller>(timing_, fetching.channels, fetching.refresh, hbm.timing.refresh_interval);
}

void FetchEngine::present(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t at) {
    if (controller_) {
        controller_->present(reads_.of(reads_.address(base, scales, offset)), at);
    } else {
        ends_.push_back(memory_.fetch(base, scales, offset, at));
    }
    starts_.push_back(at);
    ++prefetches_;
}

std::int64_t FetchEngine::finish_oldest() {
    sim::expects(!starts_.empty(), "a prefetch is under way");
    std::int64_t end = 0;
    if (controller_) {
        end = controller_->finish_oldest();
    } else {
        end = ends_.front();
        ends_.pop_front();
    }
    busy_ += std::max<std::int64_t>(0, end - std::max(starts_.front(), busy_until_));
    busy_until_ = std::max(busy_until_, end);
    starts_.pop_front();
    return end;
}

}  // namespace pimdse::models::dplena
