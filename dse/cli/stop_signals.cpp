#include "dse/cli/stop_signals.hpp"

#include <array>
#include <chrono>
#include <csignal>

namespace pimdse::dse::cli {
namespace {

std::atomic<int> received_signal{0};
constexpr std::array stop_signals{SIGINT, SIGTERM, SIGUSR1};

extern "C" void remember_signal(int number) { received_signal.store(number, std::memory_order_relaxed); }

void install(void (*handler)(int)) {
    for (int const number : stop_signals) std::signal(number, handler);
}

}  // namespace

StopSignals::StopSignals(Role role, std::optional<double> seconds_allowed) {
    install(role == Role::coordinator ? &remember_signal : SIG_IGN);
    if (role == Role::worker) return;
    watcher_ = std::jthread([this, seconds_allowed, begun = std::chrono::steady_clock::now()](std::stop_token const& over) {
        while (!over.stop_requested() && !source_.stop_requested()) {
            std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begun;
            bool const too_long = seconds_allowed && spent.count() >= *seconds_allowed;
            if (too_long || received_signal.load(std::memory_order_relaxed) != 0) source_.request_stop();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
}

StopSignals::~StopSignals() { install(SIG_DFL); }

}  // namespace pimdse::dse::cli
