#pragma once

#include "models/upmem/work.hpp"
#include "sim/pipeline.hpp"

#include <span>

namespace pimdse::models::upmem {

/// Times of a whole point. The sums count every transfer and launch, overlapped or not.
struct Timeline {
    sim::Time input, output, kernel, launch, exchange, offload;  ///< sums over the streams
    sim::Time host;                                              ///< what the host computes of a model
    sim::Time overlapped;                                        ///< makespan of input, offload and kernel
    sim::Time total;                                             ///< with all that follows it: the latency
    sim::Time compute_seen;                                      ///< of `overlapped`, while some DPU computes
    sim::Time offload_seen;                                      ///< while the host offloads and no DPU computes
    std::vector<sim::Interval> inputs, offloads, kernels;

    /// What comes behind it: the times, not the intervals.
    Timeline& operator+=(Timeline const& next);
};

/// Of the transfers of a plan: nothing that DPUs do changes them.
struct LinkTimes {
    std::vector<sim::Time> in, out;  ///< of every launch, once
    sim::Time output;                ///< behind the last of them
};
[[nodiscard]] LinkTimes link_times(Prepared const& prepared, Design const& design, Plan const& plan);

/// `cycles[i]` = DPU cycles of launch i of the plan. No time falls when one of them rises.
/// Streams: in_i after in_(i-1) on the one link; offload_i between in_i and kernel_i, on the host thread that also
/// drives in_(i+1); kernel_i after kernel_(i-1) on the DPUs. Locks are resources: exclusive = input and kernel share
/// the MRAM, double_bank = stream i uses bank i mod 2, rank_level = chunk i belongs to rank i mod R. Exchange follows
/// the last kernel, output follows the exchange. What streams hide is not told apart: see tell_seen().
[[nodiscard]] Timeline make_timeline(Prepared const& prepared, Design const& design, Plan const& plan,
                                     LinkTimes const& link, std::span<double const> cycles);

/// Sets compute_seen and offload_seen of streams.
void tell_seen(Timeline& timeline);

}  // namespace pimdse::models::upmem
