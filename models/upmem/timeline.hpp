#pragma once

#include "models/upmem/prepared.hpp"
#include "models/upmem/work.hpp"
#include "sim/base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::upmem {

/// Start and end of a piece of work.
struct Interval {
    sim::Time start, end;
    [[nodiscard]] sim::Time duration() const { return end - start; }
};

/// Overlap of stages on shared resources. Every resource (a link, a memory bank, a processor) executes one stage at a
/// time, in the order in which the stages were added. A stage starts as soon as all its resources are free and every
/// stage it follows has ended, and it occupies its resources until its end. Order is stated as `after`, mutual
/// exclusion as shared resources: a two-buffer pipeline has two banks, an exclusive lock has one. The class is
/// independent of the meaning of the stages.
class Pipeline {
  public:
    using Stage = std::size_t;
    using Resource = std::size_t;

    explicit Pipeline(std::size_t resources) : free_(resources) {}

    /// Reserves memory for this number of stages.
    void expect(std::size_t stages) { stages_.reserve(stages); }

    /// Adds the next stage. `duration` >= 0; all of `resources` and `after` are known. The cost is proportional to
    /// their number.
    Stage add(sim::Time duration, std::span<Resource const> resources, std::span<Stage const> after = {});

    [[nodiscard]] Interval const& at(Stage stage) const;
    [[nodiscard]] std::vector<Interval> const& stages() const { return stages_; }
    /// The end of the last stage; zero if there is no stage.
    [[nodiscard]] sim::Time makespan() const { return makespan_; }

  private:
    std::vector<sim::Time> free_;
    std::vector<Interval> stages_;
    sim::Time makespan_{};
};

/// Length of time in at least one of `intervals` and in none of `others`. O((n + m) log(n + m)).
[[nodiscard]] sim::Time covered_alone(std::span<Interval const> intervals, std::span<Interval const> others);

/// Times of a whole point. The sums count every transfer and launch, overlapped or not.
struct Timeline {
    sim::Time input, output, kernel, launch, exchange, offload;  ///< sums over the streams
    sim::Time host;                                              ///< computation of the host for a model
    sim::Time overlapped;                                        ///< makespan of input, offload and kernel
    sim::Time total;                                             ///< latency: `overlapped` and everything after it
    sim::Time compute_visible;  ///< part of `overlapped` in which at least one DPU computes
    sim::Time offload_visible;  ///< part in which the host offloads and no DPU computes
    /// Lock fine: how much longer inputs take because they queue behind DPUs; rows that are opened again, by a DPU
    /// after the host or the other way round.
    sim::Time queued;
    double reopened = 0.0;
    std::vector<Interval> inputs, offloads, kernels, loads;
};

/// Times of the transfers of a plan; they do not depend on the work of the DPUs.
struct LinkTimes {
    std::vector<sim::Time> in, out;  ///< of every launch, for one repetition
    sim::Time output;                ///< after the last launch
    sim::Time load;                  ///< of an executable and the arguments of a launch
};

[[nodiscard]] LinkTimes link_times(Prepared const& prepared, Design const& design, Plan const& plan);

/// Times of a stream if it had the bank alone. `requests` of the DPU in its kernel keep the bank busy for `busy`.
struct SharedStream {
    sim::Time input, offload, kernel;
    sim::Time load;  ///< of the executable, between offload and kernel; no DPU runs meanwhile
    sim::Time busy;
    double requests = 0.0;
};

/// The host at the bank of a DPU: duration of an access to an open row, additional time if another row is open, and
/// mean time from access to access while it sends, infinite if it sends nothing.
struct HostAccess {
    sim::Time access, reopen, interval;
};

/// The streams of a plan whose launches take `cycles`, in `busy` of which the MRAM is busy.
[[nodiscard]] std::vector<SharedStream> shared_streams(Prepared const& prepared, Design const& design, Plan const& plan,
                                                       LinkTimes const& link, std::span<double const> cycles,
                                                       std::span<double const> busy);
[[nodiscard]] HostAccess host_access(Prepared const& prepared, Design const& design, Plan const& plan,
                                     LinkTimes const& link);

/// `cycles[i]` = DPU cycles of launch i of the plan. No time decreases when one of them increases. Streams: in_i after
/// in_(i-1) on the one link; offload_i between in_i and kernel_i, on the host thread that also drives in_(i+1);
/// kernel_i after kernel_(i-1) on the DPUs. Locks are resources: exclusive = input and kernel share the MRAM,
/// double_bank = stream i uses bank i mod 2, rank_level = chunk i belongs to rank i mod R. Exchange follows the last
/// kernel, output follows the exchange. The executable is loaded once before everything, or after the offload of a
/// stream, while no DPU runs. A launch that merges follows all kernels. The times that streams hide are not separated:
/// see set_visible_times(). Lock fine: see share_bank(); needs `busy[i]`, cycles in which the MRAM is busy.
[[nodiscard]] Timeline make_timeline(Prepared const& prepared, Design const& design, Plan const& plan,
                                     LinkTimes const& link, std::span<double const> cycles,
                                     std::span<double const> busy = {});

/// Exchanges of the streams of a timeline, in the order of their starts. While one takes place, link and DPUs do
/// nothing else: the results of a stream are fetched after its kernel, those of the last one before the launch that
/// merges, if the host sends it something, otherwise at the end. Starts are those in the timeline, without exchanges.
[[nodiscard]] std::vector<Interval> stream_exchanges(Prepared const& prepared, Design const& design, Plan const& plan,
                                                     Timeline const& timeline);

/// Parts of an interval of the timeline when exchanges take place as well.
[[nodiscard]] std::vector<Interval> around_exchanges(Interval const& interval, std::span<Interval const> exchanges);

/// Bytes of executables and arguments that a DPU receives in a plan.
[[nodiscard]] double loaded_bytes(Prepared const& prepared, Design const& design, Plan const& plan);

/// Time of operations of a model on all cores of the host.
[[nodiscard]] sim::Time host_time(MachineConstants const& machine, double operations);

/// Sets compute_visible and offload_visible of streams.
void set_visible_times(Timeline& timeline);

enum class Direction : std::uint8_t { in, out };

/// Time of one transfer call: `bytes` to or from each of `dpus` DPUs spread over `ranks` ranks. Zero bytes take no
/// time.
///   table1     every DPU at the bandwidth that Table 1 gives for a single one, all at once
///   parallel   call + dpus x bytes / B(n), B(n) = B1 n^p for the n DPUs of a rank, with ranks in parallel
///   serial     dpus x the table1 time
///   broadcast  as parallel with the broadcast bandwidth; results still come back in parallel
///   constant   uPIMulator's two constants per DPU
///   spline     as table1, with a curve of continuous slope between its points
///   mapped     loads or stores of lines with 8 B for each of eight DPUs, by a core per rank; no call
/// All of them except serial are limited by the measured rate of a rank of 64 DPUs, by the number of ranks that the
/// host feeds at once, and by the pins of the memory channels, which several ranks share.
[[nodiscard]] sim::Time transfer_time(Prepared const& prepared, Transfer how, Direction direction, double bytes,
                                      std::int64_t dpus, std::int64_t ranks);

}  // namespace pimdse::models::upmem
