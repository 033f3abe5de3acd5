#pragma once

#include <array>
#include <csignal>

namespace pimdse::dse::run {

/// Signals that stop a run: those of a terminal and of its end, and those that batch systems send before a limit
/// (submitit makes Slurm send SIGUSR2; SIGXCPU is the limit of CPU time).
inline constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

}  // namespace pimdse::dse::run
