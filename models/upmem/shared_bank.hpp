#pragma once

#include "models/upmem/timeline.hpp"

#include <span>
#include <vector>

namespace pimdse::models::upmem {

/// A stream before its times are known. `requests` of the DPU in its kernel, which keep the bank busy for `busy`.
struct SharedStream {
    sim::Time input, offload, kernel;
    sim::Time load;  ///< of the executable, between offload and kernel; no DPU runs meanwhile
    sim::Time busy;
    double requests = 0.0;
};

/// When the stages of streams begin and end, and what sharing the bank costs.
struct SharedBank {
    std::vector<Interval> inputs, offloads, kernels, loads;
    sim::Time queued;    ///< how much longer inputs take because they queue
    double turns = 0.0;  ///< rows that a DPU opens again after the host
};

/// Streams whose inputs and kernels use one bank at the same time. Requests of the host queue behind those of the DPU;
/// each request of the DPU meanwhile finds the row of the host open and takes `turn` longer. While a kernel of K
/// seconds, n requests and b busy seconds runs along with an input, with e = n turn: the kernel progresses at
/// K / (K + e) and the input at (K - b) / (K + e) of their own rates, as long as both together exceed 1; otherwise the
/// input waits for the kernel. So the end is never after that of a lock, where one progresses at a time, nor before
/// that without a lock. Inputs, offloads and loads follow one another; kernels too, each after its own input.
[[nodiscard]] SharedBank share_bank(std::span<SharedStream const> streams, sim::Time turn);

}  // namespace pimdse::models::upmem
