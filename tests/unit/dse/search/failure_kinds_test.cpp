#include "dse/search/point_counts.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::dse::search::failure_kinds_test {
namespace {

std::string kind_of(space::Result const& result) {
    if (auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome)) return infeasible->rule;
    return std::string(name_of(status_of(result.outcome)));
}

TEST(FailureKinds, are_counted_and_shown_by_their_smallest_id_whatever_came_first) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        auto results = store::sample::results(random() % 1000, 1 + random() % 900);
        std::shuffle(results.begin(), results.end(), random);
        auto const store = store::sample::store(results);
        std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> expected;  // points, smallest id
        for (auto const& result : results) {
            if (std::holds_alternative<models::Metrics>(result.outcome)) continue;
            auto& [points, min_id] = expected.try_emplace(kind_of(result), 0, ~std::uint64_t{0}).first->second;
            ++points;
            min_id = std::min(min_id, index_of(result.task.point));
        }
        auto const kinds = failure_kinds(store);
        ASSERT_EQ(kinds.size(), expected.size());
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            ASSERT_TRUE(expected.contains(kinds[k].rule)) << kinds[k].rule;
            EXPECT_EQ(kinds[k].points, expected[kinds[k].rule].first);
            ASSERT_TRUE(kinds[k].example.has_value());
            EXPECT_EQ(index_of(store.task(*kinds[k].example).point), expected[kinds[k].rule].second);
            EXPECT_EQ(failure_of(store, *kinds[k].example), kinds[k].rule);
            EXPECT_GE(kinds[k > 0 ? k - 1 : 0].points, kinds[k].points) << "the commonest first";
        }
    }
}

TEST(FailureKinds, have_no_example_where_only_their_number_was_kept) {
    ResultStore store(3);
    store.insert(space::BlockSummary{0, {}, {}, {{"fits", 40}, {"aligned", 50}, {"", 65'446}}});
    store.insert(space::Result{{space::PointId{70'000}, {}}, models::Infeasible{"fits", "too big"}, 0.0, 0});
    auto const kinds = failure_kinds(store);
    ASSERT_EQ(kinds.size(), 2U) << "what is feasible and dominated is no failure";
    EXPECT_EQ(kinds[0].rule, "aligned");
    EXPECT_FALSE(kinds[0].example.has_value());
    EXPECT_EQ(kinds[1].points, 41U);
    EXPECT_TRUE(kinds[1].example.has_value());
}

TEST(FailureKinds, of_equal_number_go_by_name) {
    ResultStore store(3);
    std::uint64_t id = 0;
    for (char const* rule : {"c", "a", "b", "b", "a", "c"})
        store.insert(space::Result{{space::PointId{id++}, {}}, models::Infeasible{rule, "no"}, 0.0, 0});
    auto const kinds = failure_kinds(store);
    ASSERT_EQ(kinds.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(kinds[k].rule, std::string(1, static_cast<char>('a' + k)));
}

}  // namespace
}  // namespace pimdse::dse::search::failure_kinds_test
