#include "dse/space/formula.hpp"

#include "dse/space/evaluation.hpp"
#include "dse/space/search_settings.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/dse/made_up_space.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace pimdse::dse::space::formula_test {
namespace {

using models::Bound;
using models::Estimate;
using models::Sense;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

models::MetricList const metrics{
    {.name = "latency", .unit = "s"},
    {.name = "area", .unit = "m2", .assumed = true},
    {.name = "memory_area", .unit = "m2"},
    {.name = "speed", .unit = "1/s", .better = Sense::maximize},
    {.name = "bits", .unit = "bit", .better = Sense::none},
    {.name = "latency@my-chat", .unit = "s"},
    {.name = "other.area", .unit = "m2"},
};

MetricFormula formula(std::string const& text) { return {metrics, text}; }

std::string refusal(std::string const& text) {
    return refusal_by([&] { (void)formula(text); });
}

TEST(Formula, has_the_unit_and_the_sense_of_what_it_is_made_of) {
    struct Case {
        std::string text, unit;
        Sense better;
    };
    for (auto const& [text, unit, better] : std::vector<Case>{{"area + memory_area", "m2", Sense::minimize},
                                                              {"latency * area", "m2*s", Sense::minimize},
                                                              {"latency / speed", "s*s", Sense::minimize},
                                                              {"speed / area", "1/m2/s", Sense::maximize},
                                                              {"speed / latency@my-chat", "1/s/s", Sense::maximize},
                                                              {"2 * (area + 1 mm2)", "m2", Sense::minimize},
                                                              {"-speed", "1/s", Sense::minimize},
                                                              {"latency * bits", "B*s", Sense::minimize}}) {
        auto const found = formula(text).metric();
        EXPECT_EQ(found.name, text);
        EXPECT_EQ(found.unit, unit) << text;
        EXPECT_EQ(found.better, better) << text;
        EXPECT_EQ(found.assumed, text.find("area") != std::string::npos) << text;
    }
}

TEST(Formula, is_told_which_way_is_better_where_it_does_not_say_so_itself) {
    EXPECT_THAT(refusal("latency - latency@my-chat"), says("write-minimize-latency-latency"));
    EXPECT_THAT(refusal("area * speed"), says("state-whether"));
    auto const told = formula("maximize  area * speed");
    EXPECT_EQ(told.metric().name, "maximize area * speed");
    EXPECT_EQ(told.metric().better, Sense::maximize);
    EXPECT_EQ(formula("minimize area + memory_area").metric().name, "area + memory_area");
    EXPECT_THAT(refusal("maximize area + memory_area"), says("less-better"));
}

TEST(Formula, refuses_what_is_no_number_of_metrics) {
    EXPECT_THAT(refusal("latency + area"), HasSubstr("units differ"));
    EXPECT_THAT(refusal("area + memory_aera"), says("memory_aera-metric-did-you"));
    EXPECT_THAT(refusal("latency < 1 s"), HasSubstr("a condition"));
    EXPECT_THAT(refusal("1 + 2"), says("contains-no-metric"));
    EXPECT_THAT(refusal("area + "), HasSubstr("ends too early"));
    EXPECT_THAT(refusal("latency.upper + 1 s"), says("metric"));
    EXPECT_THAT(refusal("bits * 2"), says("state-whether-2"));
}

/// Ends bound the formula of any numbers within the intervals of the metrics.
TEST(Formula, bounds_what_metrics_within_their_intervals_make_of_it) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(0.0, 4.0);
    std::vector<std::string> const texts{"area + memory_area",
                                         "latency * area",
                                         "speed / area",
                                         "minimize latency - latency@my-chat",
                                         "(area + 1 m2) / (speed + 1 1/s)",
                                         "minimize latency * speed - 2",
                                         "-speed"};
    for (auto const& text : texts) {
        auto const made = formula(text);
        for (int round = 0; round < 400; ++round) {
            models::Metrics around, inside;
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                double ends[3] = {number(random), number(random), number(random)};
                std::sort(ends, ends + 3);
                std::array const kinds{Bound::none, Bound::calibrated, Bound::proved};
                around.push_back({ends[1], ends[0], ends[2], {kinds[random() % 3], kinds[random() % 3]}});
                double const share = std::uniform_real_distribution<double>(0.0, 1.0)(random);
                inside.push_back(Estimate::exact(ends[0] + share * (ends[2] - ends[0])));
            }
            auto const whole = made.of(around), one = made.of(inside);
            ASSERT_LE(whole.lower, whole.value);
            ASSERT_LE(whole.value, whole.upper);
            if (whole.kinds.lower != Bound::none) {
                ASSERT_LE(whole.lower, one.value) << text;
            }
            if (whole.kinds.upper != Bound::none) {
                ASSERT_GE(whole.upper, one.value) << text;
            }
            ASSERT_TRUE(one.is_exact() && one.kinds == Bound::proved);
        }
    }
    auto const sum = formula("area + memory_area");
    auto const kinds_of = [&](sim::BoundKinds a, sim::BoundKinds b) {
        models::Metrics all(metrics.size(), Estimate::exact(1.0));
        all[1] = {2.0, 1.0, 3.0, a};
        all[2] = {2.0, 1.0, 3.0, b};
        return sum.of(all).kinds;
    };
    EXPECT_EQ(kinds_of(Bound::proved, Bound::proved), sim::BoundKinds(Bound::proved));
    EXPECT_EQ(kinds_of({Bound::proved, Bound::calibrated}, Bound::proved),
              sim::BoundKinds(Bound::proved, Bound::calibrated));
    EXPECT_EQ(kinds_of({Bound::none, Bound::proved}, {Bound::calibrated, Bound::calibrated}),
              sim::BoundKinds(Bound::none, Bound::calibrated));
    models::Metrics none(metrics.size(), Estimate::exact(1.0));
    none[1] = Estimate::unbounded(std::nan(""));
    EXPECT_TRUE(std::isnan(sum.of(none).value));
}

TEST(Formula, comes_behind_plain_metrics_and_before_those_of_scenarios_and_machines) {
    EXPECT_EQ(place_of_formulas(metrics), 5U);
    auto const found = parse_objectives({metrics.begin(), metrics.begin() + 6},
                                        {"latency@my-chat", "area + memory_area", "speed", "latency@my-chat * 2"});
    std::vector<std::size_t> places;
    for (auto const& objective : found.list) places.push_back(objective.metric);
    EXPECT_THAT(places, ElementsAre(7U, 5U, 3U, 6U));
    EXPECT_THAT(found.read, ElementsAre("latency@my-chat", "area", "memory_area", "speed", "latency@my-chat"));
    EXPECT_THROW((void)parse_objectives(metrics, {"area + memory_area", "area  +  memory_area"}), sim::InputError);
}

TEST(Formula, is_a_metric_of_its_space) {
    auto space = testing::made_up_space({testing::made_up_machine({.rows = testing::up_to(5)})});
    auto const before = space.canonical_text();
    space.set_objectives(parse_objectives(space.plain_metrics(), {"latency * energy", "speed"}));
    EXPECT_NE(space.canonical_text(), before);
    ASSERT_EQ(space.metrics().size(), 4U);
    EXPECT_EQ(space.metrics()[3].name, "latency * energy");
    EXPECT_EQ(space.objectives()[0].metric, 3U);
    auto const result = space::evaluate(space, {space::PointId{2}, models::Fidelity::analytic});
    auto const& all = std::get<models::Metrics>(result.outcome);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_DOUBLE_EQ(all[3].value, all[0].value * all[1].value);
    EXPECT_DOUBLE_EQ(all[3].lower, all[0].lower * all[1].lower);
    EXPECT_DOUBLE_EQ(all[3].upper, all[0].upper * all[1].upper);
    EXPECT_EQ(all[3].kinds, sim::BoundKinds(Bound::proved));
    space.set_objectives(parse_objectives(space.plain_metrics(), {"latency", "energy"}));
    EXPECT_EQ(space.canonical_text(), before) << "formulas are those of the objectives";
}

}  // namespace
}  // namespace pimdse::dse::space::formula_test
