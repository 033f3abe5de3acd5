#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// Settings for the evaluation of points in one process of the job, and its timeouts.
struct WorkSettings {
    int threads = 1;
    double silence_seconds = 60.0;   ///< a peer that sends nothing for longer is treated as lost
    double point_seconds = 3600.0;   ///< a point that takes longer ends the process; a resumed run isolates it
    std::vector<std::string> child;  ///< command of the child for isolated points; empty: they are evaluated here
    /// Reports the reason and ends the whole job, which can be resumed, because a rank is lost. Does not return.
    std::function<void(std::string const& why)> end_job;
    /// Reports the reason and ends this process, and with it the job, which can be resumed. Does not return.
    std::function<void(std::string const& why)> give_up;
};

}  // namespace pimdse::dse::run
