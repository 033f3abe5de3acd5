#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/program.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// What rows that have to be opened add to all prefetches of logits together, and how much of it a refresh may take.
struct RowTicks {
    double ticks = 0.0, lost_by_a_refresh = 0.0;
};

/// What prefetches of a program take at least, in ticks, by dropping rules of the controller (README.md, Lower bounds).
struct PrefetchLowerBound {
    PrefetchLowerBound(Program const& program, HbmTiming const& timing);

    double latency = 0.0;               ///< from the issue of a read to its end
    double bus = 0.0;                   ///< between reads of a pseudo-channel
    double of_mask = 0.0;               ///< one prefetch of the mask
    double alone = 0.0;                 ///< one prefetch of logits, from its presentation to its end
    double spread = 0.0;                ///< reads of one prefetch over the number of pseudo-channels
    double row_activation_ticks = 0.0;  ///< of all prefetches of logits together beyond `alone`, without refresh
    RowTicks refreshed;                 ///< the same with refresh
    double outstanding = 1.0;

    /// `prefetches` in a row, from the first one's presentation to the end of all.
    [[nodiscard]] double in_a_row(double prefetches) const;
    /// Ticks in which some of `prefetches` are under way.
    [[nodiscard]] double busy(double prefetches) const;
};

/// Ticks that refreshes, and what they leave of `rows`, add at least to a run of `cycles` whose fetches and works take
/// turns; 0 without refresh.
[[nodiscard]] double refreshes_in_turn(Program const& program, HbmTiming const& timing, double cycles,
                                       RowTicks const& rows);

/// The same for `ticks` of fetches alone: what a refresh does not take from them, it takes from the time they wait.
[[nodiscard]] double refreshes_beside(HbmTiming const& timing, Refresh refresh, double ticks);

/// Lows of the single prefetches of a stream whose data fill every bank of every pseudo-channel in turn, one prefetch
/// under way and no refresh shortly before: which of them find rows of others open, and what that takes (README.md,
/// Lows).
class AlignedLowerBound {
  public:
    /// Nothing for other streams. `reads` is what busiest_reads() says of the program.
    static std::optional<AlignedLowerBound> of(Program const& program, HbmTiming const& timing, std::int64_t reads);

    /// Prefetches [first, end) of logits are known: those of whole rows behind the first one.
    [[nodiscard]] std::int64_t first() const;
    [[nodiscard]] std::int64_t end() const;
    /// Ticks of prefetch `index`, one of those, at least.
    [[nodiscard]] std::int64_t ticks(std::int64_t index) const;
    /// What all of them together take beyond `alone` each.
    [[nodiscard]] double beyond(std::int64_t alone) const;
    /// Of beyond(), what a refresh can take at most: it closes all banks, and a turn later they are open again.
    [[nodiscard]] double lost_by_a_refresh(std::int64_t alone) const;

  private:
    AlignedLowerBound() = default;

    void set_ticks(Design const& design, HbmTiming const& timing, std::int64_t reads);
    [[nodiscard]] bool is_fresh(std::int64_t index) const;
    [[nodiscard]] std::int64_t place_of_scales(std::int64_t index) const;
    [[nodiscard]] bool meets_own_scales(std::int64_t index) const;
    [[nodiscard]] std::int64_t scales_since_last_visit(std::int64_t index) const;
    [[nodiscard]] std::int64_t first_tick_of_scales(std::int64_t index) const;

    std::int64_t prefetches_ = 0;
    std::int64_t banks_ = 0;          ///< of a pseudo-channel that the data of one prefetch meet, two reads each
    std::int64_t before_scales_ = 0;  ///< the same of the data before the last scales in banks of their own
    std::int64_t turn_ = 0;           ///< prefetches that meet all banks
    std::int64_t ratio_ = 0;          ///< lines of data for one of scales
    int turn_bits_ = 0, ratio_bits_ = 0;
    std::int64_t period_ = 0;
    std::int64_t bus_ = 0, activate_to_read_ = 0;
    bool bus_fills_ = false;   ///< two pseudo-channels with reads of open rows leave no tick to others
    std::int64_t opened_ = 0;  ///< a prefetch that has to open a row before its last read, from its first command on
    std::int64_t fresh_ = 0;   ///< ... that has to open a row before any read
    std::int64_t early_ = 0;   ///< ... of whose scales the first come before data in the same bank; 0: not known
    std::int64_t caught_ = 0;  ///< ... of which every scale closes the row of its own vector's data; 0: not known
};

/// Prefetches of a stream, without refresh and one under way at a time, that find rows closed (README.md, Lower
/// bounds): no fewer than these.
struct RowActivations {
    std::int64_t fresh = 0;  ///< all of their data lie in rows that were never opened, in banks with another row open
    std::int64_t switched = 0;  ///< some read meets a bank in which another row is open
};
[[nodiscard]] RowActivations row_activations_of(Program const& program);

/// Pseudo-channels of a design's HBM.
[[nodiscard]] inline std::int64_t pseudo_channels(Design const& d) { return 2 * d.channels; }

/// Reads that the busiest pseudo-channel gets at least of every prefetch of logits, from where these can begin
/// (README.md, Lower bounds).
[[nodiscard]] std::int64_t busiest_reads(Program const& program);

}  // namespace pimdse::models::dplena
