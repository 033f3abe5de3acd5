#include "models/dplena/hybrid.hpp"

#include "models/dplena/pipeline.hpp"

#include <algorithm>
#include <optional>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// What runs at hybrid fidelity, and what it is remembered in.
struct Bench {
    MachineConstants const& machine;
    HybridMemory const& memory;
    [[nodiscard]] SamplingAllowances const& allowances() const { return machine.sampling; }
};

/// With refresh a short program is run itself.
std::optional<WholeRun> own_run(Program const& program, Bench const& bench) {
    if (program.design().refresh == Refresh::off || program.prefetches() == 0) return std::nullopt;
    auto const key = StreamCalibrations::key_of(program, bench.machine.calibration);
    if (!std::holds_alternative<WholeStream::Key>(key)) return std::nullopt;
    return bench.memory.runs.whole(program, bench.machine.hbm);
}

StreamCalibrations::Found calibrated(Program const& program, Bench const& bench) {
    return bench.memory.streams.of(program, bench.machine.hbm, bench.machine.calibration);
}

Estimate spread(double ticks, double width) {
    return Estimate::within(ticks, ticks * (1.0 - width), ticks * (1.0 + width), Bound::calibrated);
}

Estimate prefetch_in(WholeStream const& stream, SamplingAllowances const& allowances) {
    return stream.exact ? Estimate::exact(stream.times.mean) : spread(stream.times.mean, allowances.spread);
}
Estimate prefetch_in(OnePeriod const& stream, SamplingAllowances const& allowances) {
    return spread(stream.times.mean, allowances.spread);
}
Estimate prefetch_in(SomeParts const& stream, SamplingAllowances const& allowances) {
    return spread(stream.times.mean, allowances.spread_of_samples);
}

/// Memory cycles of a program from the mean of its prefetches.
Estimate calibrated_memory(Program const& program, Bench const& bench) {
    auto const count = as_double(program.prefetches());
    if (auto const own = own_run(program, bench)) return Estimate::exact(own->ticks) * count;
    auto const prefetch = [&](auto const* stream) { return prefetch_in(*stream, bench.allowances()); };
    return std::visit(prefetch, calibrated(program, bench)) * count;
}

SamplingCost calibrated_serial(Program const& program, Bench const& bench) {
    return serial_sampling(program, calibrated_memory(program, bench));
}

double calibrated_pipeline(Program const& program, Bench const& bench) {
    auto const cycles = [&](auto const* stream) {
        return pipeline_cycles(program, stream->times, bench.allowances().pipeline_blocks);
    };
    return std::visit(cycles, calibrated(program, bench));
}

/// The pipeline's own blocks with calibrated fetches. Its length follows the sum of their times at most one to one.
Estimate piped(Program const& program, Estimate const& memory, double vector, Bench const& bench) {
    auto const& allowances = bench.allowances();
    auto const& d = program.design();
    bool const refresh = d.refresh == Refresh::on;
    auto const cycles =
        refresh ? bench.memory.runs.from_beginning(program, bench.machine.hbm, bench.machine.calibration.short_stream)
                : calibrated_pipeline(program, bench);
    auto const share = d.outstanding > 1 ? allowances.slack_of_streams
                       : refresh         ? allowances.slack_of_refresh
                                         : allowances.slack;
    auto const refreshes =
        refresh ? allowances.refreshes_missed * as_double(bench.machine.hbm.timing.refresh_duration) : 0.0;
    return Estimate::within(std::max(cycles, vector),
                            std::max(vector, cycles * (1.0 - share) - (memory.value - memory.low) - refreshes),
                            cycles * (1.0 + share) + (memory.high - memory.value) + refreshes, Bound::calibrated);
}

SamplingCost overlapped_sampling(Program const& program, Bench const& bench) {
    auto cost = calibrated_serial(program, bench);
    if (auto const own = own_run(program, bench)) {
        cost.total = Estimate::exact(own->cycles);
        return cost;
    }
    cost.total = piped(program, cost.memory, as_double(cost.counts.vector), bench);
    auto const& d = program.design();
    if (d.refresh == Refresh::off && d.outstanding == 1) return cost;
    // As at cycle fidelity, the serial order is kept where it is faster.
    auto in_turn = d;
    in_turn.overlap = Overlap::none;
    auto const serial = calibrated_serial(Program(in_turn, bench.machine.costs), bench);
    cost.total = smaller(cost.total, serial.total);
    return cost;
}

}  // namespace

SamplingCost hybrid_sampling(Program const& program, MachineConstants const& machine, HybridMemory const& memory) {
    Bench const bench{machine, memory};
    return program.design().overlap == Overlap::none ? calibrated_serial(program, bench)
                                                     : overlapped_sampling(program, bench);
}

}  // namespace pimdse::models::dplena
