#pragma once

#include "dse/ladder/box.hpp"
#include "dse/ladder/closed_boxes.hpp"
#include "dse/ladder/ladder.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace pimdse::dse::ladder {

/// As Ladder, for more points than are listed: boxes of points are cut in two, best corner first, until a box is
/// covered by the front or is a point to be answered. A box whose corner is covered is never looked into.
class BoxSearch {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t most_runs = 0;    ///< answers at most; 0: as many as it takes
        std::uint64_t patience = 4096;  ///< boxes looked at before more is told, or before it is asked again
        double epsilon = 0.0;           ///< as in Ladder::Settings, like the next two
        std::uint64_t audit = 0, seed = 1;
    };
    /// `grids` must outlive it.
    BoxSearch(Settings settings, Grids& grids, Ladder::KeyOf key_of, Ladder::DifferenceOf difference_of = {});

    /// Points to be answered at cycle level, at most so many. None: nothing is to be asked before more is told, unless
    /// it waits. Throws BrokenBound, BrokenKey.
    [[nodiscard]] std::vector<task::PointId> ask(std::uint64_t most);
    /// The answer of a point that was asked for, in any order. Throws BrokenBound, BrokenKey.
    void tell(task::PointId point, Reply const& reply);
    /// True if there is more to look at although nothing is under way.
    [[nodiscard]] bool waits() const;

    /// Where it stands; costs a few milliseconds at most.
    [[nodiscard]] task::Standing standing() const;
    [[nodiscard]] std::uint64_t runs() const { return ladder_.runs(); }
    [[nodiscard]] std::uint64_t bounded() const { return bounded_; }  ///< boxes that were given a bound
    [[nodiscard]] std::vector<front::ParetoTree::Entry> members() const { return ladder_.members(); }
    /// Of these points, in boxes; `points`, `grids` and `lag` are for the caller to fill in.
    [[nodiscard]] task::Certificate certificate() const;

  private:
    struct Node {
        double sum = 0.0;  ///< of the corner, each objective over its scale: a box that covers another comes first
        Values corner{};
        task::PointId first{};
        Box box;
    };
    struct ComesLater {
        bool operator()(Node const& a, Node const& b) const;
    };

    [[nodiscard]] double sum_of(Values const& corner);
    void put(Box box, Values const* parent);
    [[nodiscard]] Node take();
    void look_at(Node node, std::vector<task::PointId>& runs);
    void run(Node node, std::vector<task::PointId>& runs);
    [[nodiscard]] std::vector<task::PointId> audited(std::uint64_t most);
    void put_leaf(Node const& node, task::Certificate& into) const;

    Settings settings_;
    Grids& grids_;
    Ladder ladder_;
    std::vector<Node> heap_;
    std::map<task::PointId, std::vector<Node>> blocked_;  ///< by what is under way
    ClosedBoxes closed_;
    std::vector<Box> refused_;  ///< no point of which is feasible
    Values scale_{};
    bool scaled_ = false;
    std::size_t axes_ = 0;                           ///< of every box
    std::uint64_t points_ = 0, refused_points_ = 0;  ///< in all boxes, in refused ones
    std::uint64_t patience_ = 0, bounded_ = 0;
};

}  // namespace pimdse::dse::ladder
