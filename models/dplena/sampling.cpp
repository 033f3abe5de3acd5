#include "models/dplena/sampling.hpp"

#include "models/dplena/blocks.hpp"
#include "models/dplena/prefetch_estimate.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

Estimate scaled(Estimate const& e, double factor) { return {e.value * factor, e.low * factor, e.high * factor, e.bound}; }

/// Blocks fetched and worked on in a pipeline: with one buffer in turn, with more the slower of the two in every phase,
/// behind the first fetch.
double pipelined(Program const& program, Blocks const& blocks, double per_prefetch) {
    auto const fetch = program.preloads() > 0 ? per_prefetch * as_double(program.prefetches_per_preload()) : 0.0;
    bool const in_turn = program.design().buffers == 1;
    double round = 0.0;
    for (auto const& phase : blocks.phases()) {
        auto const fetches = fetch * as_double(phase.blocks);
        round += in_turn ? fetches + phase.work : std::max(fetches, phase.work);
    }
    return round * as_double(blocks.repeats()) + (in_turn ? 0.0 : fetch);
}

}  // namespace

SamplingCost composed_sampling(Program const& program, Estimate const& mean) {
    SamplingCost cost{.counts = program.total(), .prefetches = program.prefetches(), .memory = scaled(mean, as_double(program.prefetches())), .total = {}};
    auto const instructions = as_double(cost.counts.sum());
    auto const serial = Estimate{cost.memory.value + instructions, cost.memory.low + instructions, cost.memory.high + instructions, cost.memory.bound};
    if (program.design().overlap == Overlap::none) {
        cost.total = serial;
        return cost;
    }
    Blocks const blocks(program);
    auto const start = as_double(program.prologue().sum()) + mean.value * as_double(program.mask_prefetches());
    auto const value = std::min(start + pipelined(program, blocks, mean.value), serial.value);
    auto const low = std::max(cost.memory.low, as_double(cost.counts.vector));
    cost.total = Estimate::within(std::max(value, low), low, std::max(serial.high, value), cost.memory.bound);
    return cost;
}

SamplingCost analytic_sampling(Program const& program, Machine const& machine) {
    return composed_sampling(program, estimate_prefetch(program.design(), machine.prefetch, machine.hbm));
}

}  // namespace pimdse::models::dplena
