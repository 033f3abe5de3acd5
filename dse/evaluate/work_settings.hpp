#pragma once

#include "dse/evaluate/worker_process.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace pimdse::dse::job {
class Visitors;
}  // namespace pimdse::dse::job

namespace pimdse::dse::evaluate {

/// How a process of the job works.
struct WorkSettings {
    int threads = 1;
    std::uint64_t largest_chunk = 65'536;  ///< points that travel together
    double silence_seconds = 60.0;         ///< a rank not heard of for so long ends the job
    double point_seconds = 3600.0;  ///< a point that takes longer ends the job; on resuming a worker process tries it
    WorkerProcess::Settings worker_process;  ///< how that process is started
    job::Visitors* visitors = nullptr;       ///< workers beside the ranks, if the run is open to them
    /// Ends the whole job, resumable, because another rank is silent; says why first. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Ends this process, and with it the job, resumable; says why first. Does not return.
    std::function<void(std::string const& why)> give_up;
};

}  // namespace pimdse::dse::evaluate
