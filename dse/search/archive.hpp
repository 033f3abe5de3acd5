#pragma once

#include "dse/space/result.hpp"
#include "models/contract/metric.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The non-dominated results for 1 to 6 objectives. A set: the order of insertion does not matter. Of points with equal
/// objective vectors, the one with the smallest id is kept.
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

    /// Inserts a point with one value per objective; members that it dominates are removed. Returns true if the point
    /// is a member afterwards. A vector with a NaN is never kept. Inserting a member again changes nothing and returns
    /// true.
    bool insert(space::PointId point, std::span<double const> values);

    /// True if a member weakly dominates the vector: it is at least as good in every objective.
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

/// A point and its values, all minimised; values beyond the dimensions in use are unspecified.
struct Entry {
    std::array<double, max_dimensions> values{};
    space::PointId point{};
};

/// A set of mutually non-dominated vectors of one or two values, all minimised. The second value falls as the first one
/// grows, so a binary search by the first value finds a dominating member in logarithmic time.
class PlaneFront {
  public:
    using Vector = decltype(Entry::values);

    explicit PlaneFront(std::size_t dimensions) : second_(dimensions - 1) {}

    /// Returns true if the entry is a member afterwards. Of equal vectors the one with the smaller id stays. Values
    /// must not be NaN.
    bool insert(Entry const& entry);
    /// A member that is at least as good in both values, or nullptr.
    [[nodiscard]] Entry const* dominator(Vector const& values) const;
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    /// Sorted by the first value.
    [[nodiscard]] std::vector<Entry> entries() const;
    void clear() { members_.clear(); }

  private:
    std::size_t second_;               ///< index of the value that falls; in one dimension it is also the first value
    std::map<double, Entry> members_;  ///< by their first values
};

/// A set of mutually non-dominated vectors, all minimised, in a tree of bounding boxes (after Jaszkiewicz and Lust's
/// ND-tree): whole boxes are skipped or dropped at once, so an insertion visits a small part of the set. For one or two
/// dimensions a PlaneFront is used instead.
class ParetoTree {
  public:
    static constexpr std::size_t max_dimensions = search::max_dimensions;
    using Entry = search::Entry;
    using Vector = decltype(Entry::values);

    explicit ParetoTree(std::size_t dimensions) : dimensions_(dimensions), plane_(dimensions) {}

    /// Returns true if the entry is a member afterwards. Of equal vectors the one with the smaller id stays. Values
    /// must not be NaN.
    bool insert(Entry const& entry);
    /// A member that is at least as good in every dimension, or nullptr.
    [[nodiscard]] Entry const* dominator(Vector const& values) const;
    [[nodiscard]] std::size_t size() const { return flat() ? plane_.size() : root_ ? root_->count : 0; }
    /// In unspecified order.
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
        std::vector<Entry> entries;        ///< in a leaf only
        std::unique_ptr<Node> less, more;  ///< both or none; split: values[axis] < at goes to `less`
        std::size_t axis = 0;              ///< in a leaf: the first axis to try when it is split
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
    PlaneFront plane_;  ///< used instead of the tree for one or two dimensions
};

}  // namespace pimdse::dse::search
