#include "models/upmem/sharing_range.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::models::upmem {
namespace {

/// What is certain about a kernel that shares the bank.
struct RatesRange {
    double input_min = 0.0, input_max = 1.0;  ///< 0 if the input waits
    double taken_max = 0.0;                   ///< seconds of the kernel if it shares all the time
    double queued_max = 0.0;                  ///< seconds that inputs lose during the whole kernel
    double rows_max = 0.0;                    ///< during the whole kernel
    double row_rate_min = 0.0, row_rate_max = 0.0;
};

RatesRange range_of(SharedStream const& lower, SharedStream const& upper, HostAccess const& timing) {
    // Shorter kernels with the longer busy time lose the most, and the other way round.
    auto const least = sharing_of(lower, timing), most = sharing_of(upper, timing);
    RatesRange r;
    r.taken_max = upper.kernel.si + most.longer;
    double const shortest = lower.kernel.si + least.longer;
    if (shortest <= 0.0) {
        r.input_min = 0.0;
        r.queued_max = upper.kernel.si;
        r.rows_max = most.rows;
        return r;
    }
    double const kernel_min = lower.kernel.si / shortest, kernel_max = upper.kernel.si / r.taken_max;
    double const input_min = 1.0 - most.lost / shortest, input_max = 1.0 - least.lost / r.taken_max;
    bool const may_wait = input_min + kernel_min <= 1.0, must_wait = input_max + kernel_max <= 1.0;
    r.input_min = may_wait ? 0.0 : input_min;
    r.input_max = must_wait ? 0.0 : std::min(1.0, input_max);
    r.queued_max = may_wait ? upper.kernel.si : std::min(most.lost, upper.kernel.si);
    if (must_wait) return r;
    r.rows_max = most.rows;
    r.row_rate_max = most.rows / shortest;
    r.row_rate_min = may_wait ? 0.0 : least.rows / r.taken_max;
    return r;
}

/// Ranges of all kernels except the last, which no input meets.
struct AllRates {
    double input_min = 1.0, input_max = 0.0;
    double queued_max = 0.0, rows_max = 0.0, row_rate_min = 0.0, row_rate_max = 0.0;

    void add(RatesRange const& r, bool first) {
        input_min = std::min(input_min, r.input_min);
        input_max = std::max(input_max, r.input_max);
        queued_max += r.queued_max;
        rows_max += r.rows_max;
        row_rate_max = std::max(row_rate_max, r.row_rate_max);
        row_rate_min = first ? r.row_rate_min : std::min(row_rate_min, r.row_rate_min);
    }
};

}  // namespace

SharingRange sharing_range(std::span<SharedStream const> lower, std::span<SharedStream const> upper,
                           HostAccess const& timing) {
    sim::expects(lower.size() == upper.size(), "both ends have the same streams");
    SharingRange range;
    if (upper.size() < 2) return range;
    AllRates all;
    std::vector<SharedStream> slowest(upper.begin(), upper.end());
    double host = 0.0, stages = 0.0;
    for (std::size_t i = 0; i < upper.size(); ++i) {
        auto const& s = upper[i];
        host += (s.input + s.offload + s.load).si;
        stages += (s.input + s.offload + s.load + s.kernel).si;
        if (i + 1 == upper.size()) break;
        auto const of_kernel = range_of(lower[i], s, timing);
        all.add(of_kernel, i == 0);
        slowest[i].kernel = sim::Time{of_kernel.taken_max};
        range.longer_max += slowest[i].kernel - s.kernel;
    }
    double end = stages;
    if (all.input_min > 0.0) {
        // As slow as any input and any kernel can be at every moment: the real streams are never behind.
        std::vector<SharedRates> const rates(slowest.size(), {all.input_min, 1.0, 0.0});
        end = std::min(end, share_bank(slowest, rates).kernels.back().end.si);
    }
    range.saved = sim::Time{stages - end};
    double sending = 0.0, together = 0.0;
    for (std::size_t i = 1; i < upper.size(); ++i) {
        // An input begins no later than the kernel of the stream before it, and shares until one of both ends.
        double const in = upper[i].input.si, before = lower[i - 1].kernel.si;
        sending += in;
        together += all.input_max > 0.0 ? std::min(in / all.input_max, before) : (in > 0.0 ? before : 0.0);
    }
    range.queued_min = sim::Time{(1.0 - all.input_max) * together};
    range.rows_min = all.row_rate_min * together;
    double queued = std::min(all.queued_max, std::max(0.0, end - host - lower.back().kernel.si));
    range.rows_max = all.rows_max;
    if (all.input_min > 0.0) {
        queued = std::min(queued, sending * (1.0 / all.input_min - 1.0));
        range.rows_max = std::min(range.rows_max, sending / all.input_min * all.row_rate_max);
    }
    range.queued_max = sim::Time{std::max(queued, range.queued_min.si)};
    return range;
}

}  // namespace pimdse::models::upmem
