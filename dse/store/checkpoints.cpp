#include "dse/store/checkpoints.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace pimdse::dse::store {

using Clock = std::chrono::steady_clock;

struct Checkpoints::State {
    State(Settings given, space::Columns all_columns, search::ResultStore const& growing)
        : settings(std::move(given)), columns(std::move(all_columns)), store(growing), sealed(growing.evaluated()) {
        if (settings.interval_seconds > 0.0) thread = std::jthread([this](std::stop_token const& stop) { run(stop); });
    }

    void run(std::stop_token const& stop) {
        constexpr double waits_per_write = 20.0;  // at most a twentieth of the time is spent on writing
        double wait = settings.interval_seconds;
        std::mutex mutex;
        std::condition_variable_any sleep;
        while (true) {
            std::unique_lock lock(mutex);
            sleep.wait_for(lock, stop, std::chrono::duration<double>(wait), [] { return false; });
            if (stop.stop_requested()) return;
            auto const started = Clock::now();
            if (!renew()) return;
            wait = std::max(settings.interval_seconds,
                            waits_per_write * std::chrono::duration<double>(Clock::now() - started).count());
        }
    }

    /// Writes the result file if there are new results. False if that fails; the journal still has every result.
    bool renew() {
        try {
            auto const snapshot = store.snapshot();
            if (snapshot.evaluated() != sealed)
                seal(settings.result_file, columns, snapshot, settings.provenance(), 1, settings.rows_per_part);
            sealed = snapshot.evaluated();
            return true;
        } catch (std::exception const&) {
            return false;
        }
    }

    Settings settings;
    space::Columns columns;
    search::ResultStore const& store;
    std::uint64_t sealed;  ///< results in the file
    std::jthread thread;   // the last member, so that it ends before the members that it uses are destroyed
};

Checkpoints::Checkpoints(Settings settings, space::Columns columns, search::ResultStore const& store)
    : state_(std::make_unique<State>(std::move(settings), std::move(columns), store)) {}

Checkpoints::~Checkpoints() = default;

}  // namespace pimdse::dse::store
