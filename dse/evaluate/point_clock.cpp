#include "dse/evaluate/point_clock.hpp"

#include <tbb/task_arena.h>
#include <ctime>

namespace pimdse::dse::evaluate {

/// Exact to some milliseconds, and read for every point: the coarse clock costs a fifth of the fine one.
std::int64_t PointClock::now() const {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec - away_.load(std::memory_order_relaxed);
}

PointClock::Working::Working(PointClock& clock, task::Task task)
    : clock_(clock), slot_(tbb::this_task_arena::current_thread_index()) {
    if (slot_ < 0 || slot_ >= clock_.threads_) {
        slot_ = -1;
        return;
    }
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    outer_ = {slot.point.load(std::memory_order_relaxed), slot.since.load(std::memory_order_relaxed)};
    slot.point.store(index_of(task.point), std::memory_order_relaxed);
    slot.since.store(clock_.now(), std::memory_order_release);
}

PointClock::Working::~Working() {
    if (slot_ < 0) return;
    auto& slot = clock_.slots_[static_cast<std::size_t>(slot_)];
    slot.point.store(outer_.point, std::memory_order_relaxed);
    slot.since.store(outer_.since, std::memory_order_release);
}

std::optional<task::PointId> PointClock::overdue(double seconds) const {
    auto const limit = now() - static_cast<std::int64_t>(seconds * 1e9);
    for (int i = 0; i < threads_; ++i) {
        auto const& slot = slots_[static_cast<std::size_t>(i)];
        auto const since = slot.since.load(std::memory_order_acquire);
        if (since != 0 && since < limit) return task::PointId{slot.point.load(std::memory_order_relaxed)};
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::evaluate
