#pragma once

#include "dse/space/result.hpp"
#include "models/contract/architecture.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The answers nobody dominates, for 1 to 6 objectives. A set: the order of insertion does not matter. Of several
/// points with equal objective vectors the one with the smallest id is kept.
class Archive {
  public:
    static constexpr std::size_t max_objectives = 6;

    /// One sense per objective, minimize or maximize. Throws InputError when there are none or more than six.
    explicit Archive(std::vector<models::Sense> senses);
    ~Archive();
    Archive(Archive&&) noexcept;
    Archive& operator=(Archive&&) noexcept;

    struct Member {
        space::PointId point{};
        std::vector<double> values;  ///< in the order and orientation of the objectives
        bool operator==(Member const&) const = default;
    };

    /// Offers a point with one value per objective. True if it is a member now; members it dominates leave.
    /// A vector with a NaN is never kept. Offering a member again changes nothing and returns true.
    bool insert(space::PointId point, std::span<double const> values);

    /// True if some member is at least as good in every objective; such a vector could at most tie.
    [[nodiscard]] bool dominates(std::span<double const> values) const;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::vector<models::Sense> const& senses() const { return senses_; }
    /// Sorted by id.
    [[nodiscard]] std::vector<space::PointId> ids() const;
    /// Sorted by id.
    [[nodiscard]] std::vector<Member> members() const;
    void clear();

  private:
    using Vector = std::array<double, max_objectives>;
    [[nodiscard]] std::optional<Vector> oriented(std::span<double const> values) const;
    std::vector<models::Sense> senses_;
    std::unique_ptr<class ParetoTree> tree_;
};

inline constexpr std::size_t max_dimensions = 6;

/// A point and its values, all minimised; values beyond the dimensions in use mean nothing.
struct Entry {
    std::array<double, max_dimensions> values{};
    space::PointId point{};
};

/// A set of vectors of one or two values of which none covers another, all minimised. As the first value grows the
/// second falls, so a search among the first ones finds who may cover: a logarithm of the set's size.
class PlaneFront {
  public:
    using Vector = decltype(Entry::values);

    explicit PlaneFront(std::size_t dimensions) : second_(dimensions - 1) {}

    /// True if the entry is a member now. Equal vectors: the smaller id stays. Values must not be NaN.
    bool insert(Entry const& entry);
    /// A member at least as good in both values, or nullptr.
    [[nodiscard]] Entry const* dominator(Vector const& values) const;
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    /// By the first value.
    [[nodiscard]] std::vector<Entry> entries() const;
    void clear() { members_.clear(); }

  private:
    std::size_t second_;               ///< which value falls: of one dimension there is one value, which is both
    std::map<double, Entry> members_;  ///< by the first value
};

/// A set of vectors of which none covers another, all minimised, in a tree of bounding boxes (after Jaszkiewicz and
/// Lust's ND-tree): whole boxes are skipped or dropped at once, so an insertion looks at a small part of the set. Up to
/// two dimensions need no tree.
class ParetoTree {
  public:
    static constexpr std::size_t max_dimensions = search::max_dimensions;
    using Entry = search::Entry;
    using Vector = decltype(Entry::values);

    explicit ParetoTree(std::size_t dimensions) : dimensions_(dimensions), plane_(dimensions) {}

    /// True if the entry is a member now. Equal vectors: the smaller id stays. Values must not be NaN.
    bool insert(Entry const& entry);
    /// A member at least as good in every dimension, or nullptr.
    [[nodiscard]] Entry const* dominator(Vector const& values) const;
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
        Vector lower{}, upper{};           ///< a box around all entries below; may be wider than needed
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
    [[nodiscard]] Entry* dominator_below(Node& node, Vector const& values) const;
    void drop_dominated(Link& link, Vector const& values);
    void drop_in_leaf(Node& leaf, Vector const& values) const;
    void add(Node& node, Entry const& entry);
    void grow(Node& node, Vector const& values) const;
    void fit(Node& node) const;
    [[nodiscard]] Link build(std::vector<Entry> entries, std::size_t first_axis) const;
    [[nodiscard]] bool choose_split(Node& node, std::size_t first_axis) const;
    static void collect(Node const& node, std::vector<Entry>& into);
    [[nodiscard]] static bool lopsided(Node const& node);
    [[nodiscard]] bool dominates(Vector const& a, Vector const& b) const;

    std::size_t dimensions_;
    Link root_;
    PlaneFront plane_;  ///< in place of the tree, where it is flat
};

}  // namespace pimdse::dse::search
