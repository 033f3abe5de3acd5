#pragma once

#include "models/umdam/pim/pim.hpp"
#include "models/umdam/pim/replay.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// What a channel that executes products one after the other does not stay below, in clock cycles; no fitted number
/// (README.md, Lows). Without refresh: the longest of its row visits, its MACs and its fillings of the buffer.
class PimLow {
  public:
    explicit PimLow(PimTiming const& timing);

    /// Of one product. `vectors`: MACs per burst.
    [[nodiscard]] double cycles(GemvWalk const& walk, Operand operand, std::int64_t vectors) const;
    /// Of one row visit, by its MACs.
    [[nodiscard]] double visit(double macs) const;
    /// Of so many visits with so many MACs altogether, however they share them.
    [[nodiscard]] double visits(double count, double macs) const;
    /// What a refresh adds to a sequence of products that takes so long `refresh_time`. Where MACs are far apart, the
    /// time in which they would wait for each other passes in it.
    [[nodiscard]] double pause(double refresh_time) const;

  private:
    [[nodiscard]] double one_buffer(GemvWalk const& walk, std::int64_t vectors) const;

    PimTiming timing_;
    double interval_;  ///< between MACs, as the channel rounds it
    double overhead_;  ///< of a visit, beside what lies between its MACs
};

}  // namespace pimdse::models::umdam
