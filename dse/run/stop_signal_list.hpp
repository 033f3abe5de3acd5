#pragma once

#include <array>
#include <csignal>

namespace pimdse::dse::run {

/// The signals that ask a run to stop: those of a terminal and of its end, and those that batch systems send before a
/// limit (SIGUSR2 is what submitit asks Slurm for, SIGXCPU the limit of CPU time).
inline constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

}  // namespace pimdse::dse::run
