#pragma once

#include "dse/search/box_search.hpp"
#include "dse/search/certificate.hpp"
#include "dse/space/space.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::search {

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
    [[nodiscard]] std::vector<Box> whole() const;
    /// How ids number points; every grid has as many axes as the one with the most.
    [[nodiscard]] std::vector<Certificate::Grid> numbering() const;
    /// The box with this smallest id and so many positions along each axis.
    [[nodiscard]] Box box_of(space::PointId first, std::span<std::uint32_t const> counts) const;
    /// The point of a box's grid at these positions; none: the box's first.
    [[nodiscard]] space::PointId at(Box const& box, Positions const& positions) const;
    /// Where a bound is best; nothing while the box is long along an axis of which that is not known.
    [[nodiscard]] std::optional<Positions> best_corner(Box const& box, std::size_t bound) const;
    /// All of the grid that has the same values along axes without a declared direction.
    [[nodiscard]] Box cell_of(Box const& box) const;
    /// How many boxes there are at least before anything is known: those with one value of each axis that has no
    /// declared direction.
    [[nodiscard]] double min_boxes() const;
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

/// What analytic lows say of boxes of points; highs, where more is better, are mirrored. The low of a metric over a box
/// is that of one point of it, the box's best corner, where the architecture declares how the low goes along each axis
/// that is not cut to one value yet; along others nothing is known before that. The low of a formula follows from those
/// of what it reads, each at its own corner. Conditions are not asked of a corner; where the architecture itself
/// refuses it, lows are those of longer boxes. Not to be used by two threads.
class SpaceGrids final : public Grids {
  public:
    /// The space must outlive it.
    explicit SpaceGrids(space::Space const& space) : axes_(space) {}

    [[nodiscard]] SpaceAxes const& axes() const { return axes_; }
    [[nodiscard]] std::vector<Box> whole() const override { return axes_.whole(); }
    /// Throws InputError where the low of an objective is calibrated only.
    [[nodiscard]] std::optional<Values> bound(Box const& box) override;
    /// The one along which lows rise most.
    [[nodiscard]] std::size_t axis_to_cut(Box const& box) override;
    [[nodiscard]] space::PointId first_of(Box const& box) const override { return axes_.at(box, {}); }

  private:
    /// Of each bound of the axes the number, mirrored where it is a high; -infinity where it is not known.
    using LowerBounds = std::vector<double>;
    /// What they are along an axis while all others are at their best: [bound][position].
    using Profile = std::vector<std::vector<double>>;

    [[nodiscard]] space::Space const& space() const { return axes_.space(); }
    [[nodiscard]] std::vector<SpaceGrid> const& grids() const { return axes_.grids(); }
    [[nodiscard]] LowerBounds const& lower_bounds_at(space::PointId point);
    [[nodiscard]] double lower_at(space::PointId point, std::size_t bound);
    [[nodiscard]] double lower_of(Box const& box, std::size_t bound);
    [[nodiscard]] double lower_around(Box const& box, std::size_t bound);
    [[nodiscard]] models::Metrics estimates_of(std::size_t machine, LowerBounds const& lower_bounds) const;
    [[nodiscard]] Values of_objectives(LowerBounds const& lower_bounds) const;
    [[nodiscard]] bool hopeless(Box const& box, LowerBounds const& lower_bounds) const;
    [[nodiscard]] std::vector<Profile> const& profiles_of(Box const& box);
    [[nodiscard]] double gain(Box const& box, std::size_t axis, Profile const& profile) const;

    SpaceAxes axes_;
    std::unordered_map<std::uint64_t, LowerBounds> lower_bounds_;  ///< of points that were looked at lately
    std::map<std::uint64_t, std::vector<Profile>> profiles_;       ///< by the smallest id of their cell
};

}  // namespace pimdse::dse::search
