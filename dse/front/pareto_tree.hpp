#pragma once

#include "dse/front/plane_front.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace pimdse::dse::front {

/// A set of vectors of which none covers another, all minimised, in a tree of bounding boxes (after Jaszkiewicz and
/// Lust's ND-tree): whole boxes are skipped or dropped at once, so an insertion looks at a small part of the set. Up to
/// two dimensions need no tree.
class ParetoTree {
  public:
    static constexpr std::size_t most_dimensions = front::most_dimensions;
    using Entry = front::Entry;
    using Vector = decltype(Entry::values);

    explicit ParetoTree(std::size_t dimensions) : dimensions_(dimensions), plane_(dimensions) {}

    /// True if the entry is a member now. Equal vectors: the smaller id stays. Values must not be NaN.
    bool insert(Entry const& entry);
    /// A member at least as good in every dimension, or nullptr.
    [[nodiscard]] Entry const* cover(Vector const& values) const;
    [[nodiscard]] std::size_t size() const { return flat() ? plane_.size() : root_ ? root_->count : 0; }
    /// In no order that means anything.
    [[nodiscard]] std::vector<Entry> entries() const;
    void clear() {
        root_.reset();
        plane_.clear();
    }

  private:
    static constexpr std::size_t leaf_capacity = 24;
    struct Node {
        Vector low{}, high{};              ///< a box around all entries below; may be wider than needed
        std::size_t count = 0;             ///< entries below
        std::size_t built = 0;             ///< count when the shape was last chosen
        std::vector<Entry> entries;        ///< of a leaf
        std::unique_ptr<Node> less, more;  ///< both or none; split: values[axis] < at goes to `less`
        std::size_t axis = 0;              ///< of a leaf: where to begin when it splits
        double at = 0.0;
        [[nodiscard]] bool leaf() const { return less == nullptr; }
    };
    using Link = std::unique_ptr<Node>;

    [[nodiscard]] bool flat() const { return dimensions_ <= 2; }
    [[nodiscard]] Entry* cover_below(Node& node, Vector const& values) const;
    void drop_dominated(Link& link, Vector const& values);
    void drop_in_leaf(Node& leaf, Vector const& values) const;
    void add(Node& node, Entry const& entry);
    void grow(Node& node, Vector const& values) const;
    void fit(Node& node) const;
    [[nodiscard]] Link build(std::vector<Entry> entries, std::size_t first_axis) const;
    [[nodiscard]] bool choose_split(Node& node, std::size_t first_axis) const;
    static void collect(Node const& node, std::vector<Entry>& into);
    [[nodiscard]] static bool lopsided(Node const& node);
    [[nodiscard]] bool covers(Vector const& a, Vector const& b) const;

    std::size_t dimensions_;
    Link root_;
    PlaneFront plane_;  ///< in place of the tree, where it is flat
};

}  // namespace pimdse::dse::front
