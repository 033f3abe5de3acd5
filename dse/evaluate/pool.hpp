#pragma once

#include "dse/evaluate/separate_process.hpp"
#include "dse/evaluate/work.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace pimdse::dse {

class Space;
class Visitors;

/// How a process of the job works.
struct WorkSettings {
    int threads = 1;
    std::uint64_t largest_chunk = 65'536;  ///< points that travel together
    double silence_seconds = 60.0;         ///< a rank not heard of for so long ends the job
    double point_seconds = 3600.0;         ///< a point that takes longer ends the job; on resuming it is tried apart
    SeparateProcess suspects;              ///< how that process is started
    Visitors* visitors = nullptr;          ///< workers beside the ranks, if the run is open to them
    /// Ends the whole job, resumable, because another rank is silent; says why first. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Ends this process, and with it the job, resumable; says why first. Does not return.
    std::function<void(std::string const& why)> give_up;
};

/// Why a process gives up on a point.
[[nodiscard]] std::string too_long(PointId point, double seconds);

/// Evaluates points, in any order and cut in any way: who listens sees to it that nothing depends on that.
class Pool {
  public:
    virtual ~Pool() = default;
    /// Works until no more will come. When a stop is requested, no point is begun any more; those that are under way
    /// are finished and delivered. Throws what the work throws.
    virtual void evaluate(Work const& work, std::stop_token stop) = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

/// All cores of one process, by TBB; the calling thread hands out and takes in.
[[nodiscard]] std::unique_ptr<Pool> make_thread_pool(Space const& space, WorkSettings settings);

}  // namespace pimdse::dse
