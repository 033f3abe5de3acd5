#pragma once

#include "dse/ladder/corner.hpp"
#include "dse/task/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::dse::ladder {

/// Points next to each other: of each axis of a grid a run of positions.
struct Box {
    struct Run {
        std::uint32_t first = 0, count = 1;
        bool operator==(Run const&) const = default;
    };
    std::uint32_t grid = 0;  ///< which, where there are several
    std::vector<Run> axes;

    /// Precondition: fewer than 2^64.
    [[nodiscard]] std::uint64_t points() const;
    [[nodiscard]] bool is_point() const { return points() == 1; }
    /// Its halves along an axis with two positions or more; the first has the smaller positions and one more of an odd
    /// number.
    [[nodiscard]] std::pair<Box, Box> cut(std::size_t axis) const;
    bool operator==(Box const&) const = default;
};

/// What a search by boxes knows of points before any is answered. Pure: what it says of a box is always the same.
class Grids {
  public:
    virtual ~Grids() = default;
    /// All points, in boxes.
    [[nodiscard]] virtual std::vector<Box> whole() const = 0;
    /// What no point of the box can be better than; nothing if no point of it is feasible at any level. Of a single
    /// point what its own coarse answer says. Only proved bounds.
    [[nodiscard]] virtual std::optional<Values> bound(Box const& box) = 0;
    /// Along which axis a box of several points is cut.
    [[nodiscard]] virtual std::size_t axis_to_cut(Box const& box) = 0;
    /// The smallest id in a box.
    [[nodiscard]] virtual task::PointId first_of(Box const& box) const = 0;
};

}  // namespace pimdse::dse::ladder
