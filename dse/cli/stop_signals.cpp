#include "dse/cli/stop_signals.hpp"

#include "dse/run/stop_signal_list.hpp"

#include <atomic>
#include <chrono>

namespace pimdse::dse::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> received{0};
std::atomic<bool> out_of_time{false};

extern "C" void count_stop_signal(int number) {
    if (number == SIGXCPU && out_of_time.exchange(true, std::memory_order_relaxed)) return;
    received.fetch_add(1, std::memory_order_relaxed);
}

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
    int repeats_of_first = 0;
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
            repeats_of_first = received;
        else if (received > repeats_of_first && actions.abandon)
            actions.abandon();
    }
}

TakenSignals::TakenSignals(How how) {
    if (how == How::counted) {
        received.store(0, std::memory_order_relaxed);
        out_of_time.store(false, std::memory_order_relaxed);
    }
    struct sigaction action {};
    action.sa_handler = how == How::counted ? &count_stop_signal : SIG_IGN;
    for (int const number : run::stop_signals) {
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        if (now.sa_handler == SIG_IGN) continue;
        before_.emplace_back(number, now);
        ::sigaction(number, &action, nullptr);
    }
}

TakenSignals::~TakenSignals() {
    for (auto const& [number, action] : before_) ::sigaction(number, &action, nullptr);
}

int TakenSignals::count() { return received.load(std::memory_order_relaxed); }

}  // namespace pimdse::dse::cli
