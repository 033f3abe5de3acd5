#pragma once

#include "dse/run/findings.hpp"
#include "dse/run/worker_process.hpp"
#include "dse/space/batch.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// What a pool works on, as whoever searches gives it. All are called from one thread, the one that called
/// Pool::evaluate.
struct Work {
    /// At most so many tasks, to be evaluated by one worker; an empty batch where there are none just now (another
    /// answer may change that), nothing where no more will come.
    std::function<std::optional<space::Batch>(std::uint64_t most)> more;
    /// About how many tasks `more` will still give.
    std::function<std::uint64_t()> left;
    /// These tasks are about to be worked on; they are handed out when it returns.
    std::function<void(space::Batch const&)> started;
    /// What some tasks came to, in any order and cut in any way: as soon as it is there.
    std::function<void(Findings&&)> arrived;
    /// Whoever had these tasks has gone; some of them may have arrived. What has not will be given by `more` again.
    std::function<void(space::Batch const&)> returned;
    /// Now and then, also while nothing arrives; may be empty.
    std::function<void()> tick;
};

/// Some tasks on their way to a worker, and the number by which their answers are recognised.
struct Chunk {
    std::uint64_t sequence = 0;
    space::Batch tasks;
};

/// What a chunk came to, or a part of it: long points do not keep what is answered from becoming durable.
struct FinishedChunk {
    std::uint64_t sequence = 0;
    std::vector<Findings> findings;
    double seconds = 0.0;        ///< of all threads, divided by their number
    bool whole = true;           ///< false: more is to come
    std::uint64_t answered = 0;  ///< points of the chunk that are answered by now
};

/// Evaluates points, in any order and cut in any way: who listens sees to it that nothing depends on that.
class Pool {
  public:
    virtual ~Pool() = default;
    /// Works until no more will come. When a stop is requested, no point is begun any more; those that are under way
    /// are finished and delivered. Throws what the work throws.
    virtual void evaluate(Work const& work, std::stop_token stop) = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

class Visitors;

/// How a process of the job works.
struct WorkSettings {
    int threads = 1;
    std::uint64_t largest_chunk = 65'536;  ///< points that travel together
    double silence_seconds = 60.0;         ///< a rank not heard of for so long ends the job
    double point_seconds = 3600.0;  ///< a point that takes longer ends the job; on resuming a worker process tries it
    WorkerProcess::Settings worker_process;  ///< how that process is started
    Visitors* visitors = nullptr;            ///< workers beside the ranks, if the run is open to them
    /// Ends the whole job, resumable, because another rank is silent; says why first. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Ends this process, and with it the job, resumable; says why first. Does not return.
    std::function<void(std::string const& why)> give_up;
};

}  // namespace pimdse::dse::run
