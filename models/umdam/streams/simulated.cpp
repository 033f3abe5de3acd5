#include "models/umdam/streams/simulated.hpp"

#include "models/umdam/streams/controller.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/stream_kind.hpp"

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

sim::dram::Standard with_organisation(sim::dram::Standard standard, sim::dram::Organisation const& organisation) {
    standard.organisation = organisation;
    return standard;
}

Design controlled(SimulationKey const& key) {
    Design design;
    design.queue_depth = key.queue_depth;
    design.scheduler = key.scheduler;
    design.refresh = key.refresh;
    return design;
}

/// What a key stands for.
struct Simulation {
    explicit Simulation(SimulationKey const& key)
        : standard(with_organisation(*key.timing_set, key.organisation)),
          mapping(sim::dram::representative(key.mapping, key.organisation)),
          stream(stream_of(key.transfer, key.organisation.burst_bytes)),
          options(controller(controlled(key))) {}

    sim::dram::Standard standard;
    sim::dram::Mapping mapping;
    sim::dram::Stream stream;
    sim::dram::Options options;
};

}  // namespace

sim::dram::Stream stream_of(StreamTransfer const& t, int burst_bytes) {
    std::uint64_t const bytes = t.bursts * static_cast<std::uint64_t>(burst_bytes);
    if (t.engines == 1) return sim::dram::make_stream(sim::dram::SequentialStream{t.access, bytes}, burst_bytes);
    return sim::dram::make_stream(sim::dram::EngineStreams{static_cast<std::uint64_t>(t.engines), bytes}, burst_bytes);
}

SimulatedStream simulate_stream(SimulationKey const& key) {
    Simulation const s(key);
    auto const counters = sim::dram::simulate(s.standard, s.mapping, s.stream, s.options);
    return {Bounded(static_cast<double>(counters.cycles)), Bounded(static_cast<double>(counters.activates))};
}

std::vector<SimulatedStream> simulate_growing(GrowingKey const& key) {
    Simulation const s(key.longest);
    std::vector<SimulatedStream> all;
    for (auto const& end : sim::dram::simulate_prefixes(s.standard, s.mapping, s.stream, s.options, key.bursts))
        all.push_back({Bounded(static_cast<double>(end.cycles)), Bounded(static_cast<double>(end.activates))});
    return all;
}

}  // namespace pimdse::models::umdam
