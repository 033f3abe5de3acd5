#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// Counts or ignores signals to stop, instead of ending the process, during its lifetime; the destructor restores the
/// previous actions. A signal that was ignored before (nohup, trap '' INT) stays ignored.
class TakenSignals {
  public:
    enum class How { counted, ignored };
    explicit TakenSignals(How how);
    ~TakenSignals();
    TakenSignals(TakenSignals const&) = delete;
    TakenSignals& operator=(TakenSignals const&) = delete;

    /// The signals received since the last counting object was constructed. SIGXCPU counts once: the kernel repeats it
    /// every second of CPU time, which is not a second request.
    [[nodiscard]] static int count();

  private:
    std::vector<std::pair<int, struct sigaction>> before_;
};

/// Stops the run, during the lifetime of this object, at a signal of run::stop_signals or at the end of the time limit:
/// the points under way are completed. A further signal abandons them. Launchers may forward one signal several times,
/// so signals within half a second count as one. Ranks other than the coordinator ignore the signals: the coordinator
/// instructs them.
class StopSignals {
  public:
    enum class Role { coordinator, worker };
    /// `stopping` is called at the first request to stop, `abandon` at the second signal; both in another thread.
    struct Actions {
        std::function<void()> stopping, abandon;
    };
    StopSignals(Role role, std::optional<double> seconds_allowed, Actions actions = {});
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
