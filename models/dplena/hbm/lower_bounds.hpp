#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/program.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// Ticks that row activations add to all prefetches of logits together, and the largest part of them that one refresh
/// removes, because it closes all banks. Ticks are cycles of the 1 GHz clock.
struct RowTicks {
    double ticks = 0.0, lost_by_a_refresh = 0.0;
};

/// Lower bounds of the prefetches of a program. They drop rules of the controller (models/dplena/README.md, Lower
/// bounds). A prefetch is presented to the controller with all its reads at once.
struct PrefetchLowerBound {
    /// `hbm2`: the timing of HBM2. With other clocks the members are cycles of the units, without row activations.
    PrefetchLowerBound(Program const& program, HbmTiming const& hbm2);

    double latency = 0.0;            ///< ticks from the issue of a read to its end
    double bus = 0.0;                ///< ticks between reads of a pseudo-channel
    double of_mask = 0.0;            ///< ticks of one prefetch of the mask, from its presentation to its end
    double alone = 0.0;              ///< ticks of one prefetch of logits
    double reads_per_channel = 0.0;  ///< reads of one prefetch over the number of pseudo-channels
    double outstanding = 1.0;        ///< largest number of prefetches in flight
    /// Ticks that row activations add to `alone`, sum over all prefetches: without refresh, and with it. One of them is
    /// zero.
    double row_ticks = 0.0;
    RowTicks row_ticks_with_refresh;

    /// Ticks of consecutive prefetches, from the presentation of the first one to the end of all.
    [[nodiscard]] double consecutive(double prefetches) const;
    /// Ticks in which at least one of `prefetches` is in flight.
    [[nodiscard]] double busy(double prefetches) const;
};

/// Lower bound of the ticks that refreshes and row activations add to a program in which prefetches and work on their
/// data alternate, and which takes `cycles` ticks without both. `rows`: the row activations without refreshes, of which
/// each refresh removes a part. 0 without refresh.
[[nodiscard]] double refreshes_of_alternating(Program const& program, HbmTiming const& timing, double cycles,
                                              RowTicks const& rows);

/// The same for prefetches that overlap work and take `ticks` without refreshes: the part of a refresh that delays no
/// prefetch falls into the time without one in flight.
[[nodiscard]] double refreshes_of_overlapped(HbmTiming const& timing, Refresh refresh, double ticks);

/// Lower bounds of the single prefetches of a stream whose data fill every bank of every pseudo-channel in turn, with
/// one prefetch in flight and no refresh shortly before: they find banks with another row open, and have to open their
/// own (models/dplena/README.md, Lower bounds, "Banks in turn"). A turn is the consecutive prefetches whose data access
/// every bank once. Scales are the shared exponents of blocks of logits, which lie behind all logits.
class AlignedLowerBound {
  public:
    /// nullopt for other streams. `reads` is busiest_reads() of the program.
    static std::optional<AlignedLowerBound> of(Program const& program, HbmTiming const& timing, std::int64_t reads);

    /// The bounds hold for the prefetches [first, end) of logits: those of all complete DRAM rows after the first one.
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

    /// Computes the four bounds by kind of prefetch (below).
    void set_ticks(Design const& design, HbmTiming const& timing, std::int64_t reads);
    /// Whether a prefetch reads the first column of a row, whose banks have another row open.
    [[nodiscard]] bool opens_first(std::int64_t index) const;
    /// Number, within a turn, of the prefetch whose data are in the banks of the scales of prefetch `index`.
    [[nodiscard]] std::int64_t place_of_scales(std::int64_t index) const;
    /// Whether data and scales of a prefetch are in the same banks.
    [[nodiscard]] bool meets_own_scales(std::int64_t index) const;
    /// Number of prefetches with scales in the banks of prefetch `index`, since the previous one whose data are in
    /// these banks, including that one.
    [[nodiscard]] std::int64_t scales_since_last_visit(std::int64_t index) const;
    /// The first tick in which a command for the last line of scales can be issued.
    [[nodiscard]] std::int64_t first_tick_of_scales(std::int64_t index) const;

    std::int64_t prefetches_ = 0;
    std::int64_t banks_ = 0;  ///< banks of a pseudo-channel that the data of a prefetch access, two reads each
    /// Number of such banks whose data reads precede the last line of scales that is the first read of its banks.
    std::int64_t before_scales_ = 0;
    std::int64_t turn_ = 0;   ///< number of consecutive prefetches that access all banks
    std::int64_t ratio_ = 0;  ///< lines of data per line of scales
    int turn_bits_ = 0, ratio_bits_ = 0;
    std::int64_t period_ = 0;                      ///< prefetches after which the bounds repeat
    std::int64_t bus_ = 0, activate_to_read_ = 0;  ///< ticks: distance of reads in a pseudo-channel; tRCD
    bool bus_fills_ = false;                       ///< reads of open rows in both pseudo-channels take every tick
    // Lower bounds [ticks] by the kind of a prefetch:
    std::int64_t opens_for_scales_ = 0;    ///< it opens a row before its last read; from the first command for that row
    std::int64_t opens_first_ = 0;         ///< it opens a row before any read
    std::int64_t scales_before_data_ = 0;  ///< its first scales precede data in the same bank; 0: no bound
    std::int64_t scales_close_data_ = 0;   ///< each of its scales closes the row of its vector's data; 0: no bound
};

/// Lower bounds of the numbers of prefetches of a stream that have to open rows, without refresh and with one prefetch
/// in flight (models/dplena/README.md, Lower bounds).
struct RowActivations {
    std::int64_t in_new_rows = 0;  ///< all of their data lie in rows that were never opened; other rows are open
    std::int64_t conflicts = 0;    ///< at least one read finds another row open in its bank; includes in_new_rows
};
[[nodiscard]] RowActivations row_activations_of(Program const& program);

/// Number of pseudo-channels of the HBM of a design.
[[nodiscard]] inline std::int64_t pseudo_channels(Design const& d) { return 2 * d.channels; }

/// Lower bound of the reads of any prefetch of logits in its busiest pseudo-channel, from the possible start addresses
/// of prefetches (models/dplena/README.md, Lower bounds).
[[nodiscard]] std::int64_t busiest_reads(Program const& program);

}  // namespace pimdse::models::dplena
