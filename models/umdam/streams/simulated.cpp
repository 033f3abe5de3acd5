#include "models/umdam/streams/simulated.hpp"

#include "models/umdam/streams/controller.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/hybrid.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/stream_kind.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

SimulatedStream exactly(sim::dram::Counters const& counters) {
    return {Bounded(static_cast<double>(counters.cycles)), Bounded(static_cast<double>(counters.activates))};
}

/// Openings as far as stretches tell: they may end before their rows do, and show less of the rows at the seams of the
/// mapping.
Bounded loosely(double activations, double banks, SampleAllowances const& a) {
    return {activations, std::max(0.0, activations * a.openings_few - banks),
            activations * a.openings_many + a.openings_per_bank * banks, Bound::calibrated};
}

}  // namespace

sim::dram::Stream stream_of(StreamTransfer const& t, int burst_bytes) {
    std::uint64_t const bytes = t.bursts * static_cast<std::uint64_t>(burst_bytes);
    if (t.engines == 1) return sim::dram::make_stream(sim::dram::SequentialStream{t.access, bytes}, burst_bytes);
    return sim::dram::make_stream(sim::dram::EngineStreams{static_cast<std::uint64_t>(t.engines), bytes}, burst_bytes);
}

sim::dram::Standard with_organisation(sim::dram::Standard standard, sim::dram::Organisation const& organisation) {
    standard.organisation = organisation;
    return standard;
}

/// A stream too short or too uneven for stretches is run through. Engines drift against each other in the queues for
/// longer than stretches last: their streams are run through as far as that takes a second, and stretches of longer
/// ones leave more open.
SimulatedStream simulate_stream(SimulationKey const& key, SampleAllowances const& a) {
    auto const& o = key.organisation;
    auto const standard = with_organisation(*key.timing_set, o);
    auto const mapping = sim::dram::representative(key.mapping, o);
    auto const stream = stream_of(key.transfer, o.burst_bytes);
    Design design;
    design.queue_depth = key.queue_depth;
    design.scheduler = key.scheduler;
    design.refresh = key.refresh;
    auto const options = controller(design);
    bool const several = key.transfer.engines > 1;
    auto const run_through = static_cast<std::uint64_t>(sim::whole_part(a.run_through));
    if (key.fidelity == Fidelity::cycle || (several && stream.size() <= run_through))
        return exactly(sim::dram::simulate(standard, mapping, stream, options));
    auto const found = sim::dram::approximate(standard, mapping, stream, options);
    if (found.exact) return exactly(found.counters);
    double const drift = several ? a.engine_drift : 0.0;
    double const banks = o.channels * o.banks_per_channel();
    return {{found.cycles, found.low * (1.0 - drift), found.high * (1.0 + drift), Bound::calibrated},
            loosely(static_cast<double>(found.counters.activates), banks, a)};
}

}  // namespace pimdse::models::umdam
