#pragma once

#include "dse/run/chunk_result.hpp"
#include "dse/run/chunk_runner.hpp"
#include "dse/run/explore.hpp"
#include "dse/run/transport.hpp"
#include "dse/space/evaluation.hpp"
#include "sim/base/random.hpp"

#include <cstdint>
#include <numeric>
#include <stop_token>
#include <utility>
#include <vector>

namespace pimdse::dse::testing {

struct Shuffling {
    std::uint64_t seed = 0;
    std::uint64_t largest_chunk = 1;
    int workers = 1;                   ///< with one chunk each
    std::uint64_t max_chunks = ~0ULL;  ///< after these the run is stopped
};

/// Workers that evaluate at once, and whose results arrive in an order that a seed decides.
class ShufflingTransport final : public run::Transport {
  public:
    ShufflingTransport(space::Space const& space, Shuffling settings)
        : space_(space), settings_(settings), chunks_left_(settings.max_chunks) {
        if (chunks_left_ == 0) stop_.request_stop();
    }

    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
    [[nodiscard]] run::Dispatcher::Settings dispatch() const {
        return {.in_flight = 1, .max_in_flight = 1, .largest_chunk = settings_.largest_chunk};
    }

    [[nodiscard]] std::vector<run::WorkerKey> workers() const override {
        std::vector<run::WorkerKey> keys(static_cast<std::size_t>(settings_.workers));
        std::iota(keys.begin(), keys.end(), run::WorkerKey{0});
        return keys;
    }

    std::optional<run::WorkerEvent> poll() override {
        if (waiting_.empty()) return std::nullopt;
        auto const pick = waiting_.begin() + static_cast<std::ptrdiff_t>(random() % waiting_.size());
        run::WorkerEvent event = std::move(*pick);
        waiting_.erase(pick);
        return event;
    }

    void submit(run::WorkerKey worker, run::Chunk chunk) override {
        run::FinishedChunk finished{
            chunk.sequence, {}, 1e-6 * static_cast<double>(1 + random() % 20'000), true, chunk.tasks.size()};
        std::vector<space::Result> results;
        for (std::uint64_t i = 0; i < chunk.tasks.size(); ++i)
            results.push_back(space::evaluate(space_, chunk.tasks.task(i)));
        finished.results.push_back(run::filter_dominated(space_, std::move(results)));
        waiting_.push_back({run::WorkerEvent::Kind::finished, worker, std::move(finished)});
        if (--chunks_left_ == 0) stop_.request_stop();
    }

    void recall() override {}
    void supervise(std::function<bool(run::WorkerKey)> const&) override {}

  private:
    std::uint64_t random() { return sim::mixed_bits(++settings_.seed); }

    space::Space const& space_;
    Shuffling settings_;
    std::uint64_t chunks_left_;
    std::stop_source stop_;
    std::vector<run::WorkerEvent> waiting_;
};

inline run::Explored explore_shuffled(space::Space const& space, search::Strategy& strategy, Shuffling settings,
                                      store::journal::Journal& journal, search::ResultStore& store) {
    ShufflingTransport transport(space, settings);
    return run::explore(space, strategy, {&transport}, journal, store,
                        {.stop = transport.stop(), .dispatch = transport.dispatch()});
}

/// With the strategy that the space names.
inline run::Explored explore_shuffled(space::Space const& space, Shuffling settings, store::journal::Journal& journal,
                                      search::ResultStore& store, run::Quarantine quarantine = {}) {
    ShufflingTransport transport(space, settings);
    return run::explore(
        space, {&transport}, journal, store,
        {.stop = transport.stop(), .quarantine = std::move(quarantine), .dispatch = transport.dispatch()});
}

/// By threads of this process.
inline run::Explored explore_here(space::Space const& space, int threads, store::journal::Journal& journal,
                                  search::ResultStore& store, run::ExploreOptions const& options = {}) {
    run::LocalTransport local(space, {.threads = threads});
    return run::explore(space, {&local}, journal, store, options);
}

}  // namespace pimdse::dse::testing
