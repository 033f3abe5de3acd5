#pragma once

#include "dse/run/liveness.hpp"
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

/// Records which point each thread evaluates and since when, so that another thread can detect a point that takes too
/// long.
class PointClock {
  public:
    explicit PointClock(int threads)
        : slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(threads))), threads_(threads) {}

    /// Marks the calling thread as working on the point while the object lives. The destructor of a nested object
    /// restores the outer point and its start time.
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

    /// Excludes a time in which this process was suspended from the time of every point.
    void add_suspended(double seconds) {
        suspended_.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
    }

    /// A point that has been under evaluation for longer than this, if any.
    [[nodiscard]] std::optional<space::PointId> overdue(double seconds) const;

  private:
    struct Slot {
        std::atomic<std::uint64_t> point{0};
        std::atomic<std::int64_t> since{0};  ///< nanoseconds of now(); 0 = idle
    };
    [[nodiscard]] std::int64_t now() const;
    std::unique_ptr<Slot[]> slots_;
    int threads_;
    std::atomic<std::int64_t> suspended_{0};  ///< ns
};

/// Evaluates chunks on TBB threads. The calling thread stays free for communication; it never evaluates points.
class ChunkRunner {
  public:
    ChunkRunner(space::Space const& space, WorkSettings const& settings);
    ~ChunkRunner();  ///< waits until all submitted chunks are finished
    ChunkRunner(ChunkRunner const&) = delete;
    ChunkRunner& operator=(ChunkRunner const&) = delete;

    void submit(Chunk chunk) noexcept;
    /// A chunk that has finished since the last call, or the results so far of a chunk that has been running for a
    /// while, if any.
    [[nodiscard]] std::optional<FinishedChunk> poll();
    /// Starts no more points: chunks finish with the results that they have.
    void recall() { recalled_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool idle();
    /// True if threads are idle, or soon will be, although at least `chunks` chunks are held: long points keep these
    /// from finishing.
    [[nodiscard]] bool starving(int chunks);
    /// Calls `give_up` of the settings if a point takes longer than allowed.
    void check_point_times() const;
    /// Excludes a time in which this process was suspended from the time of every point.
    void add_suspended(double seconds) { clock_.add_suspended(seconds); }

  private:
    using Clock = std::chrono::steady_clock;
    /// Tasks [first, last) of a chunk.
    struct Span {
        std::uint64_t first = 0, last = 0;
    };
    struct Running {
        Chunk chunk;
        std::vector<space::Result> results;  ///< one element per task
        std::vector<Span> done;              ///< evaluated and not yet delivered; protected by guard_
        std::uint64_t evaluated = 0;         ///< protected by guard_
        std::atomic<double> seconds = 0.0;
        Clock::time_point delivered;  ///< last delivery of results, or submission; protected by guard_
    };
    void compute(Running& running);
    void finish(std::list<Running>::iterator running);
    void evaluate_some(Running& running, Span span);
    void evaluate_quarantined(Running& running, Span span);
    /// Records that these tasks are evaluated, and the seconds that a thread spent on them.
    void note_done(Running& running, Span done, double seconds);
    [[nodiscard]] std::vector<ChunkResult> results_of(Running& running, std::vector<Span> done) const;
    [[nodiscard]] std::optional<FinishedChunk> partial_results();

    space::Space const& space_;
    WorkSettings settings_;
    PointClock clock_;
    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::mutex guard_;
    std::list<Running> running_;
    std::deque<FinishedChunk> finished_;
    Clock::time_point checked_partial_ = Clock::now();  ///< last call of partial_results() without a result
    std::atomic<std::uint64_t> not_started_{0};         ///< points
    std::atomic<bool> recalled_{false};
};

/// Transport with one worker, the TBB threads of this process.
class LocalTransport final : public Transport {
  public:
    LocalTransport(space::Space const& space, WorkSettings const& settings) : runner_(space, settings) {}

    [[nodiscard]] std::vector<WorkerKey> workers() const override { return {0}; }
    [[nodiscard]] std::optional<WorkerEvent> poll() override;
    void submit(WorkerKey worker, Chunk chunk) override;
    void recall() override { runner_.recall(); }
    void supervise(std::function<bool(WorkerKey)> const& busy) override;

  private:
    ChunkRunner runner_;
    RunningTime time_;
    bool reported_starving_ = false;  ///< since the last chunk was submitted
};

}  // namespace pimdse::dse::run
