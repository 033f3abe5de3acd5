#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/program.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// Ticks that row activations add to all prefetches of logits together, and the largest part that one refresh removes.
struct RowTicks {
    double ticks = 0.0, lost_by_a_refresh = 0.0;
};

/// Lower bounds [ticks] of the prefetches of a program. They drop rules of the controller (README.md, Lower bounds).
struct PrefetchLowerBound {
    PrefetchLowerBound(Program const& program, HbmTiming const& timing);

    double latency = 0.0;               ///< from the issue of a read to its end
    double bus = 0.0;                   ///< between reads of a pseudo-channel
    double of_mask = 0.0;               ///< one prefetch of the mask
    double alone = 0.0;                 ///< one prefetch of logits, from its presentation to its end
    double spread = 0.0;                ///< reads of one prefetch over the number of pseudo-channels
    double row_activation_ticks = 0.0;  ///< added to `alone` by row activations, sum over all prefetches; no refresh
    RowTicks refreshed;                 ///< the same with refresh
    double outstanding = 1.0;

    /// Consecutive prefetches, from the presentation of the first one to the end of all.
    [[nodiscard]] double in_a_row(double prefetches) const;
    /// Ticks in which at least one of `prefetches` is in flight.
    [[nodiscard]] double busy(double prefetches) const;
};

/// Lower bound of the ticks that refreshes, and the part of `rows` that they leave, add to a run of `cycles` in which
/// fetches and works alternate; 0 without refresh.
[[nodiscard]] double refreshes_in_turn(Program const& program, HbmTiming const& timing, double cycles,
                                       RowTicks const& rows);

/// The same for `ticks` of fetches that overlap work: the part of a refresh that does not delay fetches falls into the
/// time without a fetch in flight.
[[nodiscard]] double refreshes_beside(HbmTiming const& timing, Refresh refresh, double ticks);

/// Lower bounds of the single prefetches of a stream whose data fill every bank of every pseudo-channel in turn, with
/// one prefetch in flight and no refresh shortly before: they find banks with another row open, and have to open their
/// own (README.md, Lower bounds, "Banks in turn").
class AlignedLowerBound {
  public:
    /// nullopt for other streams. `reads` is busiest_reads() of the program.
    static std::optional<AlignedLowerBound> of(Program const& program, HbmTiming const& timing, std::int64_t reads);

    /// The bounds hold for the prefetches [first, end) of logits: those of all complete rows after the first one.
    [[nodiscard]] std::int64_t first() const;
    [[nodiscard]] std::int64_t end() const;
    /// Lower bound [ticks] of prefetch `index` in [first, end).
    [[nodiscard]] std::int64_t ticks(std::int64_t index) const;
    /// Ticks by which all of them together exceed `alone` per prefetch.
    [[nodiscard]] double beyond(std::int64_t alone) const;
    /// Largest part of beyond() that one refresh removes: it closes all banks, and one turn later they are open again.
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
    std::int64_t banks_ = 0;          ///< banks of a pseudo-channel that the data of a prefetch access, two reads each
    std::int64_t before_scales_ = 0;  ///< such banks of the data before the last scales in banks of their own
    std::int64_t turn_ = 0;           ///< number of consecutive prefetches that access all banks
    std::int64_t ratio_ = 0;          ///< lines of data per line of scales
    int turn_bits_ = 0, ratio_bits_ = 0;
    std::int64_t period_ = 0;
    std::int64_t bus_ = 0, activate_to_read_ = 0;
    bool bus_fills_ = false;  ///< reads of open rows in both pseudo-channels take every tick
    // Lower bounds [ticks] by the kind of a prefetch:
    std::int64_t opened_ = 0;  ///< it opens a row before its last read; counted from the first command for that row
    std::int64_t fresh_ = 0;   ///< it opens a row before any read
    std::int64_t early_ = 0;   ///< its first scales precede data in the same bank; 0: no bound
    std::int64_t caught_ = 0;  ///< each of its scales closes the row of the data of the same vector; 0: no bound
};

/// Lower bounds of the numbers of prefetches of a stream that have to open rows, without refresh and with one prefetch
/// in flight (README.md, Lower bounds).
struct RowActivations {
    std::int64_t fresh = 0;  ///< all of their data lie in rows that were never opened, in banks with another row open
    std::int64_t switched = 0;  ///< at least one read finds another row open in its bank
};
[[nodiscard]] RowActivations row_activations_of(Program const& program);

/// Number of pseudo-channels of the HBM of a design.
[[nodiscard]] inline std::int64_t pseudo_channels(Design const& d) { return 2 * d.channels; }

/// Lower bound of the reads of any prefetch of logits in its busiest pseudo-channel, from the possible start addresses
/// of prefetches (README.md, Lower bounds).
[[nodiscard]] std::int64_t busiest_reads(Program const& program);

}  // namespace pimdse::models::dplena
