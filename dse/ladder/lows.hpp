#pragma once

#include "dse/ladder/corner.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::dse::ladder {

/// The best that listed points may come to: as it was given, and with calibrated lows widened by what turned out to be
/// wrong. Items are numbered as they were added.
class Lows {
  public:
    using Item = std::uint32_t;

    /// epsilon: a share; what a point may be better by than a member of the front without being worth an answer.
    Lows(std::size_t objectives, double epsilon) : objectives_(objectives), epsilon_(epsilon) {}

    void add(Corner const& corner);
    [[nodiscard]] Values of(Item item) const;
    /// Of all items, as Ranking takes them.
    [[nodiscard]] std::vector<double> all() const;
    /// As of(), if every low that is not exact were lower by this share of itself.
    [[nodiscard]] Values looser(Item item, double share) const;
    /// What a member of the front must be as good as, so that a point with this corner is not worth an answer.
    [[nodiscard]] Values reach(Values corner) const { return relaxed(corner, epsilon_, objectives_); }
    /// As it was added.
    [[nodiscard]] double given(Item item, std::size_t objective) const { return lows_[item * objectives_ + objective]; }
    [[nodiscard]] bool is_calibrated(Item item, std::size_t objective) const {
        return (calibrated_[item] >> objective & 1) != 0;
    }
    /// After an answer below a calibrated low; by twice as much as before at least, so that it happens seldom.
    void widen(std::size_t objective, double low, double value);
    [[nodiscard]] double slack(std::size_t objective) const { return slack_[objective]; }

  private:
    std::size_t objectives_;
    double epsilon_;
    std::vector<double> lows_;  ///< the objectives of a point together
    std::vector<std::uint8_t> calibrated_, exact_;
    Values slack_{};  ///< per objective, of calibrated lows
};

}  // namespace pimdse::dse::ladder
