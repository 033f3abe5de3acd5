#pragma once

#include "dse/search/box_search.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/table_bounds.hpp"
#include "dse/space/space.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::search {

/// The end of an axis at which the lower bound of an objective is best, as declared by its architecture. `in_rows`: the
/// axis is a key of the table that gives the metric, and the rows of a box have its best value.
enum class BestEnd : std::uint8_t { first, last, any, in_rows, unknown };

/// An end of a metric's interval that an objective, or a formula that is an objective, depends on.
struct TrackedBound {
    std::size_t metric = 0;                       ///< of the space
    models::Sense end = models::Sense::minimize;  ///< minimize: the lower bound, maximize: the upper bound
    bool operator==(TrackedBound const&) const = default;
};

/// An axis of a grid: a parameter with several values.
struct GridAxis {
    std::size_t parameter = 0;
    std::uint64_t stride = 1, size = 1;
    bool ordered = false;       ///< its values are numbers in ascending or descending order
    std::vector<BestEnd> best;  ///< one entry per bound
    [[nodiscard]] bool declared() const;
};

/// The grid of a machine's points.
struct SpaceGrid {
    std::uint64_t first = 0;  ///< smallest id
    std::vector<GridAxis> axes;
    std::vector<int> own_metrics;  ///< per bound: position among the machine's metrics; -1: made of several
};

/// The points of a space as grids, one per machine: their axes and the numbering of ids.
class SpaceAxes {
  public:
    /// One position for each axis of a grid.
    using Positions = std::vector<std::uint32_t>;

    /// The space must outlive this object.
    explicit SpaceAxes(space::Space const& space);

    [[nodiscard]] space::Space const& space() const { return space_; }
    [[nodiscard]] std::vector<SpaceGrid> const& grids() const { return grids_; }
    /// The bounds of the objectives in order; for an objective that is a formula, the bounds of its metrics.
    [[nodiscard]] std::vector<TrackedBound> const& bounds() const { return bounds_; }
    [[nodiscard]] std::vector<Box> whole() const;
    /// The numbering of ids; every grid has as many axes as the one with the most.
    [[nodiscard]] std::vector<Certificate::Grid> numbering() const;
    /// The box with this smallest id and these numbers of positions along each axis.
    [[nodiscard]] Box box_of(space::PointId first, std::span<std::uint32_t const> counts) const;
    /// The point of a box's grid at these positions; with empty positions, the first point of the box.
    [[nodiscard]] space::PointId at(Box const& box, Positions const& positions) const;
    /// The positions at which a bound that no table gives is best; nullopt if the box has several positions along an
    /// axis for which this is unknown.
    [[nodiscard]] std::optional<Positions> best_corner(Box const& box, std::size_t bound) const;
    /// The tables of a machine.
    [[nodiscard]] TableBounds const& tables(std::size_t machine) const { return tables_[machine]; }
    /// The positions of a box on the axis of every parameter of its machine.
    [[nodiscard]] std::vector<Box::Run> runs_of(Box const& box) const;
    /// The part of the grid with the same values along axes without a declared direction.
    [[nodiscard]] Box cell_of(Box const& box) const;
    /// The smallest number of boxes that have bounds: one for each combination of values along axes without a declared
    /// direction.
    [[nodiscard]] double min_boxes() const;
    /// Parameters with several values and no declared direction.
    [[nodiscard]] std::vector<std::string> undeclared() const;

  private:
    [[nodiscard]] SpaceGrid grid_of(std::size_t machine) const;
    [[nodiscard]] std::vector<BestEnd> best_of(std::size_t machine, std::size_t parameter) const;

    void track();
    void track(TrackedBound const& bound);

    space::Space const& space_;
    std::vector<TableBounds> tables_;  ///< by machine
    std::vector<TrackedBound> bounds_;
    std::vector<SpaceGrid> grids_;
    std::size_t width_ = 0;  ///< number of axes of every box
};

/// Analytic lower bounds of boxes of points; upper bounds of maximised metrics are negated. The lower bound of a metric
/// over a box is that of one point, the box's best corner, if the architecture declares how the bound changes along
/// each axis on which the box has several values; otherwise the box has no bound until it is split to one value there.
/// The bound of a metric that a table gives is the best value in the rows of the box, and a box without rows is
/// refused. The lower bound of a formula follows from those of its metrics, each at its own best corner. Constraints
/// are not checked there; if the architecture itself refuses it, bounds of larger boxes are used. Not thread-safe.
class SpaceGrids final : public Grids {
  public:
    /// The space must outlive this object.
    explicit SpaceGrids(space::Space const& space) : axes_(space) {}

    [[nodiscard]] SpaceAxes const& axes() const { return axes_; }
    [[nodiscard]] std::vector<Box> whole() const override { return axes_.whole(); }
    /// Throws InputError if the lower bound of an objective is only calibrated.
    [[nodiscard]] std::optional<Values> bound(Box const& box) override;
    /// The axis along which lower bounds increase most.
    [[nodiscard]] std::size_t axis_to_cut(Box const& box) override;
    [[nodiscard]] space::PointId first_of(Box const& box) const override { return axes_.at(box, {}); }

  private:
    /// The value of each bound of the axes, negated for an upper bound; -infinity if unknown.
    using LowerBounds = std::vector<double>;
    /// Bounds along one axis while all other axes are at their best: [bound][position].
    using Profile = std::vector<std::vector<double>>;

    [[nodiscard]] space::Space const& space() const { return axes_.space(); }
    [[nodiscard]] std::vector<SpaceGrid> const& grids() const { return axes_.grids(); }
    [[nodiscard]] LowerBounds const& lower_bounds_at(space::PointId point);
    [[nodiscard]] double lower_at(space::PointId point, std::size_t bound);
    [[nodiscard]] double lower_of(Box const& box, std::size_t bound);
    [[nodiscard]] double lower_around(Box const& box, std::size_t bound);
    [[nodiscard]] std::optional<double> lower_in_rows(Box const& box, std::size_t bound) const;
    [[nodiscard]] models::Metrics estimates_of(Box const& box, LowerBounds const& lower_bounds) const;
    [[nodiscard]] Values of_objectives(LowerBounds const& lower_bounds) const;
    [[nodiscard]] bool hopeless(Box const& box, LowerBounds const& lower_bounds) const;
    [[nodiscard]] std::vector<Profile> const& profiles_of(Box const& box);
    [[nodiscard]] double gain(Box const& box, std::size_t axis, Profile const& profile) const;

    SpaceAxes axes_;
    std::unordered_map<std::uint64_t, LowerBounds> lower_bounds_;  ///< cache of recently used points
    std::map<std::uint64_t, std::vector<Profile>> profiles_;       ///< by the smallest id of the cell
};

}  // namespace pimdse::dse::search
