#pragma once

#include "dse/findings.hpp"
#include "dse/separate_process.hpp"
#include "dse/strategy/strategy.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace pimdse::dse {

class Space;

/// Who follows a batch. Both are called from one thread at a time.
struct Listener {
    /// These tasks are about to be worked on; they are handed out when it returns.
    std::function<void(Batch const&)> started;
    /// What the next tasks came to, in task order; a call holds one or more of them.
    std::function<void(Findings const&)> finished;
};

/// How a process of the job works.
struct WorkSettings {
    int threads = 1;
    std::uint64_t largest_chunk = 65'536;   ///< points that travel together
    double silence_seconds = 60.0;     ///< a rank not heard of for so long ends the job
    double point_seconds = 3600.0;     ///< a point that takes longer ends the job; on resuming it is tried apart
    SeparateProcess suspects;          ///< how that process is started
    /// Ends the whole job, resumable, because another rank is silent; says why first. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Ends this process, and with it the job, resumable; says why first. Does not return.
    std::function<void(std::string const& why)> give_up;
};

/// Why a process gives up on a point.
[[nodiscard]] std::string too_long(PointId point, double seconds);

/// Evaluates points. However work is spread, the listener hears of the tasks of a batch in their order.
class Pool {
  public:
    virtual ~Pool() = default;
    /// Evaluates the batch. When a stop is requested, finishes what is running, delivers the longest finished prefix and
    /// returns. Throws what the listener throws.
    virtual void evaluate(Batch const& batch, Listener const& listener, std::stop_token stop) = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

/// All cores of one process, by TBB.
[[nodiscard]] std::unique_ptr<Pool> make_thread_pool(Space const& space, WorkSettings settings);

}  // namespace pimdse::dse
