#pragma once

#include "dse/run/transport.hpp"
#include "dse/run/work_settings.hpp"
#include "dse/space/result.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Which point each thread works on and since when, so that another thread can tell one that takes too long.
class PointClock {
  public:
    explicit PointClock(int threads)
        : slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(threads))), threads_(threads) {}

    /// While it lives, this thread works on the point. Nested ones give the outer point its time back.
    class Working {
      public:
        Working(PointClock& clock, space::Task task);
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
    [[nodiscard]] std::optional<space::PointId> overdue(double seconds) const;

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

/// Computes chunks on TBB threads while the caller goes on talking; the caller's thread never joins in.
class ChunkRunner {
  public:
    ChunkRunner(space::Space const& space, WorkSettings const& settings);
    ~ChunkRunner();  ///< waits for what is running
    ChunkRunner(ChunkRunner const&) = delete;
    ChunkRunner& operator=(ChunkRunner const&) = delete;

    void submit(Chunk chunk);
    /// A chunk that has finished since the last call, or what is answered of one that has been at work for a while, if
    /// any.
    [[nodiscard]] std::optional<FinishedChunk> poll();
    /// From now on no point is begun: chunks finish with what is answered of them.
    void recall() { recalled_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool idle();
    /// True if threads have nothing to do, or soon will, although it holds this many chunks or more: long points keep
    /// those from finishing.
    [[nodiscard]] bool starving(int chunks);
    /// Gives up, as the settings say, when a point takes too long.
    void watch_over_points() const;
    /// The process was stopped for so long, which is held against no point.
    void was_away(double seconds) { clock_.was_away(seconds); }

  private:
    using Clock = std::chrono::steady_clock;
    /// Tasks [first, last) of a chunk.
    struct Span {
        std::uint64_t first = 0, last = 0;
    };
    struct Running {
        Chunk chunk;
        std::vector<space::Result> results;  ///< one place per task
        std::vector<Span> done;              ///< answered and not delivered, guarded
        std::uint64_t evaluated = 0;         ///< guarded
        std::atomic<double> seconds = 0.0;
        Clock::time_point delivered;  ///< or submitted; guarded
    };
    void compute(Running& running);
    void finish(std::list<Running>::iterator running);
    /// Answers tasks and returns the seconds of this thread; `answered`: how many, from the first on.
    double evaluate_some(Running& running, Span span, std::uint64_t& evaluated);
    double evaluate_quarantined(Running& running, Span span, std::uint64_t& evaluated);
    [[nodiscard]] std::vector<ChunkResult> results_of(Running& running, std::vector<Span> done) const;
    [[nodiscard]] std::optional<FinishedChunk> part_of_a_long_one();

    space::Space const& space_;
    WorkSettings settings_;
    PointClock clock_;
    WorkerProcess worker_;
    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::mutex guard_;
    std::list<Running> running_;
    std::deque<FinishedChunk> finished_;
    Clock::time_point looked_ = Clock::now();    ///< for parts of long chunks
    std::atomic<std::uint64_t> not_started_{0};  ///< points
    std::atomic<bool> recalled_{false};
};

}  // namespace pimdse::dse::run
