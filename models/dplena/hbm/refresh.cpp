#include "models/dplena/hbm/refresh.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

/// Integral of max(0, duration - x) for x from 0 to gap: how much refreshes that begin in a gap delay what follows it.
double delay_of_gap(double gap, double duration) {
    auto const felt = std::min(gap, duration);
    return duration * felt - felt * felt / 2.0;
}

/// Delay that one refresh causes, averaged over when in the run it begins.
double mean_delay(Program const& program, double memory, double duration) {
    auto const preloads = as_double(program.preloads());
    auto const inner = as_double(program.logit_prefetches()) - preloads;
    auto const bump = as_double(program.prefetch_bumps(1).sum());
    auto const elsewhere = as_double(program.total().sum()) - inner * bump;
    auto const total = memory + as_double(program.total().sum());
    auto const outer = preloads > 0.0 ? preloads * delay_of_gap(elsewhere / preloads, duration) : 0.0;
    return (memory * duration + inner * delay_of_gap(bump, duration) + outer) / total;
}

}  // namespace

Expected with_refresh(Program const& program, MachineConstants const& machine, Expected const& memory) {
    if (program.design().refresh == Refresh::off) return memory;
    auto const& allowances = machine.estimate;
    auto const interval = as_double(machine.hbm.timing.refresh_interval);
    auto const duration = as_double(machine.hbm.timing.refresh_duration);
    if (program.design().overlap != Overlap::none) {
        auto const stretch = interval / (interval - duration);
        return {memory.value * stretch,
                memory.high * stretch * allowances.refresh_high + allowances.refreshes_met * duration};
    }
    auto const instructions = as_double(program.total().sum());
    auto const delay = mean_delay(program, memory.value, duration);
    auto const most = (memory.high + instructions) / (1.0 - allowances.refresh_high * duration / interval);
    return {(memory.value + instructions) / (1.0 - delay / interval) - instructions,
            most - instructions + allowances.refreshes_met * duration};
}

double refresh_stretch(Design const& design, HbmTiming const& timing, double work_per_block) {
    if (design.refresh == Refresh::off || design.overlap == Overlap::fused_head || design.buffers == 1) return 1.0;
    auto const ahead = as_double(design.buffers - 1) * work_per_block;
    auto const felt = std::max(0.0, as_double(timing.refresh_duration) - ahead);
    return 1.0 / (1.0 - felt / as_double(timing.refresh_interval));
}

}  // namespace pimdse::models::dplena
