#pragma once

#include "dse/ladder/box.hpp"
#include "dse/space/space.hpp"
#include "dse/task/certificate.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::strategy {

/// Where along an axis the low of an objective is best, as its architecture declares.
enum class BestEnd : std::uint8_t { first, last, any, unknown };

/// An end of a metric's interval that an objective, or a formula that is one, rests on.
struct TrackedBound {
    std::size_t metric = 0;                       ///< of the space
    models::Sense end = models::Sense::minimize;  ///< minimize: the low, maximize: the high
    bool operator==(TrackedBound const&) const = default;
};

/// A parameter with several values.
struct GridAxis {
    std::size_t parameter = 0;
    std::uint64_t stride = 1, size = 1;
    bool ordered = false;       ///< its values are numbers that grow, or fall
    std::vector<BestEnd> best;  ///< by bound
    [[nodiscard]] bool declared() const;
};

/// The points of a machine.
struct SpaceGrid {
    std::uint64_t first = 0;  ///< id
    std::vector<GridAxis> axes;
    std::vector<int> own_metrics;  ///< by bound, among those of the machine; -1: made of several
};

/// The points of a space as grids, one per machine: their axes and how ids number them.
class SpaceAxes {
  public:
    /// Of each axis of a grid a position.
    using Positions = std::vector<std::uint32_t>;

    /// The space must outlive it.
    explicit SpaceAxes(space::Space const& space);

    [[nodiscard]] space::Space const& space() const { return space_; }
    [[nodiscard]] std::vector<SpaceGrid> const& grids() const { return grids_; }
    /// Those of the objectives in their order; of one that is a formula, each that it reads.
    [[nodiscard]] std::vector<TrackedBound> const& bounds() const { return bounds_; }
    [[nodiscard]] std::vector<ladder::Box> whole() const;
    /// How ids number points; every grid has as many axes as the one with the most.
    [[nodiscard]] std::vector<task::Certificate::Grid> numbering() const;
    /// The box with this smallest id and so many positions along each axis.
    [[nodiscard]] ladder::Box box_of(task::PointId first, std::span<std::uint32_t const> counts) const;
    /// The point of a box's grid at these positions; none: the box's first.
    [[nodiscard]] task::PointId at(ladder::Box const& box, Positions const& positions) const;
    /// Where a bound is best; nothing while the box is long along an axis of which that is not known.
    [[nodiscard]] std::optional<Positions> best_corner(ladder::Box const& box, std::size_t bound) const;
    /// All of the grid that has the same values along axes without a declared direction.
    [[nodiscard]] ladder::Box cell_of(ladder::Box const& box) const;
    /// How many boxes there are at least before anything is known: those with one value of each axis that has no
    /// declared direction.
    [[nodiscard]] double least_boxes() const;
    /// Parameters that have several values and no declared direction.
    [[nodiscard]] std::vector<std::string> undeclared() const;

  private:
    [[nodiscard]] SpaceGrid grid_of(std::size_t machine) const;
    [[nodiscard]] std::vector<BestEnd> best_of(std::size_t machine, std::size_t parameter) const;

    void track();
    void track(TrackedBound const& bound);

    space::Space const& space_;
    std::vector<TrackedBound> bounds_;
    std::vector<SpaceGrid> grids_;
    std::size_t width_ = 0;  ///< axes of every box
};

}  // namespace pimdse::dse::strategy
