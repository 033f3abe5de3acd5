#pragma once

#include "dse/cli/run/taken_signals.hpp"

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// While it lives, signals to stop are counted instead of obeyed, and the ends of children are told to this process.
class CountedSignals {
  public:
    CountedSignals();
    [[nodiscard]] static int count() { return TakenSignals::count(); }
    [[nodiscard]] static bool any() { return count() > 0; }

  private:
    TakenSignals taken_{TakenSignals::How::counted};
};

/// Starts these words as a process group of their own, which reads nothing (standard input belongs to who called this
/// program), and waits for them. The first signal counted goes on to them as
/// SIGUSR1, each further one as SIGTERM. A launcher that stays although the run behind it has let go of this journal
/// for half a minute, as it does when a node is gone, is ended. Returns the exit code; 128 and the signal's number
/// where one ended it.
[[nodiscard]] int run_job(std::vector<std::string> const& words, std::filesystem::path const& journal);

}  // namespace pimdse::dse::cli::run
