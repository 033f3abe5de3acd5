#pragma once

#include "models/upmem/timeline.hpp"

#include <span>
#include <vector>

namespace pimdse::models::upmem {

/// Shares of their own rates at which an input and a kernel progress while both use the bank, and the rows that are
/// opened because of it during the whole kernel. The default is an input that waits for the kernel.
struct SharedRates {
    double input = 0.0, kernel = 1.0;
    double rows = 0.0;
};

/// With n requests in K seconds that keep the bank busy for b, and a host with an access of a every I seconds:
///
/// The f = min(1, K / (n I)) of the requests that follow an access of the host wait for its end, W = a^2 / (2 I) on
/// average, and open their row again, which takes o. So the kernel progresses at K / (K + e) of its rate,
/// e = n f (o + W). A request keeps the host from the bank for w = b / n + f o. Of the accesses that fall into this
/// time, the first waits for its end and the others follow in their intervals: the input loses w - I / 2, or
/// w^2 / (2 I) if w < I. The first also opens its row again, which delays the next one by max(0, o + a - I). The input
/// progresses at 1 - n (lost per request) / (K + e). Both together exceed 1; otherwise the input waits for the kernel.
[[nodiscard]] SharedRates shared_rates(SharedStream const& stream, HostAccess const& timing);

/// When the stages of streams begin and end, and what sharing the bank costs.
struct SharedBank {
    std::vector<Interval> inputs, offloads, kernels, loads;
    sim::Time queued;   ///< how much longer inputs take because they queue
    double rows = 0.0;  ///< opened again, by a DPU or for the host
};

/// Streams whose inputs and kernels use one bank at the same time. So the end is never after that of a lock, where one
/// progresses at a time, nor before that without a lock. Inputs, offloads and loads follow one another; kernels too,
/// each after its own input.
[[nodiscard]] SharedBank share_bank(std::span<SharedStream const> streams, HostAccess const& timing);

/// Ends of what sharing costs, for kernels that are only known to lie between `lower` and `upper`, which are equal in
/// everything except `kernel` and `busy`.
struct SharingRange {
    sim::Time saved;  ///< at least, compared with the sum of all stages
    sim::Time queued_min, queued_max;
    double rows_min = 0.0, rows_max = 0.0;
    sim::Time longer_max;  ///< of all kernels together
};
[[nodiscard]] SharingRange sharing_range(std::span<SharedStream const> lower, std::span<SharedStream const> upper,
                                         HostAccess const& timing);

}  // namespace pimdse::models::upmem
