#pragma once

#include "dse/search/bounded_search.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::dse::search {

/// A box of neighbouring points: a run of positions on each axis of a grid.
struct Box {
    struct Run {
        std::uint32_t first = 0, count = 1;
        bool operator==(Run const&) const = default;
    };
    std::uint32_t grid = 0;  ///< index of the grid, where there are several
    std::vector<Run> axes;

    /// Number of points. Precondition: fewer than 2^64.
    [[nodiscard]] std::uint64_t points() const;
    [[nodiscard]] bool is_point() const { return points() == 1; }
    /// Whether a point of the same grid is in it.
    [[nodiscard]] bool contains(Box const& point) const;
    /// The halves along an axis with at least two positions; the first half has the smaller positions and one more of
    /// an odd number.
    [[nodiscard]] std::pair<Box, Box> cut(std::size_t axis) const;
    bool operator==(Box const&) const = default;
};

/// Bounds of boxes before any point is evaluated at cycle level. Pure: a box always has the same bounds.
class Grids {
  public:
    virtual ~Grids() = default;
    /// All points of the space, as boxes.
    [[nodiscard]] virtual std::vector<Box> whole() const = 0;
    /// Lower bounds (the ideal point) of all points of the box; nullopt if no point of it is feasible at any level. For
    /// a single point, the bounds of its own coarse result. Only proved bounds count.
    [[nodiscard]] virtual std::optional<Values> bound(Box const& box) = 0;
    /// The axis along which a box of several points is split.
    [[nodiscard]] virtual std::size_t axis_to_cut(Box const& box) = 0;
    /// The smallest id in a box.
    [[nodiscard]] virtual space::PointId first_of(Box const& box) const = 0;
};

/// The pruned boxes, without those of their points that were evaluated all the same (by the audit).
class PrunedBoxes {
  public:
    struct Pruned {
        Values ideal{};
        Box box;
        bool cut = false;  ///< split from another box, around points that were taken out
    };
    struct Place {
        std::size_t box = 0;  ///< index in the order of add()
        Box point;
    };

    void add(Pruned pruned);
    /// Number of points, not counting those taken out.
    [[nodiscard]] std::uint64_t points() const { return points_ - taken_; }
    /// The point at a position among all points of all boxes, including those taken out.
    [[nodiscard]] Place at(std::uint64_t position) const;
    [[nodiscard]] Values const& ideal_point_of(Place const& place) const { return pruned_[place.box].ideal; }
    /// Removes a point. Precondition: it was not removed before.
    void take_out(Place const& place);
    /// The boxes, split as little as necessary around the points taken out.
    [[nodiscard]] std::vector<Pruned> pieces() const;

  private:
    std::vector<Pruned> pruned_;
    std::vector<std::uint64_t> before_;              ///< number of points in the boxes before each one
    std::map<std::size_t, std::vector<Box>> holes_;  ///< points taken out, by box
    std::uint64_t points_ = 0, taken_ = 0;
};

/// The same search as BoundedSearch for more points than can be listed: boxes of points are split in two, best ideal
/// point first, until a box is dominated by the front or is a single point to evaluate. A box whose ideal point is
/// dominated is never split.
class BoxSearch {
  public:
    using Settings = BoundedSearch::Settings;
    /// `grids` must outlive this object. `patience`: boxes that ask() visits before it returns to process results.
    BoxSearch(Settings settings, Grids& grids, BoundedSearch::KeyOf key_of,
              BoundedSearch::DifferenceOf difference_of = {}, std::uint64_t patience = 4096);

    /// Returns up to `max` points to evaluate at cycle level. Empty: results are needed first, unless waits() is true.
    /// Throws BrokenBound, BrokenKey.
    [[nodiscard]] std::vector<space::PointId> ask(std::uint64_t max);
    /// The result of a requested point, in any order. Throws BrokenBound, BrokenKey.
    void tell(space::PointId point, Reply const& reply);
    /// True if boxes remain to be visited although no point is in flight.
    [[nodiscard]] bool waits() const;

    /// The progress of the search; takes a few milliseconds at most.
    [[nodiscard]] Standing standing() const;
    [[nodiscard]] std::uint64_t runs() const { return bounded_search_.runs(); }
    [[nodiscard]] std::uint64_t bounded() const { return bounded_; }  ///< number of boxes that were bounded
    [[nodiscard]] std::vector<ParetoTree::Entry> members() const { return bounded_search_.members(); }
    /// The certificate, in boxes; the caller fills in `points`, `grids` and `lag`.
    [[nodiscard]] Certificate certificate() const;

  private:
    struct Node {
        double sum = 0.0;  ///< sum of the ideal point's objectives, each over its scale: a box that dominates another
                           ///< comes first
        Values ideal{};
        space::PointId first{};
        Box box;
        bool operator<(Node const& other) const;
    };

    [[nodiscard]] double sum_of(Values const& ideal);
    void put(Box box, Values const* parent);
    void prune(Node node) { pruned_.add({node.ideal, std::move(node.box)}); }
    void wait_for(space::PointId by, Node node);
    void visit_next(std::vector<space::PointId>& runs);
    void look_at(Node node, std::vector<space::PointId>& runs);
    void run(Node node, std::vector<space::PointId>& runs);
    [[nodiscard]] std::vector<space::PointId> audited(std::uint64_t max);
    void put_leaf(Node const& node, Certificate& into) const;

    Settings settings_;
    std::uint64_t max_patience_;
    Grids& grids_;
    BoundedSearch bounded_search_;
    WaitingQueue<Node> queue_;
    PrunedBoxes pruned_;
    std::vector<Box> refused_;  ///< boxes without a feasible point
    Values scale_{};
    bool scaled_ = false;
    std::size_t axes_ = 0;                           ///< number of axes of every box
    std::uint64_t points_ = 0, refused_points_ = 0;  ///< points in all boxes, in refused boxes
    std::uint64_t patience_ = 0, bounded_ = 0;
};

}  // namespace pimdse::dse::search
