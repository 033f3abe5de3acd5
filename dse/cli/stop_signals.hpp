#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

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

/// While it lives, the signals of run::stop_signals and the end of the time limit ask the run to stop when the
/// points under way are evaluated. A signal after that abandons them. Launchers pass one signal on more than once, so
/// what comes within half a second is one. On ranks that do not coordinate the signals are ignored: the coordinator
/// tells them what to do.
class StopSignals {
  public:
    enum class Role { coordinator, worker };
    /// `stopping` is called when the run is first asked to stop, `abandon` at the second signal; both from another
    /// thread.
    struct Actions {
        std::function<void()> stopping, abandon;
    };
    StopSignals(Role role, std::optional<double> seconds_allowed, Actions actions = {});
    ~StopSignals();
    StopSignals(StopSignals const&) = delete;
    StopSignals& operator=(StopSignals const&) = delete;
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  private:
    void watch(std::optional<double> seconds_allowed, Actions const& actions, std::stop_token const& over);
    TakenSignals taken_;
    std::stop_source source_;
    std::jthread watcher_;
};

}  // namespace pimdse::dse::cli
