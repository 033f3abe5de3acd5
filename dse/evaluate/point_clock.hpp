#pragma once

#include "dse/task/answer.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace pimdse::dse::evaluate {

/// Which point each thread works on and since when, so that another thread can tell one that takes too long.
class PointClock {
  public:
    explicit PointClock(int threads)
        : slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(threads))), threads_(threads) {}

    /// While it lives, this thread works on the point. Nested ones give the outer point its time back.
    class Working {
      public:
        Working(PointClock& clock, task::Task task);
        ~Working();
        Working(Working const&) = delete;
        Working& operator=(Working const&) = delete;

      private:
        struct Entry {
            std::uint64_t point = 0;
            std::int64_t since = 0;
        };
        PointClock& clock_;
        int slot_;
        Entry outer_;
    };

    /// This process could not run for so long: no point took that time.
    void was_away(double seconds) {
        away_.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
    }

    /// A point somebody has been working on for longer than this.
    [[nodiscard]] std::optional<task::PointId> overdue(double seconds) const;

  private:
    struct Slot {
        std::atomic<std::uint64_t> point{0};
        std::atomic<std::int64_t> since{0};  ///< nanoseconds of now(); 0 = idle
    };
    [[nodiscard]] std::int64_t now() const;
    std::unique_ptr<Slot[]> slots_;
    int threads_;
    std::atomic<std::int64_t> away_{0};  ///< ns
};

}  // namespace pimdse::dse::evaluate
