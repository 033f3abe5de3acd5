#pragma once

#include "dse/run/worker_process.hpp"

#include <functional>
#include <string>

namespace pimdse::dse::run {

/// How a process of the job evaluates points, and how long it waits for others.
struct WorkSettings {
    int threads = 1;
    double silence_seconds = 60.0;           ///< a peer not heard of for so long is taken for dead
    double point_seconds = 3600.0;           ///< a point that takes longer ends the process; a resumed run isolates it
    WorkerProcess::Settings worker_process;  ///< how the process for isolated points is started
    /// Says why and ends the whole job, resumable, because a rank is silent. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Says why and ends this process, and with it the job, resumable. Does not return.
    std::function<void(std::string const& why)> give_up;
};

}  // namespace pimdse::dse::run
