#include "dse/store/checkpoints.hpp"

#include "dse/store/result_writer.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace pimdse::dse::store {

using Clock = std::chrono::steady_clock;

struct Checkpoints::State {
    State(Settings how, space::Columns of, search::ResultStore const& growing)
        : settings(std::move(how)), columns(std::move(of)), store(growing), sealed(growing.evaluated()) {
        if (settings.interval_seconds > 0.0) thread = std::jthread([this](std::stop_token const& over) { run(over); });
    }

    void run(std::stop_token const& over) {
        constexpr double share_of_time = 20.0;
        double wait = settings.interval_seconds;
        std::mutex mutex;
        std::condition_variable_any sleep;
        while (true) {
            std::unique_lock lock(mutex);
            sleep.wait_for(lock, over, std::chrono::duration<double>(wait), [] { return false; });
            if (over.stop_requested()) return;
            auto const begun = Clock::now();
            if (!renew()) return;
            wait = std::max(settings.interval_seconds,
                            share_of_time * std::chrono::duration<double>(Clock::now() - begun).count());
        }
    }

    /// False when it cannot be done; the journal then still has everything.
    bool renew() {
        try {
            auto const now = store.snapshot();
            if (now.evaluated() != sealed)
                seal(settings.result_file, columns, now, settings.provenance(), 1, settings.rows_per_part);
            sealed = now.evaluated();
            return true;
        } catch (std::exception const&) {
            return false;
        }
    }

    Settings settings;
    space::Columns columns;
    search::ResultStore const& store;
    std::uint64_t sealed;  ///< answers in the file
    std::jthread thread;   // last: it ends before what it uses
};

Checkpoints::Checkpoints(Settings settings, space::Columns columns, search::ResultStore const& store)
    : state_(std::make_unique<State>(std::move(settings), std::move(columns), store)) {}

Checkpoints::~Checkpoints() = default;

}  // namespace pimdse::dse::store
