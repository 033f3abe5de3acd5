#include "sim/serving/schedule_in_turn.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/load.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pimdse::sim::serving {
namespace {

/// Numbers of the requests of each engine: sessions go to the engines in turn.
std::vector<std::vector<std::size_t>> in_turn(ServiceLoad const& load, std::size_t engines) {
    std::vector<std::vector<std::size_t>> numbers(engines);
    std::vector<std::size_t> engine_of;
    std::size_t sessions = 0;
    for (auto const& request : load.requests) {
        bool const begins = request.parent == ServiceRequest::none;
        auto const engine = begins ? sessions++ % engines : engine_of[request.parent];
        numbers[engine].push_back(engine_of.size());
        engine_of.push_back(engine);
    }
    return numbers;
}

void add(Schedule& all, Schedule const& part) {
    all.end = std::max(all.end, part.end);
    all.busy += part.busy;
    all.joules += part.joules;
    all.steps += part.steps;
    all.preemptions += part.preemptions;
    all.rejected += part.rejected;
    all.never_sent += part.never_sent;
    all.computed += part.computed;
    all.reused += part.reused;
    all.fetched += part.fetched;
    all.received += part.received;
    all.evictions += part.evictions;
    all.moved_units += part.moved_units;
    all.peak_blocks = std::max(all.peak_blocks, part.peak_blocks);
    all.peak_sequences = std::max(all.peak_sequences, part.peak_sequences);
    all.peak_tokens = std::max(all.peak_tokens, part.peak_tokens);
    all.given_up = all.given_up || part.given_up;
}

}  // namespace

Schedule schedule_in_turn(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                          std::int64_t engines, GiveUp const* give_up, Observer const& observe) {
    expects(engines > 0 && (load.concurrency == 0 || load.concurrency >= engines),
            "every engine of a closed loop has a user");
    if (engines == 1) return schedule(load, settings, law, give_up, observe);
    Schedule all;
    all.requests.resize(load.requests.size());
    all.engines = engines;
    auto const numbers = in_turn(load, static_cast<std::size_t>(engines));
    for (std::int64_t engine = 0; engine < engines; ++engine) {
        auto const of_engine = [&](EngineActivity did) {
            did.engine = engine;
            observe(did);
        };
        auto const& own = numbers[static_cast<std::size_t>(engine)];
        // Users are divided among the engines.
        auto const users = (load.concurrency + engines - 1 - engine) / engines;
        auto const part = schedule(part_of(load, own, load.concurrency > 0 ? users : 0), settings, law, give_up,
                                   observe ? Observer(of_engine) : Observer());
        for (std::size_t i = 0; i < part.requests.size(); ++i) all.requests[own[i]] = part.requests[i];
        add(all, part);
        if (part.given_up) break;
    }
    return all;
}

}  // namespace pimdse::sim::serving
