#include "dse/uncertain/ends.hpp"

#include "sim/base/random.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <vector>

namespace pimdse::dse::uncertain::ends_test {
namespace {

std::vector<models::Sense> const senses{models::Sense::minimize, models::Sense::maximize};

bool dominates(std::vector<double> const& a, std::vector<double> const& b) {
    return a[0] <= b[0] && a[1] >= b[1] && a != b;
}

/// Random designs whose objectives lie anywhere in their extents; with few distinct values, so that some are equal.
std::vector<Extent> random_extents(std::uint64_t seed, std::size_t count) {
    std::vector<Extent> extents;
    for (std::size_t i = 0; i < count; ++i) {
        auto pick = [&, n = std::uint64_t{0}](double scale) mutable {
            return std::floor(scale * sim::mixed_fraction(seed * 7919 + i * 31 + n++ * 104729));
        };
        double const first = pick(12.0), second = pick(12.0), spread = pick(4.0), other = pick(4.0);
        Extent extent{space::PointId{i}, {first, second + other}, std::vector<double>{first + spread, second}};
        if (pick(8.0) == 0.0) extent.worst.reset();
        extents.push_back(extent);
    }
    return extents;
}

TEST(Standings, FollowTheirDefinition) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto const extents = random_extents(seed, 30);
        auto const standings = standings_of(extents, senses, true);
        for (std::size_t i = 0; i < extents.size(); ++i) {
            bool excluded = false;
            for (std::size_t j = 0; j < extents.size(); ++j)
                excluded = excluded || (j != i && extents[j].worst && dominates(*extents[j].worst, extents[i].best));
            EXPECT_EQ(standings[i].possible, !excluded) << seed << " " << i;
            if (!standings[i].certain) continue;
            ASSERT_TRUE(extents[i].worst.has_value());
            for (std::size_t j = 0; j < extents.size(); ++j)
                EXPECT_FALSE(j != i && dominates(extents[j].best, *extents[i].worst)) << seed << " " << i << " " << j;
        }
    }
}

TEST(Standings, NothingIsCertainIfSomeDesignsAreUnknown) {
    auto const extents = random_extents(5, 30);
    for (auto const& one : standings_of(extents, senses, false)) EXPECT_FALSE(one.certain);
    auto with_unknown = extents;
    with_unknown[0].best[0] = std::nan("");
    auto const standings = standings_of(with_unknown, senses, true);
    EXPECT_TRUE(standings[0].possible);
    for (auto const& one : standings) EXPECT_FALSE(one.certain);
}

TEST(BothEnds, AreWhereObjectivesAreExtremeAsFarAsDirectionsAreKnown) {
    auto const space = testing::small_space();  // latency, area, energy
    auto const constants = testing::ranges_of(space, 4).constants;
    constexpr ConstantSlope flat = Slope::flat, up = Slope::up, down = Slope::down;
    Movements const movements{
        {0, 1, 2, 3},
        {{flat, up, up, up}, {flat, up, flat, up}, {flat, up, ConstantSlope{}, up}, {flat, down, flat, down}}};
    auto const ends = both_ends_of(space, constants, movements);
    ASSERT_EQ(ends.size(), 2U) << "area and feasibility have the same directions";
    for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(ends[0][c].si, c == 3 ? constants[c].upper : constants[c].lower) << c;
        EXPECT_EQ(ends[1][c].si, c == 3 ? constants[c].lower : constants[c].upper) << c;
    }
    // What nobody saw to move anything stands at both of its ends at each of them.
    Movements const three{{0, 1, 2}, {movements.of_constant.begin(), movements.of_constant.end() - 1}};
    auto const all = both_ends_of(space, constants, three, {3});
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(all[k].back(), (Setting{3, k < 2 ? constants[3].upper : constants[3].lower}));
        EXPECT_EQ(all[k].front(), ends[k % 2].front());
    }
}

}  // namespace
}  // namespace pimdse::dse::uncertain::ends_test
