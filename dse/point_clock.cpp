#include "dse/point_clock.hpp"

#include <tbb/task_arena.h>

namespace pimdse::dse {
namespace {

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

PointClock::Working::Working(PointClock& clock, Task task) : clock_(clock), slot_(tbb::this_task_arena::current_thread_index()) {
    if (slot_ < 0 || slot_ >= clock_.threads_) {
        slot_ = -1;
        return;
    }
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    outer_ = {slot.point.load(std::memory_order_relaxed), slot.since.load(std::memory_order_relaxed)};
    slot.point.store(index_of(task.point), std::memory_order_relaxed);
    slot.since.store(now(), std::memory_order_release);
}

PointClock::Working::~Working() {
    if (slot_ < 0) return;
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    slot.point.store(outer_.point, std::memory_order_relaxed);
    slot.since.store(outer_.since, std::memory_order_release);
}

std::optional<PointId> PointClock::overdue(double seconds) const {
    auto const limit = now() - static_cast<std::int64_t>(seconds * 1e9);
    for (int i = 0; i < threads_; ++i) {
        auto const& slot = slots_[static_cast<std::size_t>(i)];
        auto const since = slot.since.load(std::memory_order_acquire);
        if (since != 0 && since < limit) return PointId{slot.point.load(std::memory_order_relaxed)};
    }
    return std::nullopt;
}

}  // namespace pimdse::dse
