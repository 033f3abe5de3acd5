#include "dse/report/explanation.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace pimdse::dse::report::effect_test {
namespace {

using models::Estimate;
using models::Fidelity;
using models::Sense;
using space::PointId;

std::vector<space::Objective> const objectives{{1, Sense::maximize}, {0, Sense::minimize}};

models::Metrics some_metrics(std::mt19937& random, int values) {
    std::uniform_int_distribution<int> number(1, values);
    return {Estimate::exact(number(random)), Estimate::exact(number(random)), Estimate::exact(number(random))};
}

FrontView some_landscape(std::mt19937& random, std::uint64_t points, int values) {
    search::ResultStore store(3);
    for (std::uint64_t id = 0; id < points; ++id)
        store.insert({{PointId{3 * id}, Fidelity::cycle}, some_metrics(random, values), 0.0, 0});
    return {store, objectives, Fidelity::cycle};
}

Effect some_effect(std::mt19937& random, FrontView const& front_view, int values, std::size_t parameter = 0) {
    Change change{parameter, {}, {}, PointId{random() % 60}};
    models::Outcome outcome = models::Infeasible{"fits", "too large"};
    if (random() % 4 != 0) outcome = some_metrics(random, values);
    return effect_of(front_view, change, {{change.point, Fidelity::cycle}, std::move(outcome), 0.0, 0}, false);
}

bool as_good(std::span<double const> a, std::span<double const> b) {
    return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

TEST(Effect, counts_the_members_of_the_front_that_cover_it_by_definition) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        int const values = seed % 2 == 0 ? 4 : 30;
        auto const front_view = some_landscape(random, 20, values);
        auto const effect = some_effect(random, front_view, values);
        auto const* metrics = std::get_if<models::Metrics>(&effect.result.outcome);
        ASSERT_EQ(effect.feasible(), metrics != nullptr);
        if (metrics == nullptr) {
            EXPECT_TRUE(effect.dominated_by == 0 && !effect.needed_gain);
            continue;
        }
        std::vector const own{-(*metrics)[1].value, (*metrics)[0].value};
        EXPECT_EQ(effect.vector, own);
        std::uint64_t dominating = 0;
        for (auto const at : front_view.front()) {
            auto const id = front_view.id(at);
            bool const equal = std::ranges::equal(front_view.vector(at), own);
            bool const dominates = as_good(front_view.vector(at), own) && (!equal || id < effect.change.point);
            dominating += dominates && id != effect.change.point ? 1 : 0;
        }
        EXPECT_EQ(effect.dominated_by, dominating) << seed;
    }
}

TEST(Effect, is_behind_by_what_it_has_to_gain_in_everything_to_pass_the_front) {
    constexpr double little = 1e-9;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        auto const front_view = some_landscape(random, 20, 50);
        auto const effect = some_effect(random, front_view, 50);
        if (!effect.needed_gain) {
            EXPECT_TRUE(!effect.feasible() || front_view.front().size() <= 1);
            continue;
        }
        auto const dominated_with = [&](double share) {
            auto better = effect.vector;
            for (double& number : better) number -= share * std::abs(number);
            return std::ranges::any_of(front_view.front(), [&](std::size_t at) {
                return front_view.id(at) != effect.change.point && as_good(front_view.vector(at), better);
            });
        };
        EXPECT_TRUE(dominated_with(*effect.needed_gain - little)) << seed;
        EXPECT_FALSE(dominated_with(*effect.needed_gain + little)) << seed;
    }
}

TEST(Effects, have_a_best_of_each_parameter_and_a_most_gain_that_none_beats) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        auto const front_view = some_landscape(random, 15, 9);
        std::vector<Effect> effects;
        for (std::size_t parameter = 0; parameter < 7; parameter += 1 + random() % 2) {
            for (auto many = 1 + random() % 4; many > 0; --many)
                effects.push_back(some_effect(random, front_view, 9, parameter));
        }
        std::map<std::size_t, std::size_t> best;
        for (auto const at : best_of_each_parameter(effects))
            EXPECT_TRUE(best.emplace(effects[at].change.parameter, at).second) << "one of each";
        for (auto const& effect : effects) {
            auto const& chosen = effects[best.at(effect.change.parameter)];
            EXPECT_TRUE(chosen.feasible() || !effect.feasible());
            if (effect.feasible() && effect.needed_gain) {
                EXPECT_LE(chosen.needed_gain.value_or(-1e9), *effect.needed_gain);
            }
        }
        std::vector const than{-5.0, 5.0};
        for (std::size_t i = 0; i < 2; ++i) {
            double min = than[i];
            for (auto const& effect : effects) min = effect.feasible() ? std::min(min, effect.vector[i]) : min;
            auto const max = max_gain(effects, i, than);
            ASSERT_EQ(max.has_value(), min < than[i]);
            if (max) {
                EXPECT_EQ(effects[*max].vector[i], min);
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::report::effect_test
