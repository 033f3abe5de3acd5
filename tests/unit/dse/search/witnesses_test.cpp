#include "dse/search/gap.hpp"

#include "dse/search/candidate_table.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace pimdse::dse::search::witnesses_test {
namespace {

using space::PointId;

search::Certificate certificate_for(std::size_t objectives) {
    search::Certificate certificate;
    certificate.grounds.resize(objectives);
    certificate.best.resize(objectives);
    return certificate;
}

TEST(Witnesses, are_the_first_that_are_as_good_as_a_point_could_be) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::Rng rng(seed);
        double const epsilon = rng.one_in(2) ? 0.0 : 0.5;
        LowerBounds lower_bounds(2, epsilon);
        std::vector<search::Entry> members;
        auto const level = [&] { return static_cast<double>(rng.below(6)) - 2.0; };
        for (std::uint64_t i = 0; i < 6; ++i) members.push_back({{level(), level()}, PointId{20 - 3 * i}});
        Witnesses const witnesses(members, lower_bounds, 2);
        for (LowerBounds::Item item = 0; item < 20; ++item) {
            lower_bounds.add({{level(), level()}, static_cast<std::uint8_t>(rng.below(4)), 0});
            auto const could = lower_bounds.of(item);
            PointId const point{rng.below(24)};
            std::vector<PointId> closing;
            for (auto const& member : members) {
                bool good = true, equal = true;
                for (std::size_t i = 0; i < 2; ++i) {
                    double const reach = could[i] < 0.0 ? could[i] / (1.0 + epsilon) : could[i] * (1.0 + epsilon);
                    good = good && member.values[i] <= reach;
                    equal = equal && member.values[i] == reach;
                }
                if (good && (!equal || member.point < point)) closing.push_back(member.point);
            }
            auto written = certificate_for(2);
            ASSERT_EQ(witnesses.put_pruned(item, point, written), !closing.empty());
            if (closing.empty()) {
                EXPECT_EQ(written, certificate_for(2)) << "nothing is written of a point that no point prunes";
                continue;
            }
            EXPECT_EQ(written.pruned, std::vector{point});
            EXPECT_EQ(written.witnesses, std::vector{*std::ranges::min_element(closing)});
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_EQ(written.best[i], std::vector{could[i]});
                EXPECT_EQ(written.grounds[i].kind == models::Bound::calibrated, lower_bounds.is_calibrated(item, i));
            }
        }
    }
}

TEST(BoundSensitivity, counts_the_keys_of_points_that_lower_bounds_would_open) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        testing::Rng rng(seed);
        LowerBounds lower_bounds(1, 0.0);
        double const front = 100.0;
        std::vector<LowerBounds::Item> pruned;
        std::map<LowerBounds::Item, std::uint64_t> keys;
        for (LowerBounds::Item item = 0; item < 40; ++item) {
            bool const exact = rng.one_in(4);
            lower_bounds.add(
                {{100.0 + static_cast<double>(rng.below(14))}, 0, static_cast<std::uint8_t>(exact ? 1 : 0)});
            if (rng.one_in(3)) continue;
            pruned.push_back(item);
            keys[item] = rng.below(12);
        }
        auto const dominated = [&](LowerBounds::Item, Values const& ideal) { return front <= ideal[0]; };
        auto const key = [&](LowerBounds::Item item) {
            return keys[item] < 2 ? std::nullopt : std::optional(models::CycleKey{0, keys[item]});
        };
        auto const sensitivities = sensitivities_of(lower_bounds, pruned, {dominated, key});
        ASSERT_EQ(sensitivities.size(), 4U);
        std::vector const shares{0.01, 0.02, 0.05, 0.10};
        for (std::size_t s = 0; s < shares.size(); ++s) {
            std::set<std::uint64_t> opened;
            for (auto const item : pruned) {
                bool const exact = lower_bounds.looser(item, 0.5)[0] == lower_bounds.given(item, 0);
                bool const open = !exact && lower_bounds.given(item, 0) * (1.0 - shares[s]) < front;
                if (open && keys[item] >= 2) opened.insert(keys[item]);
            }
            EXPECT_EQ(sensitivities[s].share, shares[s]);
            EXPECT_EQ(sensitivities[s].runs, opened.size()) << "seed " << seed << ", share " << shares[s];
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::search::witnesses_test
