#include "dse/cli/run/taken_signals.hpp"

#include "dse/evaluate/stop_signal_list.hpp"

#include <atomic>

namespace pimdse::dse::cli::run {
namespace {

std::atomic<int> received{0};
std::atomic<bool> out_of_time{false};

extern "C" void count_stop_signal(int number) {
    if (number == SIGXCPU && out_of_time.exchange(true, std::memory_order_relaxed)) return;
    received.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

TakenSignals::TakenSignals(How how) {
    if (how == How::counted) {
        received.store(0, std::memory_order_relaxed);
        out_of_time.store(false, std::memory_order_relaxed);
    }
    struct sigaction action {};
    action.sa_handler = how == How::counted ? &count_stop_signal : SIG_IGN;
    for (int const number : evaluate::stop_signals) {
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

void stop_signals_as_at_start() {
    for (int const number : evaluate::stop_signals) {
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        if (now.sa_handler != SIG_IGN) std::signal(number, SIG_DFL);
    }
}

}  // namespace pimdse::dse::cli::run
