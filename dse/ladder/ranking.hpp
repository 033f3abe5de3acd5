#pragma once

#include "dse/ladder/corner.hpp"
#include "dse/task/answer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
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
    /// Items that take() may still give, the best first but for those given back, at most so many.
    [[nodiscard]] std::vector<Item> ahead(std::size_t most) const;
    [[nodiscard]] std::size_t left() const { return given_back_.size() + order_.size() - next_; }

  private:
    std::vector<Item> order_;
    std::vector<std::uint32_t> ranks_;  ///< of each item that was among those to rank
    std::size_t next_ = 0;
    std::vector<std::uint32_t> given_back_;  ///< ranks, a heap with the least on top
};

}  // namespace pimdse::dse::ladder
