#pragma once

#include <csignal>
#include <utility>
#include <vector>

namespace pimdse::dse::cli::run {

/// While it lives, signals to stop are counted, or ignored, instead of ending the process; afterwards they do what they
/// did before. A signal that was ignored before (nohup, trap '' INT) stays ignored.
class TakenSignals {
  public:
    enum class How { counted, ignored };
    explicit TakenSignals(How how);
    ~TakenSignals();
    TakenSignals(TakenSignals const&) = delete;
    TakenSignals& operator=(TakenSignals const&) = delete;

    /// Signals counted since the last object that counts was made. SIGXCPU counts once: the kernel repeats it every
    /// second of CPU time, and that is not a second request.
    [[nodiscard]] static int count();

  private:
    std::vector<std::pair<int, struct sigaction>> before_;
};

/// For a child process between fork and exec: signals to stop end it, unless they were ignored from the start.
void stop_signals_as_at_start();

}  // namespace pimdse::dse::cli::run
