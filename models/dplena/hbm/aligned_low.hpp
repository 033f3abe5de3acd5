#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program/program.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// Lows of the single prefetches of a stream whose data fill every bank of every pseudo-channel in turn, one prefetch
/// under way and no refresh shortly before: which of them find rows of others open, and what that takes (README.md,
/// Lows).
class AlignedLow {
  public:
    /// Nothing for other streams. `reads` is what busiest_reads() says of the program.
    static std::optional<AlignedLow> of(Program const& program, HbmTiming const& timing, std::int64_t reads);

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
    AlignedLow() = default;

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

}  // namespace pimdse::models::dplena
