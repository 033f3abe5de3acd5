#pragma once

#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::dse::search {

/// The status of a point or a box of points, judged by its ideal point and its smallest id.
struct SearchStatus {
    enum class Kind : std::uint8_t { free, dominated, blocked, evaluated };
    Kind kind = Kind::free;
    space::PointId by{};  ///< `blocked`: the point in flight that may dominate it or has its cycle key; `dominated`:
                          ///< the dominating member
};

/// A priority queue of points or boxes (`T`, the smallest first) that may have to wait for the result of a point in
/// flight. Whatever waits for one point is a tree, a leftist heap in which every subtree knows its best objectives and
/// the smallest id with all of them. A tree is judged as a whole, and taken apart only if this does not decide it. So a
/// search in which each result releases nearly all that waits, and the next point in flight blocks it again, takes n
/// log n steps instead of n^2.
template <class T>
class WaitingQueue {
  public:
    explicit WaitingQueue(std::size_t objectives) : objectives_(objectives) {}

    /// Number of things in the queue, including those that wait.
    [[nodiscard]] std::size_t size() const { return nodes_.size() - unused_.size(); }
    /// True if nothing can be visited before another result.
    [[nodiscard]] bool idle() const { return ready_.empty(); }
    /// The next thing to visit. Precondition: !idle().
    [[nodiscard]] T const& first() const { return nodes_[ready_.front()].thing; }

    void put(T thing, space::PointId id, Values const& ideal) { push(plant(std::move(thing), id, ideal)); }
    void wait_for(space::PointId by, T thing, space::PointId id, Values const& ideal) {
        wait_for(by, plant(std::move(thing), id, ideal));
    }
    /// `by` has a result: what waited for it can be visited.
    void release(space::PointId by) {
        if (auto const tree = waiting_.extract(by)) push(tree.mapped());
    }
    /// Visits the first tree. judge(id, ideal) returns the SearchStatus of everything that has a worse ideal point, or
    /// this one and no smaller id; prune(thing) gets everything that is dominated. If the status of the
    /// tree is `free`, or it is a single thing, returns its first thing, which is no longer in the queue and yet to be
    /// judged. Precondition: !idle().
    template <class Judge, class Prune>
    [[nodiscard]] std::optional<T> visit(Judge const& judge, Prune const& prune) {
        auto const tree = pop();
        auto const& root = nodes_[tree];
        auto const status = root.left == none ? SearchStatus{} : judge(root.id, ideal_of(tree));
        if (status.kind == SearchStatus::Kind::blocked) {
            wait_for(status.by, tree);
            return std::nullopt;
        }
        if (status.kind == SearchStatus::Kind::dominated) {
            each_in(tree, [&](Tree node) {
                prune(remove(node));
                return true;
            });
            return std::nullopt;
        }
        for (auto const child : {root.left, root.right})
            if (child != none) push(child);
        return remove(tree);
    }
    /// Calls look(thing) for up to `max` things, beginning with trees that can be visited.
    template <class Look>
    void each(std::size_t max, Look const& look) const {
        auto const look_at = [&](Tree tree) {
            each_in(tree, [&](Tree node) {
                if (max > 0) look(nodes_[node].thing);
                return max > 0 && --max > 0;
            });
        };
        for (auto const tree : ready_) look_at(tree);
        for (auto const& [by, tree] : waiting_) look_at(tree);
    }

  private:
    using Tree = std::uint32_t;  ///< the position of its root among the nodes
    static constexpr Tree none = ~Tree{0};
    struct Node {
        T thing;
        space::PointId id{};  ///< the smallest one in the tree that has its best objectives; the largest id if none has
        Tree left = none, right = none;
        std::uint8_t depth = 1;  ///< nodes on the way along the right children, the shortest one to a leaf
    };

    [[nodiscard]] Tree plant(T thing, space::PointId id, Values const& ideal) {
        if (unused_.empty()) {
            sim::expects(nodes_.size() < none, "fewer than 2^32 things are in the queue");
            unused_.push_back(static_cast<Tree>(nodes_.size()));
            nodes_.emplace_back();
            ideals_.resize(nodes_.size() * objectives_);
        }
        auto const tree = unused_.back();
        unused_.pop_back();
        nodes_[tree] = {std::move(thing), id};
        std::copy_n(ideal.begin(), objectives_, ideals_.begin() + static_cast<std::ptrdiff_t>(tree * objectives_));
        return tree;
    }
    [[nodiscard]] T remove(Tree node) {
        unused_.push_back(node);
        return std::exchange(nodes_[node].thing, T{});
    }
    /// The best objectives in the tree.
    [[nodiscard]] Values ideal_of(Tree tree) const {
        Values ideal{};
        std::copy_n(ideals_.begin() + static_cast<std::ptrdiff_t>(tree * objectives_), objectives_, ideal.begin());
        return ideal;
    }
    [[nodiscard]] auto comes_later() const {
        return [this](Tree a, Tree b) { return nodes_[b].thing < nodes_[a].thing; };
    }
    void push(Tree tree) {
        ready_.push_back(tree);
        std::ranges::push_heap(ready_, comes_later());
    }
    [[nodiscard]] Tree pop() {
        std::ranges::pop_heap(ready_, comes_later());
        auto const tree = ready_.back();
        ready_.pop_back();
        return tree;
    }
    void wait_for(space::PointId by, Tree tree) {
        auto& all = waiting_.try_emplace(by, none).first->second;
        all = joined(all, tree);
    }
    /// Recursive along right children: at most log2 n calls.
    [[nodiscard]] Tree joined(Tree a, Tree b) {
        if (a == none || b == none) return a == none ? b : a;
        if (nodes_[b].thing < nodes_[a].thing) std::swap(a, b);
        auto const right = joined(nodes_[a].right, b);
        auto& root = nodes_[a];
        root.right = right;
        if (depth_of(root.left) < depth_of(root.right)) std::swap(root.left, root.right);
        root.depth = static_cast<std::uint8_t>(depth_of(root.right) + 1);
        take_best(a, b);
        return a;
    }
    /// Joins the best objectives of `b` into those of `a`.
    void take_best(Tree a, Tree b) {
        bool a_has_all = true, b_has_all = true;
        for (std::size_t i = 0; i < objectives_; ++i) {
            double const of_a = ideals_[a * objectives_ + i], of_b = ideals_[b * objectives_ + i];
            ideals_[a * objectives_ + i] = std::min(of_a, of_b);
            a_has_all = a_has_all && of_a <= of_b;
            b_has_all = b_has_all && of_b <= of_a;
        }
        space::PointId const none_has{~std::uint64_t{0}};
        nodes_[a].id = std::min(a_has_all ? nodes_[a].id : none_has, b_has_all ? nodes_[b].id : none_has);
    }
    [[nodiscard]] std::uint8_t depth_of(Tree tree) const { return tree == none ? std::uint8_t{0} : nodes_[tree].depth; }
    /// Calls look(node), which may remove the node, until it returns false.
    template <class Look>
    void each_in(Tree tree, Look const& look) const {
        std::vector<Tree> rest{tree};
        while (!rest.empty()) {
            auto const node = rest.back();
            rest.pop_back();
            for (auto const child : {nodes_[node].right, nodes_[node].left})
                if (child != none) rest.push_back(child);
            if (!look(node)) return;
        }
    }

    std::size_t objectives_;
    std::vector<Node> nodes_;
    std::vector<double> ideals_;  ///< the best objectives of each tree, all numbers of a tree together
    std::vector<Tree> unused_;
    std::vector<Tree> ready_;                 ///< a heap, the smallest on top
    std::map<space::PointId, Tree> waiting_;  ///< by the point in flight
};

}  // namespace pimdse::dse::search
