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
    [[nodiscard]] virtual space::PointId first_of(Box const& box) const = 0;
};

/// Boxes that are closed, without the points of theirs that were answered all the same.
class PrunedBoxes {
  public:
    struct Pruned {
        Values ideal{};
        Box box;
        bool cut = false;  ///< from another one, around what was taken out
    };
    struct Place {
        std::size_t box = 0;  ///< in the order in which they were added
        Box point;
    };

    void add(Pruned pruned);
    /// But for those taken out.
    [[nodiscard]] std::uint64_t points() const { return points_ - taken_; }
    /// The point at a position, of all points of all boxes; also one that was taken out.
    [[nodiscard]] Place at(std::uint64_t position) const;
    [[nodiscard]] Values const& ideal_point_of(Place const& place) const { return pruned_[place.box].ideal; }
    /// Precondition: it is in.
    void take_out(Place const& place);
    /// As few boxes as it takes, around what was taken out.
    [[nodiscard]] std::vector<Pruned> pieces() const;

  private:
    std::vector<Pruned> pruned_;
    std::vector<std::uint64_t> before_;              ///< points of boxes before each one
    std::map<std::size_t, std::vector<Box>> holes_;  ///< points
    std::uint64_t points_ = 0, taken_ = 0;
};

/// As Ladder, for more points than are listed: boxes of points are cut in two, best ideal point first, until a box is
/// covered by the front or is a point to be answered. A box whose ideal point is covered is never looked into.
class BoxSearch {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t max_runs = 0;     ///< answers at most; 0: as many as it takes
        std::uint64_t patience = 4096;  ///< boxes looked at before more is told, or before it is asked again
        double epsilon = 0.0;           ///< as in Ladder::Settings, like the next two
        std::uint64_t audit = 0, seed = 1;
    };
    /// `grids` must outlive it.
    BoxSearch(Settings settings, Grids& grids, BoundedSearch::KeyOf key_of,
              BoundedSearch::DifferenceOf difference_of = {});

    /// Points to be answered at cycle level, at most so many. None: nothing is to be asked before more is told, unless
    /// it waits. Throws BrokenBound, BrokenKey.
    [[nodiscard]] std::vector<space::PointId> ask(std::uint64_t max);
    /// The answer of a point that was asked for, in any order. Throws BrokenBound, BrokenKey.
    void tell(space::PointId point, Reply const& reply);
    /// True if there is more to look at although nothing is under way.
    [[nodiscard]] bool waits() const;

    /// Where it stands; costs a few milliseconds at most.
    [[nodiscard]] Standing standing() const;
    [[nodiscard]] std::uint64_t runs() const { return bounded_search_.runs(); }
    [[nodiscard]] std::uint64_t bounded() const { return bounded_; }  ///< boxes that were given a bound
    [[nodiscard]] std::vector<ParetoTree::Entry> members() const { return bounded_search_.members(); }
    /// Of these points, in boxes; `points`, `grids` and `lag` are for the caller to fill in.
    [[nodiscard]] Certificate certificate() const;

  private:
    struct Node {
        double sum = 0.0;  ///< of the ideal point, each objective over its scale: a box that covers another comes first
        Values ideal{};
        space::PointId first{};
        Box box;
    };
    struct ComesLater {
        bool operator()(Node const& a, Node const& b) const;
    };

    [[nodiscard]] double sum_of(Values const& ideal);
    void put(Box box, Values const* parent);
    [[nodiscard]] Node take();
    void look_at(Node node, std::vector<space::PointId>& runs);
    void run(Node node, std::vector<space::PointId>& runs);
    [[nodiscard]] std::vector<space::PointId> audited(std::uint64_t max);
    void put_leaf(Node const& node, Certificate& into) const;

    Settings settings_;
    Grids& grids_;
    BoundedSearch bounded_search_;
    std::vector<Node> heap_;
    std::map<space::PointId, std::vector<Node>> blocked_;  ///< by what is under way
    PrunedBoxes pruned_;
    std::vector<Box> refused_;  ///< no point of which is feasible
    Values scale_{};
    bool scaled_ = false;
    std::size_t axes_ = 0;                           ///< of every box
    std::uint64_t points_ = 0, refused_points_ = 0;  ///< in all boxes, in refused ones
    std::uint64_t patience_ = 0, bounded_ = 0;
};

}  // namespace pimdse::dse::search
