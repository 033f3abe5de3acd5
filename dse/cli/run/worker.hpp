#pragma once

#include "dse/evaluate/worker_process.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::cli::run {

/// How this program starts itself as a worker process; the space as the run was given it.
[[nodiscard]] evaluate::WorkerProcess::Settings worker_settings(
    std::string space_name, std::vector<std::pair<std::string, std::string>> overrides, double seconds_per_point);

}  // namespace pimdse::dse::cli::run
