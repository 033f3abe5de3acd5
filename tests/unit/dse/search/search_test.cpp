#include "dse/search/local_search.hpp"
#include "dse/search/nsga2.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/search/discrete_problems.hpp"
#include "tests/unit/dse/search/reached.hpp"

#include <gtest/gtest.h>
#include <cstdlib>
#include <map>

namespace pimdse::dse::search::search_test {
namespace {

using testing::median_reached;

/// A campaign takes eleven seeds and the whole budget.
std::uint64_t seeds() { return tests::draws(11UL); }

TEST(Nsga2, comes_close_to_the_fronts_of_smooth_problems) {
    std::uint64_t const budget = tests::in_campaign() ? 25'000 : 10'000;
    std::map<std::string, double> const wanted =
        tests::in_campaign() ? std::map<std::string, double>{{"ZDT1", 0.998}, {"ZDT2", 0.997}, {"DTLZ2", 0.98}}
                             : std::map<std::string, double>{{"ZDT1", 0.95}, {"ZDT2", 0.90}, {"DTLZ2", 0.96}};
    for (auto const& problem : {testing::zdt1(), testing::zdt2(), testing::dtlz2()})
        EXPECT_GE(median_reached<Nsga2>(problem, budget, seeds()), wanted.at(problem.name)) << problem.name;
}

TEST(Nsga2, reaches_99_percent_of_discrete_problems_with_5_percent_of_their_points) {
    auto const orders = testing::assignment(1);
    EXPECT_GE(median_reached<Nsga2>(orders, *orders.genomes.size() / 20, seeds()), 0.99);
    for (double const rho : {-0.5, 0.0, 0.5}) {
        auto const bits = testing::landscape(1, 2, rho);
        EXPECT_GE(median_reached<Nsga2>(bits, *bits.genomes.size() / 20, seeds()), 0.99) << rho;
        if (!tests::in_campaign()) break;
    }
}

TEST(LocalSearch, reaches_99_percent_of_discrete_problems_with_5_percent_of_their_points) {
    for (std::uint64_t instance = 1; instance <= 2; ++instance) {
        auto const orders = testing::assignment(instance);
        EXPECT_GE(median_reached<LocalSearch>(orders, *orders.genomes.size() / 20, seeds()), 0.99) << instance;
    }
    for (std::size_t const k : {2U, 4U}) {
        for (double const rho : {-0.5, 0.0, 0.5}) {
            auto const bits = testing::landscape(1, k, rho);
            EXPECT_GE(median_reached<LocalSearch>(bits, *bits.genomes.size() / 20, seeds()), 0.99) << k << ", " << rho;
            if (!tests::in_campaign()) break;
        }
    }
}

TEST(LocalSearch, ends_when_every_neighbour_of_every_member_is_known) {
    auto const problem = testing::assignment(3);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        LocalSearch search(problem.genomes, {2, seed, false});
        std::map<std::uint64_t, ObjectiveValues> known;
        while (auto const point = search.ask()) {
            EXPECT_TRUE(known.emplace(problem.genomes.key(*point), problem.merit(*point)).second);
            search.tell(*point, problem.merit(*point));
        }
        EXPECT_EQ(search.unchecked(), 0U);
        EXPECT_LT(known.size(), *problem.genomes.size() / 4);
        std::size_t members = 0;
        for (auto const& [number, merit] : known) {
            auto const& mine = merit.values;
            bool const is_member = std::ranges::none_of(known, [&](auto const& other) {
                auto const& theirs = other.second.values;
                return theirs != mine && theirs[0] <= mine[0] && theirs[1] <= mine[1];
            });
            if (!is_member) continue;
            ++members;
            auto const point = problem.genomes.at(number);
            auto const& genome = problem.genomes.of(point);
            for (std::uint64_t i = 0; i < neighbours_of(point, genome); ++i)
                EXPECT_TRUE(known.contains(problem.genomes.key(neighbour(point, genome, i))));
        }
        EXPECT_EQ(members, search.members());
    }
}

TEST(LocalSearch, skips_neighbours_that_bounds_say_are_no_better) {
    auto const problem = testing::assignment(3);
    std::uint64_t asked_blindly = 0, requested = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        LocalSearch blind(problem.genomes, {2, seed, false});
        while (auto const point = blind.ask()) ++asked_blindly, blind.tell(*point, problem.merit(*point));
        auto const lower_of = [&](CodedPoint const& point) -> std::optional<search::ParetoTree::Vector> {
            auto lower = problem.merit(point).values;
            for (auto& value : lower) value *= 0.95;
            return lower;
        };
        LocalSearch search(problem.genomes, {.objectives = 2, .seed = seed, .again = false, .lower_of = lower_of});
        std::map<std::uint64_t, ObjectiveValues> known;
        while (auto const point = search.ask()) {
            EXPECT_TRUE(known.emplace(problem.genomes.key(*point), problem.merit(*point)).second);
            search.tell(*point, problem.merit(*point));
        }
        requested += known.size();
        EXPECT_GT(search.skipped(), 0U);
        EXPECT_EQ(search.unchecked(), 0U);
        for (auto const& [number, merit] : known) {
            auto const dominates = [](ObjectiveValues const& a, ObjectiveValues const& b) {
                return a.values[0] <= b.values[0] && a.values[1] <= b.values[1];
            };
            bool const is_member = std::ranges::none_of(known, [&](auto const& other) {
                return other.second.values != merit.values && dominates(other.second, merit);
            });
            if (!is_member) continue;
            auto const point = problem.genomes.at(number);
            auto const& genome = problem.genomes.of(point);
            for (std::uint64_t i = 0; i < neighbours_of(point, genome); ++i) {
                auto const beside = problem.merit(neighbour(point, genome, i));
                EXPECT_TRUE(std::ranges::any_of(known, [&](auto const& other) {
                    return dominates(other.second, beside);
                })) << "a local optimum it is all the same";
            }
        }
    }
    EXPECT_LT(requested, asked_blindly / 2);
}

/// Every other point cannot exist.
ObjectiveValues halved(Genomes const& genomes, CodedPoint const& point) {
    std::uint64_t const key = genomes.key(point);
    if (key % 2 == 1) return {};
    return testing::feasible({static_cast<double>(key), -static_cast<double>(key)});
}

template <class Search>
class Searches : public ::testing::Test {};
using Both = ::testing::Types<Nsga2, LocalSearch>;
TYPED_TEST_SUITE(Searches, Both);

TYPED_TEST(Searches, ask_for_every_point_of_a_small_space_once) {
    Genome const genome{{Gene::Kind::ordinal, 6, 0}, {Gene::Kind::choice, 4, 0}, {Gene::Kind::ordering, 6, 3}};
    Genomes const genomes({genome, {{Gene::Kind::choice, 5, 0}}});
    TypeParam search(genomes, {2, 1});
    std::set<std::uint64_t> requested;
    std::deque<CodedPoint> in_flight;
    while (true) {
        for (auto point = search.ask(); point; point = in_flight.size() < 7 ? search.ask() : std::nullopt) {
            ASSERT_TRUE(requested.insert(genomes.key(*point)).second);
            in_flight.push_back(*point);
        }
        if (in_flight.empty()) break;
        search.tell(in_flight.front(), halved(genomes, in_flight.front()));
        in_flight.pop_front();
    }
    EXPECT_EQ(requested.size(), genomes.size());
}

/// One of 4,000 points is feasible. Without a measure of violation, a search would have to hit them by chance.
TYPED_TEST(Searches, are_led_to_few_feasible_points_by_how_much_the_others_break) {
    Genomes const genomes({Genome(6, {Gene::Kind::ordinal, 16, 0})});
    auto const merit = [](CodedPoint const& point, bool measured) {
        double excess = 0.0, sum = 0.0;
        for (auto const value : point.values) {
            excess += std::max(0.0, std::abs(static_cast<double>(value) - 11.0) - 1.5) / 11.0;
            sum += static_cast<double>(value);
        }
        if (excess == 0.0) return testing::feasible({sum, -sum});
        return measured ? ObjectiveValues{.violation = excess} : ObjectiveValues{};
    };
    auto const found = [&](bool measured, std::uint64_t seed) {
        TypeParam search(genomes, {2, seed});
        int feasible = 0;
        for (int i = 0; i < 2000; ++i) {
            auto const point = search.ask();
            auto const values = merit(*point, measured);
            feasible += values.feasible ? 1 : 0;
            search.tell(*point, values);
        }
        return feasible;
    };
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        EXPECT_GT(found(true, seed), 100) << seed;
        EXPECT_LT(found(false, seed), 20) << seed;
    }
}

TYPED_TEST(Searches, never_ask_for_what_is_known_and_begin_with_it) {
    Genomes const genomes({Genome(6, {Gene::Kind::ordinal, 10, 0})});
    TypeParam search(genomes, {1, 1});
    std::set<std::uint64_t> known;
    for (std::uint64_t number = 0; number < 200; ++number) {
        auto const point = genomes.at(number * 1000);
        known.insert(number * 1000);
        search.know(point, testing::feasible({static_cast<double>(number)}));
    }
    for (int i = 0; i < 3; ++i) {  // as many neighbours of the best one are not known
        auto const point = search.ask();
        ASSERT_TRUE(point && known.insert(genomes.key(*point)).second);
        EXPECT_LT(genomes.key(*point), 700'000U);  // close to the best, not anywhere
        search.tell(*point, testing::feasible({1e6}));
    }
}

}  // namespace
}  // namespace pimdse::dse::search::search_test
