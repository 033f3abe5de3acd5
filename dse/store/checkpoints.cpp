#include "dse/store/checkpoints.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace pimdse::dse::store {

using Clock = std::chrono::steady_clock;

Checkpoints::Checkpoints(Settings settings, space::Columns columns, search::ResultStore const& store)
    : settings_(std::move(settings)), columns_(std::move(columns)), store_(store), sealed_(store.evaluated()) {
    if (settings_.interval_seconds > 0.0) thread_ = std::jthread([this](std::stop_token const& stop) { run(stop); });
}

void Checkpoints::run(std::stop_token const& stop) {
    constexpr double waits_per_write = 20.0;  // at most a twentieth of the time is spent on writing
    double wait = settings_.interval_seconds;
    std::mutex mutex;
    std::condition_variable_any sleep;
    while (true) {
        std::unique_lock lock(mutex);
        sleep.wait_for(lock, stop, std::chrono::duration<double>(wait), [] { return false; });
        if (stop.stop_requested()) return;
        auto const started = Clock::now();
        if (!renew()) return;
        wait = std::max(settings_.interval_seconds,
                        waits_per_write * std::chrono::duration<double>(Clock::now() - started).count());
    }
}

bool Checkpoints::renew() {
    try {
        auto const snapshot = store_.snapshot();
        if (snapshot.evaluated() != sealed_)
            seal(settings_.result_file, columns_, snapshot, settings_.provenance(), 1, settings_.rows_per_part);
        sealed_ = snapshot.evaluated();
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

}  // namespace pimdse::dse::store
