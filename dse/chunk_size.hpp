#pragma once

#include <algorithm>
#include <cstdint>

namespace pimdse::dse {

/// How many points go into one piece of work: enough that its cost hides the cost of handing it out, few enough that the
/// end of a batch is shared. Learns from measured cost. Affects speed only, never an answer.
class ChunkSize {
  public:
    struct Aim {
        double target_seconds = 10e-3;  ///< work in one piece
        int workers = 1;                ///< how many share what is left
        std::uint64_t largest = 65'536;
        bool by_share_only = false;     ///< cost does not count: each piece starts a process
    };
    explicit ChunkSize(Aim aim) : aim_(aim) {}

    /// Points for the next piece when `left` are not handed out yet; between 1 and `left`.
    [[nodiscard]] std::uint64_t next(std::uint64_t left) const {
        if (aim_.by_share_only) return std::clamp<std::uint64_t>(left / (2 * static_cast<std::uint64_t>(aim_.workers)), 1, left);
        std::uint64_t const by_cost = seconds_per_point_ > 0.0 ? static_cast<std::uint64_t>(std::min(aim_.target_seconds / seconds_per_point_, 1e9)) : first_;
        std::uint64_t const fair_share = left / (2 * static_cast<std::uint64_t>(aim_.workers)) + 1;
        std::uint64_t const grown = std::min({std::max<std::uint64_t>(by_cost, 1), growth_limit_, aim_.largest});
        return std::min({grown, fair_share, left});
    }

    /// `points` took `seconds` of one worker. Cheap early points may not speak for later ones, so growth is limited.
    void measured(std::uint64_t points, double seconds) {
        double const cost = std::max(seconds / static_cast<double>(points), 1e-9);
        seconds_per_point_ = seconds_per_point_ > 0.0 ? 0.75 * seconds_per_point_ + 0.25 * cost : cost;
        growth_limit_ = std::max(growth_limit_, std::min<std::uint64_t>(points * 4, aim_.largest));
    }

  private:
    static constexpr std::uint64_t first_ = 4;
    Aim aim_;
    double seconds_per_point_ = 0.0;
    std::uint64_t growth_limit_ = first_;
};

}  // namespace pimdse::dse
