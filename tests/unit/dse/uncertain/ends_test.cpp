#include "dse/uncertain/ends.hpp"

#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {
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

TEST(FeasibilityCorner, IsAtTheEndsThatTheDirectionsSay) {
    std::vector<UncertainConstant> constants(3);
    for (std::size_t c = 0; c < constants.size(); ++c) {
        constants[c].nominal = 2.0;
        constants[c].lower = 1.0;
        constants[c].upper = 4.0;
    }
    Movements movements{{0, 1, 2}, {{Slope::up, Slope::up}, {Slope::up, Slope::down}, {Slope::up, Slope::flat}}};
    auto const values = [&](RangeEnd end) {
        std::vector<std::pair<std::size_t, double>> list;
        auto const corner = feasibility_corner(constants, movements, end).value();
        for (auto const& setting : corner) list.emplace_back(setting.constant, setting.si);
        return list;
    };
    using List = std::vector<std::pair<std::size_t, double>>;
    EXPECT_EQ(values(RangeEnd::worst), (List{{0, 4.0}, {1, 1.0}}));
    EXPECT_EQ(values(RangeEnd::best), (List{{0, 1.0}, {1, 4.0}}));
    movements.of_constant[1].back() = ConstantSlope{};
    EXPECT_FALSE(feasibility_corner(constants, movements, RangeEnd::worst).has_value());
}

}  // namespace
}  // namespace pimdse::dse::uncertain
