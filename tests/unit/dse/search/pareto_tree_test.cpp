#include "dse/search/archive.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace pimdse::dse::search::pareto_tree_test {
namespace {

using Vector = ParetoTree::Vector;
constexpr double infinite = std::numeric_limits<double>::infinity();

bool as_good(Vector const& a, Vector const& b, std::size_t dimensions) {
    return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(dimensions), b.begin(), std::less_equal<>());
}

/// The same set as a list that is looked through.
class Listed {
  public:
    explicit Listed(std::size_t dimensions) : dimensions_(dimensions) {}

    bool insert(Entry const& entry) {
        for (auto& member : members_) {
            bool const dominated = as_good(member.values, entry.values, dimensions_);
            if (dominated && as_good(entry.values, member.values, dimensions_) &&
                index_of(entry.point) < index_of(member.point)) {
                member.point = entry.point;
                return true;
            }
            if (dominated) return false;
        }
        std::erase_if(members_, [&](Entry const& m) { return as_good(entry.values, m.values, dimensions_); });
        members_.push_back(entry);
        return true;
    }
    [[nodiscard]] bool dominates(Vector const& values) const {
        return std::ranges::any_of(members_, [&](Entry const& m) { return as_good(m.values, values, dimensions_); });
    }
    [[nodiscard]] std::vector<Entry> entries() const { return members_; }

  private:
    std::size_t dimensions_;
    std::vector<Entry> members_;
};

/// Vectors and ids in an order of their own, so that sets can be compared.
std::vector<std::pair<Vector, std::uint64_t>> sorted(std::vector<Entry> const& entries) {
    std::vector<std::pair<Vector, std::uint64_t>> all;
    for (auto const& entry : entries) all.emplace_back(entry.values, index_of(entry.point));
    std::ranges::sort(all);
    return all;
}

/// Few levels: many equal values and vectors. `shape` 0: anywhere; 1: near a plane, so that most are members; 2: better
/// and better, so that whole boxes fall.
Vector drawn(std::size_t dimensions, int levels, int shape, int turn, std::mt19937_64& random) {
    Vector values{};
    double sum = 0.0;
    for (std::size_t i = 0; i < dimensions; ++i) {
        values[i] = static_cast<double>(random() % static_cast<std::uint64_t>(levels));
        if (shape == 1 && i + 1 == dimensions) values[i] = static_cast<double>(levels) * 2.0 - sum;
        if (shape == 2) values[i] -= turn / 20;
        if (random() % 97 == 0) values[i] = infinite;
        if (random() % 997 == 0) values[i] = -infinite;
        sum += values[i];
    }
    return values;
}

void compare(std::size_t dimensions, int levels, int shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ParetoTree tree(dimensions);
    Listed list(dimensions);
    for (int turn = 0; turn < 600; ++turn) {
        Entry entry{};
        entry.values = drawn(dimensions, levels, shape, turn, random);
        if (std::ranges::any_of(entry.values, [](double v) { return std::isnan(v); })) continue;
        entry.point = space::PointId{random() % 10'000};
        ASSERT_EQ(tree.insert(entry), list.insert(entry)) << "turn " << turn;
        auto const probe = drawn(dimensions, levels, 0, 0, random);
        auto const* by = tree.dominator(probe);
        ASSERT_EQ(by != nullptr, list.dominates(probe)) << "turn " << turn;
        if (by != nullptr) {
            ASSERT_TRUE(as_good(by->values, probe, dimensions));
        }
    }
    ASSERT_EQ(tree.size(), list.entries().size());
    ASSERT_EQ(sorted(tree.entries()), sorted(list.entries()));
    tree.clear();
    EXPECT_EQ(tree.size(), 0U);
    EXPECT_EQ(tree.dominator(Vector{}), nullptr);
    EXPECT_TRUE(tree.entries().empty());
}

TEST(ParetoTree, is_what_a_list_that_is_looked_through_is) {
    std::uint64_t seed = 1;
    for (std::size_t dimensions = 1; dimensions <= ParetoTree::max_dimensions; ++dimensions) {
        for (int const levels : {2, 5, 40, 1'000'000}) {
            for (int const shape : {0, 1, 2}) {
                SCOPED_TRACE(testing::Message()
                             << dimensions << " dimensions, " << levels << " levels, shape " << shape);
                compare(dimensions, levels, shape, seed++);
            }
        }
    }
}

TEST(ParetoTree, keeps_the_smaller_id_of_equal_vectors_in_any_order) {
    for (std::size_t dimensions = 1; dimensions <= ParetoTree::max_dimensions; ++dimensions) {
        std::vector<std::uint64_t> ids{7, 3, 9, 1, 4};
        std::ranges::sort(ids);
        do {
            ParetoTree tree(dimensions);
            for (auto const id : ids) {
                Entry entry{};
                entry.point = space::PointId{id};
                tree.insert(entry);
            }
            ASSERT_EQ(tree.size(), 1U);
            ASSERT_EQ(index_of(tree.entries().front().point), 1U);
        } while (std::ranges::next_permutation(ids).found);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::pareto_tree_test
