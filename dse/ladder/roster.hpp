#pragma once

#include "dse/task/answer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pimdse::dse::ladder {

/// The points that a search by lows knows, numbered as they came, and what became of each.
class Roster {
  public:
    using Item = std::uint32_t;
    enum class State : std::uint8_t { ready, waiting, flying, answered, closed, twin, failed };

    /// Points come in the order of their ids, or else by add_anywhere(). Precondition: fewer than 2^32.
    Item add(task::PointId point);
    Item add_anywhere(task::PointId point);
    void set(Item item, State state);

    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    [[nodiscard]] task::PointId id(Item item) const { return ids_[item]; }
    [[nodiscard]] State state(Item item) const { return states_[item]; }
    /// Precondition: the point was added.
    [[nodiscard]] Item item_of(task::PointId point) const;
    [[nodiscard]] std::vector<Item> in(State state) const;
    [[nodiscard]] std::uint64_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }
    [[nodiscard]] std::vector<Item> const& failed() const { return failed_; }

  private:
    static constexpr std::size_t state_count = 7;
    std::vector<task::PointId> ids_;
    std::map<task::PointId, Item> places_;  ///< of points that came in no order
    std::vector<State> states_;
    std::array<std::uint64_t, state_count> counts_{};  ///< of points by state
    std::vector<Item> failed_;
};

}  // namespace pimdse::dse::ladder
