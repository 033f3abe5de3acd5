#include "dse/cli/run/stop_signals.hpp"

#include <chrono>
#include <utility>

namespace pimdse::dse::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

StopSignals::StopSignals(Role role, std::optional<double> seconds_allowed, Actions actions)
    : taken_(role == Role::coordinator ? TakenSignals::How::counted : TakenSignals::How::ignored) {
    if (role == Role::worker) return;
    watcher_ = std::jthread([this, seconds_allowed, actions = std::move(actions)](std::stop_token const& over) {
        watch(seconds_allowed, actions, over);
    });
}

void StopSignals::watch(std::optional<double> seconds_allowed, Actions const& actions, std::stop_token const& over) {
    constexpr std::chrono::milliseconds one_signal{500};
    auto const begun = Clock::now();
    auto first = Clock::time_point::max();
    int meant_as_one = 0;
    for (; !over.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
        int const received = TakenSignals::count();
        bool const too_long =
            seconds_allowed && std::chrono::duration<double>(Clock::now() - begun).count() >= *seconds_allowed;
        if (first == Clock::time_point::max() && received > 0) first = Clock::now();
        if (!source_.stop_requested() && (too_long || received > 0)) {
            if (actions.stopping) actions.stopping();
            source_.request_stop();
        }
        if (received == 0 || Clock::now() - first < one_signal)
            meant_as_one = received;
        else if (received > meant_as_one && actions.abandon)
            actions.abandon();
    }
}

StopSignals::~StopSignals() = default;

}  // namespace pimdse::dse::cli::run
