#pragma once

#include "dse/ladder/corner.hpp"
#include "dse/task/answer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace pimdse::dse::ladder {

/// Gives items in an order that goes with covering: by the sum of their corners, each objective over its range, then by
/// corner, then by id. A point that covers another one comes before it. Items that were taken may be given back.
class Ranking {
  public:
    using Item = std::uint32_t;

    Ranking() = default;
    /// All `items`; `corners`: those of every item, `objectives` numbers each; items with smaller numbers have smaller
    /// ids.
    Ranking(std::vector<Item> items, std::span<double const> corners, std::size_t objectives);

    [[nodiscard]] std::optional<Item> take();
    void give_back(std::span<Item const> items);

  private:
    std::vector<Item> order_;
    std::vector<std::uint32_t> ranks_;  ///< of each item that was among those to rank
    std::size_t next_ = 0;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> given_back_;  ///< ranks
};

}  // namespace pimdse::dse::ladder
