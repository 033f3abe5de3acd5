#pragma once

#include "dse/dispatcher.hpp"
#include "dse/point_clock.hpp"
#include "dse/pool.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace pimdse::dse {

class Space;

/// What a chunk came to and what it took.
struct FinishedChunk {
    std::uint64_t sequence = 0;
    Findings findings;
    double seconds = 0.0;   ///< of all threads, divided by their number
};

/// Computes chunks on TBB threads while the caller goes on talking; the caller's thread never joins in.
class ChunkRunner {
  public:
    ChunkRunner(Space const& space, WorkSettings const& settings, int rank);
    ~ChunkRunner();   ///< waits for what is running
    ChunkRunner(ChunkRunner const&) = delete;
    ChunkRunner& operator=(ChunkRunner const&) = delete;

    void submit(Chunk chunk);
    /// A chunk that has finished since the last call, if any.
    [[nodiscard]] std::optional<FinishedChunk> poll();
    [[nodiscard]] bool idle();
    /// True if threads have nothing to do, or soon will, although it holds this many chunks or more: long points keep those from finishing.
    [[nodiscard]] bool starving(int chunks);
    /// Gives up, as the settings say, when a point takes too long.
    void watch_over_points() const;

  private:
    struct Computed {
        std::vector<Answer> answers;
        double seconds = 0.0;   ///< of all threads
    };
    [[nodiscard]] FinishedChunk computed(Chunk const& chunk);
    [[nodiscard]] Computed answers_to(Batch const& tasks);
    /// Answers the tasks [first, last) and returns the seconds of this thread.
    double answer_some(Batch const& tasks, std::uint64_t first, std::uint64_t last, std::vector<Answer>& answers);
    double answer_suspects(Batch const& tasks, std::uint64_t first, std::uint64_t last, std::vector<Answer>& answers);

    Space const& space_;
    WorkSettings settings_;
    int rank_;
    PointClock clock_;
    ProcessApart apart_;
    tbb::global_control limit_;
    tbb::task_arena arena_;
    std::mutex guard_;
    std::deque<FinishedChunk> finished_;
    int running_ = 0;
    std::atomic<std::uint64_t> not_started_{0};   ///< points
};

}  // namespace pimdse::dse
