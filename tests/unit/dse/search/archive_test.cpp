#include "dse/search/archive.hpp"

#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace pimdse::dse::search::archive_test {
namespace {

/// True if `a` is no worse than `b` in every objective and better in one. Any NaN: false.
bool dominates(std::span<double const> a, std::span<double const> b, std::span<models::Sense const> senses) {
    bool better = false;
    for (std::size_t i = 0; i < senses.size(); ++i) {
        double const gain = senses[i] == models::Sense::maximize ? a[i] - b[i] : b[i] - a[i];
        if (a[i] == b[i]) continue;
        if (!(gain > 0.0)) return false;
        better = true;
    }
    return better;
}

using models::Sense;
using Member = Archive::Member;

std::vector<Sense> senses(std::size_t count, unsigned maximised = 0) {
    std::vector<Sense> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back((maximised >> i & 1U) != 0 ? Sense::maximize : Sense::minimize);
    return all;
}

/// The definition, word by word: kept is what no other dominates and no equal with a smaller id exists for.
std::vector<Member> reference(std::vector<Member> const& offered, std::vector<Sense> const& senses) {
    std::vector<Member> kept;
    auto const has_nan = [](Member const& m) {
        return std::any_of(m.values.begin(), m.values.end(), [](double v) { return std::isnan(v); });
    };
    for (auto const& m : offered) {
        bool const beaten = std::any_of(offered.begin(), offered.end(), [&](Member const& other) {
            return !has_nan(other) &&
                   (dominates(other.values, m.values, senses) || (other.values == m.values && other.point < m.point));
        });
        if (!beaten && !has_nan(m)) kept.push_back(m);
    }
    std::sort(kept.begin(), kept.end(), [](Member const& a, Member const& b) { return a.point < b.point; });
    return kept;
}

using Generator = std::function<double(std::mt19937_64&, std::size_t)>;
struct Family {
    char const* name;
    Generator value;
};

std::vector<Family> families() {
    return {
        {"continuous", [](auto& r, std::size_t) { return std::uniform_real_distribution(0.0, 1.0)(r); }},
        {"three values", [](auto& r, std::size_t) { return static_cast<double>(r() % 3); }},
        {"twenty values", [](auto& r, std::size_t) { return static_cast<double>(r() % 20); }},
        {"scales that differ by 1e24",
         [](auto& r, std::size_t i) { return std::pow(1e6, static_cast<double>(i)) * static_cast<double>(r() % 50); }},
        {"some NaN and infinities",
         [](auto& r, std::size_t) {
             switch (r() % 12) {
                 case 0:
                     return std::nan("");
                 case 1:
                     return static_cast<double>(INFINITY);
                 case 2:
                     return static_cast<double>(-INFINITY);
                 case 3:
                     return -0.0;
                 default:
                     return static_cast<double>(r() % 6) - 2.0;
             }
         }},
    };
}

std::vector<Member> offers(std::mt19937_64& random, Generator const& value, std::size_t count, std::size_t dimensions) {
    std::vector<Member> all;
    for (std::size_t k = 0; k < count; ++k) {
        Member member{space::PointId{k}, {}};
        for (std::size_t i = 0; i < dimensions; ++i) member.values.push_back(value(random, i));
        all.push_back(std::move(member));
    }
    std::shuffle(all.begin(), all.end(), random);
    return all;
}

TEST(Archive, keeps_only_what_nobody_dominates) {
    std::mt19937_64 random(1);
    for (auto const& family : families()) {
        for (std::size_t dimensions = 1; dimensions <= 6; ++dimensions) {
            for (int round = 0; round < 12; ++round) {
                auto const directions = senses(dimensions, static_cast<unsigned>(random()));
                auto const all = offers(random, family.value, 1 + random() % 400, dimensions);
                Archive archive(directions);
                for (auto const& m : all) archive.insert(m.point, m.values);
                ASSERT_EQ(archive.members(), reference(all, directions))
                    << family.name << ", " << dimensions << " objectives, round " << round;
            }
        }
    }
}

TEST(Archive, says_at_every_step_whether_the_point_is_a_member_now) {
    std::mt19937_64 random(2);
    for (auto const& family : families()) {
        for (std::size_t dimensions = 2; dimensions <= 4; ++dimensions) {
            auto const directions = senses(dimensions, 1);
            auto const all = offers(random, family.value, 120, dimensions);
            Archive archive(directions);
            for (std::size_t k = 0; k < all.size(); ++k) {
                bool const kept = archive.insert(all[k].point, all[k].values);
                auto const expected =
                    reference({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k) + 1}, directions);
                bool const member = std::any_of(expected.begin(), expected.end(),
                                                [&](Member const& m) { return m.point == all[k].point; });
                ASSERT_EQ(kept, member) << family.name;
                ASSERT_EQ(archive.size(), expected.size()) << family.name;
            }
        }
    }
}

TEST(Archive, does_not_depend_on_the_order_of_insertion) {
    std::mt19937_64 random(3);
    for (std::size_t dimensions : {2U, 3U, 6U}) {
        auto all = offers(
            random, [](auto& r, std::size_t) { return static_cast<double>(r() % 9); }, 600, dimensions);
        auto const expected = reference(all, senses(dimensions));
        auto const by_first = [](Member const& a, Member const& b) { return a.values < b.values; };
        std::vector<std::function<void()>> const orders{
            [&] { std::sort(all.begin(), all.end(), by_first); },
            [&] { std::reverse(all.begin(), all.end()); },
            [&] { std::shuffle(all.begin(), all.end(), random); },
        };
        for (auto const& reorder : orders) {
            reorder();
            Archive archive(senses(dimensions));
            for (auto const& m : all) archive.insert(m.point, m.values);
            EXPECT_EQ(archive.members(), expected);
        }
    }
}

TEST(Archive, keeps_a_long_sorted_front_in_balance) {
    constexpr std::uint64_t count = 20000;
    for (bool const rising : {true, false}) {
        Archive archive(senses(3));
        for (std::uint64_t k = 0; k < count; ++k) {
            auto const x = static_cast<double>(rising ? k : count - k);
            ASSERT_TRUE(archive.insert(space::PointId{k}, std::vector<double>{x, -x, 0.0}));
        }
        EXPECT_EQ(archive.size(), count);
        EXPECT_TRUE(archive.insert(space::PointId{count}, std::vector<double>{0.0, -2.0 * count, 0.0}));
        EXPECT_EQ(archive.size(), 1U);
    }
}

TEST(Archive, keeps_the_smallest_id_among_equals) {
    Archive archive(senses(2));
    EXPECT_TRUE(archive.insert(space::PointId{7}, std::vector{1.0, 2.0}));
    EXPECT_FALSE(archive.insert(space::PointId{9}, std::vector{1.0, 2.0}));
    EXPECT_TRUE(archive.insert(space::PointId{3}, std::vector{1.0, 2.0}));
    EXPECT_TRUE(archive.insert(space::PointId{3}, std::vector{1.0, 2.0}));
    EXPECT_EQ(archive.ids(), std::vector{space::PointId{3}});
}

TEST(Archive, dominates_what_could_at_most_tie) {
    Archive archive({Sense::minimize, Sense::maximize});
    archive.insert(space::PointId{1}, std::vector{1.0, 5.0});
    EXPECT_TRUE(archive.dominates(std::vector{1.0, 5.0}));
    EXPECT_TRUE(archive.dominates(std::vector{2.0, 4.0}));
    EXPECT_FALSE(archive.dominates(std::vector{0.5, 1.0}));
    EXPECT_FALSE(archive.dominates(std::vector{2.0, 6.0}));
}

TEST(Archive, is_empty_again_after_clear) {
    Archive archive(senses(2));
    archive.insert(space::PointId{1}, std::vector{1.0, 2.0});
    archive.clear();
    EXPECT_TRUE(archive.empty());
    EXPECT_TRUE(archive.insert(space::PointId{2}, std::vector{9.0, 9.0}));
}

TEST(Archive, refuses_no_objective_and_more_than_six) {
    EXPECT_THROW(Archive({}), sim::InputError);
    EXPECT_THROW(Archive(senses(7)), sim::InputError);
    EXPECT_NO_THROW(Archive(senses(6)));
    EXPECT_THROW(Archive({Sense::none}), sim::ContractViolation);
    EXPECT_THROW(Archive(senses(2)).insert(space::PointId{}, std::vector{1.0}), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::dse::search::archive_test
