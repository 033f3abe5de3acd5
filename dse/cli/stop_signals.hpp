#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>

namespace pimdse::dse::cli {

/// While it lives, SIGINT, SIGTERM and SIGUSR1 and the end of the time limit ask the run to stop at the next whole answer.
/// On ranks that do not coordinate the signals are ignored: the coordinator tells them what to do.
class StopSignals {
  public:
    enum class Role { coordinator, worker };
    StopSignals(Role role, std::optional<double> seconds_allowed);
    ~StopSignals();
    StopSignals(StopSignals const&) = delete;
    StopSignals& operator=(StopSignals const&) = delete;
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  private:
    std::stop_source source_;
    std::jthread watcher_;
};

}  // namespace pimdse::dse::cli
