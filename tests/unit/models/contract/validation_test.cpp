#include "models/contract/validation.hpp"
#include "models/contract/published.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>

namespace pimdse::models {
namespace {

/// An architecture whose latency is its one parameter.
Parameters one_parameter() {
    return {{.name = "delay",
             .kind = Kind::quantity,
             .unit = "s",
             .fallback = Value::quantity(1.0),
             .meaning = "what it takes"}};
}
MetricList one_metric() { return {{.name = "latency", .unit = "s"}}; }
Outcome evaluate(Inputs const&, Point point, Fidelity) {
    double const delay = point[0].as_quantity();
    if (delay > 10.0) return Infeasible{"too_slow", "more than 10 s"};
    return Metrics{Estimate::exact(delay)};
}
Architecture const echo{"echo",
                        "says what it is told",
                        {Fidelity::analytic},
                        &one_parameter,
                        &one_metric,
                        [](Parameters const&, ModelOptions const&) { return std::shared_ptr<void const>(); },
                        &evaluate,
                        [](Inputs const& inputs, Point point, Fidelity fidelity) {
                            return Explained{{}, evaluate(inputs, point, fidelity)};
                        }};

PublishedFigure figure(double value, double tolerance) {
    PublishedFigure f;
    f.metric = "latency";
    f.set = {{"delay", "2 s"}};
    f.value = value;
    f.tolerance = tolerance;
    return f;
}

TEST(Validation, compares_a_metric_with_its_published_value) {
    EXPECT_TRUE(FigureChecker(echo).check(figure(2.0, 0.0)).within);
    EXPECT_TRUE(FigureChecker(echo).check(figure(2.1, 0.05)).within);
    EXPECT_FALSE(FigureChecker(echo).check(figure(2.2, 0.05)).within);
}

TEST(Validation, compares_ratios_of_two_points) {
    auto f = figure(4.0, 1e-12);
    f.over = {{"delay", "500 ms"}};
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
}

TEST(Validation, takes_the_largest_of_a_grid_and_says_where_it_was) {
    auto f = figure(4.0, 1e-12);
    f.over = {{"delay", "1 s"}};
    f.set.clear();
    f.grid = {{"delay", {"1 s", "20 s", "4 s"}}};  // both points move: a ratio of 1 wherever both are possible
    f.value = 1.0;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    f.over.clear();
    f.value = 4.0;
    auto const check = FigureChecker(echo).check(f);  // 20 s is impossible
    EXPECT_TRUE(check.within);
    EXPECT_EQ(check.problem, "");
    EXPECT_EQ(check.figure.note, "largest at delay = 4 s");
    f.grid = {{"delay", {"20 s", "30 s"}}};
    EXPECT_FALSE(FigureChecker(echo).check(f).within);
    EXPECT_NE(FigureChecker(echo).check(f).problem, "");
}

int preparations = 0;

TEST(Validation, prepares_an_architecture_once_for_all_figures_that_bind_the_same_table) {
    auto counting = echo;
    counting.prepare = [](Parameters const&, ModelOptions const&) {
        ++preparations;
        return std::shared_ptr<void const>();
    };
    FigureChecker checker(counting);
    EXPECT_TRUE(checker.check(figure(2.0, 0.0)).within);
    EXPECT_TRUE(checker.check(figure(2.0, 0.0)).within);
    EXPECT_EQ(preparations, 1);
}

TEST(Validation, is_outside_where_the_point_is_infeasible) {
    auto f = figure(20.0, 1.0);
    f.set = {{"delay", "20 s"}};
    auto const check = FigureChecker(echo).check(f);
    EXPECT_FALSE(check.within);
    EXPECT_NE(check.problem.find("too_slow"), std::string::npos);
}

TEST(Validation, refuses_a_figure_that_names_nothing) {
    auto f = figure(1.0, 0.0);
    f.metric = "latncy";
    EXPECT_THROW((void)FigureChecker(echo).check(f), sim::InputError);
    f = figure(1.0, 0.0);
    f.set = {{"dely", "2 s"}};
    EXPECT_THROW((void)FigureChecker(echo).check(f), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models
