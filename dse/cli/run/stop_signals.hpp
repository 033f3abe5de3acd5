#pragma once

#include "dse/cli/run/taken_signals.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

namespace pimdse::dse::cli::run {

/// While it lives, the signals of evaluate::stop_signals and the end of the time limit ask the run to stop when the
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

}  // namespace pimdse::dse::cli::run
