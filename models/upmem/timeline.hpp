#pragma once

#include "models/upmem/prepared.hpp"
#include "models/upmem/work.hpp"
#include "sim/base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::upmem {

/// When a piece of work ran.
struct Interval {
    sim::Time start, end;
    [[nodiscard]] sim::Time duration() const { return end - start; }
};

/// Overlap of stages on shared resources. Every resource (a link, a memory bank, a processor) does one stage at a time,
/// in the order in which the stages were added; a stage starts as soon as all its resources are free and everything it
/// follows has ended, and holds its resources to its end. Ordering rules are stated as `after`, mutual exclusion as
/// shared resources: a two-buffer pipeline is two banks, an exclusive lock is one. Knows nothing of what the stages do.
class Pipeline {
  public:
    using Stage = std::size_t;
    using Resource = std::size_t;

    explicit Pipeline(std::size_t resources) : free_(resources) {}

    /// Room for as many stages.
    void expect(std::size_t stages) { stages_.reserve(stages); }

    /// Places the next stage. `duration` >= 0; `resources` and `after` are known. Cost: their number.
    Stage add(sim::Time duration, std::span<Resource const> resources, std::span<Stage const> after = {});

    [[nodiscard]] Interval const& at(Stage stage) const;
    [[nodiscard]] std::vector<Interval> const& stages() const { return stages_; }
    /// The end of the last stage; zero without stages.
    [[nodiscard]] sim::Time makespan() const { return makespan_; }

  private:
    std::vector<sim::Time> free_;
    std::vector<Interval> stages_;
    sim::Time makespan_{};
};

/// Length of time covered by at least one of `intervals` and by none of `others`. O((n + m) log(n + m)).
[[nodiscard]] sim::Time covered_alone(std::span<Interval const> intervals, std::span<Interval const> others);

/// Times of a whole point. The sums count every transfer and launch, overlapped or not.
struct Timeline {
    sim::Time input, output, kernel, launch, exchange, offload;  ///< sums over the streams
    sim::Time host;                                              ///< what the host computes of a model
    sim::Time overlapped;                                        ///< makespan of input, offload and kernel
    sim::Time total;                                             ///< with all that follows it: the latency
    sim::Time compute_seen;                                      ///< of `overlapped`, while some DPU computes
    sim::Time offload_seen;                                      ///< while the host offloads and no DPU computes
    std::vector<Interval> inputs, offloads, kernels;

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

enum class Direction : std::uint8_t { in, out };

/// Time of one transfer call: `bytes` to or from each of `dpus` DPUs spread over `ranks` ranks. Zero bytes take no
/// time.
///   table1     every DPU at the bandwidth Table 1 gives a single one, all at once
///   parallel   call + dpus x bytes / B(n), B(n) = B1 n^p for the n DPUs of a rank, ranks side by side
///   serial     dpus x the table1 time
///   broadcast  as parallel with the broadcast bandwidth; results still come back in parallel
///   constant   uPIMulator's two constants per DPU
/// All of them but serial end at what a rank of 64 DPUs was measured to move, at the ranks that the host feeds at once,
/// and at the pins of the memory channels, which several ranks share.
[[nodiscard]] sim::Time transfer_time(Prepared const& prepared, Transfer how, Direction direction, double bytes,
                                      std::int64_t dpus, std::int64_t ranks);

}  // namespace pimdse::models::upmem
