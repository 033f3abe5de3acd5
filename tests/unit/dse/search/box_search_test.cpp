#include "ground.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::search::box_search_test {
namespace {

using testing::climb;
using testing::expect_whole;
using testing::Ground;
using testing::ground_kinds;
using testing::ids_of;
using testing::places;
using testing::search_on;

TEST(BoxSearch, finds_the_front_and_evaluates_what_any_method_must_in_every_order) {
    std::uint64_t seed = 0;
    for (auto const& kind : ground_kinds()) {
        for (int space = 0; space < 12; ++space) {
            Ground ground(kind, ++seed);
            auto const front = ground.front();
            auto const needed = ground.needed_keys();
            for (std::uint64_t order = 0; order < 6; ++order) {
                auto search = search_on(ground, kind.objectives, 0, 1 + 5 * order);
                auto const requested = climb(search, ground, 1 + order * order, seed * 100 + order);
                std::set<std::uint64_t> keys;
                for (auto const id : requested) keys.insert(ground.key(id));
                ASSERT_EQ(ids_of(search), front);
                ASSERT_EQ(keys, needed) << "neither more nor less";
                expect_whole(search.certificate(), requested, ground);
                ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", order " << order;
            }
        }
    }
}

TEST(BoxSearch, looks_at_few_boxes_where_one_point_is_best) {
    Ground ground({.sizes = {16, 16, 16}, .levels = 1, .loose = 1, .keys = 1}, 1);
    auto search = search_on(ground, 2, 0, 1000);
    auto const requested = climb(search, ground, 4, 1);
    EXPECT_EQ(requested, std::set<std::uint64_t>{0});
    EXPECT_LT(search.bounded(), 1000U) << "of 4,096 points";
}

TEST(BoxSearch, stops_at_its_budget_with_boxes_that_are_open) {
    Ground ground({.levels = 100, .loose = 30, .keys = 500}, 5);
    auto search = search_on(ground, 2, 3);
    auto const requested = climb(search, ground, 2, 1);
    EXPECT_EQ(requested.size(), 3U);
    auto const certificate = search.certificate();
    EXPECT_FALSE(certificate.open.empty());
    expect_whole(certificate, requested, ground);
}

TEST(BoxSearch, with_an_epsilon_comes_as_near_to_every_point) {
    std::uint64_t seed = 0, exact = 0, near = 0;
    for (auto const& kind : ground_kinds()) {
        Ground ground(kind, ++seed);
        auto all = search_on(ground, kind.objectives);
        exact += climb(all, ground, 3, seed).size();
        double const epsilon = 0.4;
        auto search = search_on(ground, {.objectives = kind.objectives, .epsilon = epsilon});
        auto const requested = climb(search, ground, 3, seed);
        near += requested.size();
        auto const certificate = search.certificate();
        EXPECT_EQ(certificate.epsilon, epsilon);
        expect_whole(certificate, requested, ground);
        for (std::uint64_t id = 0; id < ground.points(); ++id) {
            auto const reach = relaxed(ground.reply(id).values, epsilon, kind.objectives);
            bool const dominated = std::ranges::any_of(search.members(), [&](auto const& member) {
                return index_of(member.point) == id || ground.dominates(index_of(member.point), reach, id);
            });
            EXPECT_TRUE(!ground.feasible(id) || dominated) << "seed " << seed << ", point " << id;
        }
    }
    EXPECT_LT(near, exact) << "that is what it is for";
}

TEST(BoxSearch, audits_points_of_pruned_boxes) {
    std::uint64_t seed = 100, audited = 0;
    for (auto const& kind : ground_kinds()) {
        for (std::uint64_t const wanted : {1U, 9U, 1000U}) {
            Ground ground(kind, ++seed);
            auto search = search_on(ground, {.objectives = kind.objectives, .audit = wanted, .seed = seed});
            auto const requested = climb(search, ground, 3, seed);
            auto const certificate = search.certificate();
            EXPECT_EQ(ids_of(search), ground.front());
            EXPECT_LE(certificate.audited, wanted);
            EXPECT_EQ(certificate.audited_wrong, 0U);
            expect_whole(certificate, requested, ground);
            audited += certificate.audited;
            ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
        }
    }
    EXPECT_GT(audited, 300U);
}

std::uint64_t points_in(Ground const& ground, std::vector<space::PointId> const& firsts,
                        std::vector<std::uint32_t> const& extents) {
    std::uint64_t points = 0;
    std::size_t const axes = firsts.empty() ? 0 : extents.size() / firsts.size();
    for (std::size_t b = 0; b < firsts.size(); ++b)
        points += ground.ids(index_of(firsts[b]), std::span(extents).subspan(b * axes, axes)).size();
    return points;
}

TEST(BoxSearch, says_where_it_stands) {
    std::uint64_t seed = 0;
    for (auto const& kind : ground_kinds()) {
        Ground ground(kind, ++seed);
        auto search = search_on(ground, kind.objectives);
        EXPECT_EQ(search.standing().open, ground.points());
        EXPECT_EQ(search.standing().gap, 1.0);
        auto const requested = climb(search, ground, 5, seed);
        auto const certificate = search.certificate();
        auto const end = search.standing();
        EXPECT_EQ(end.in_flight, 0U);
        EXPECT_EQ(end.pruned, points_in(ground, certificate.pruned, certificate.pruned_extents));
        EXPECT_EQ(end.open, certificate.open.size());
        if (!kind.failures) {
            EXPECT_EQ(end.gap, 0.0);
        }
        auto stopped = search_on(ground, kind.objectives, 2);
        (void)climb(stopped, ground, 1, seed);
        auto const half = stopped.standing();
        auto const places = stopped.certificate();
        EXPECT_EQ(half.pruned + half.open, points_in(ground, places.pruned, places.pruned_extents) +
                                               points_in(ground, places.open, places.open_extents));
        EXPECT_EQ(half.gap == 0.0, places.open.empty()) << "seed " << seed;
    }
}

TEST(Box, is_cut_into_halves) {
    Box const box{0, {{2, 3}, {0, 4}}};
    EXPECT_EQ(box.points(), 12U);
    auto const [one, other] = box.cut(0);
    EXPECT_EQ(one, (Box{0, {{2, 2}, {0, 4}}}));
    EXPECT_EQ(other, (Box{0, {{4, 1}, {0, 4}}}));
}

}  // namespace
}  // namespace pimdse::dse::search::box_search_test
