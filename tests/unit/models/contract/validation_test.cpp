#include "models/contract/validation.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/published.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::validation_test {
namespace {

/// An architecture whose latency is its only parameter.
Parameters one_parameter() {
    return {{.name = "delay",
             .kind = Kind::quantity,
             .unit = "s",
             .default_value = Value::quantity(1.0),
             .meaning = "the latency"}};
}
MetricList one_metric() { return {{.name = "latency", .unit = "s"}}; }
Outcome evaluate(Inputs const&, Point point, Fidelity) {
    double const delay = point[0].as_quantity();
    if (delay > 10.0) return Infeasible{"too_slow", "more than 10 s"};
    return Metrics{Estimate::exact(delay)};
}
Architecture const echo{.name = "echo",
                        .summary = "returns its parameter",
                        .results_version = 1,
                        .fidelities = {Fidelity::analytic},
                        .parameters = &one_parameter,
                        .metrics = &one_metric,
                        .prepare = [](Parameters const&, ModelOptions const&) { return std::shared_ptr<void const>(); },
                        .evaluate = &evaluate,
                        .explain =
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
    f.grid = {{"delay", {"1 s", "20 s", "4 s"}}};  // both points change: the ratio is 1 wherever both are feasible
    f.value = 1.0;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    f.over.clear();
    f.value = 4.0;
    auto const check = FigureChecker(echo).check(f);  // 20 s is infeasible
    EXPECT_TRUE(check.within);
    EXPECT_EQ(check.problem, "");
    EXPECT_EQ(check.figure.note, "largest at delay = 4 s");
    f.grid = {{"delay", {"20 s", "30 s"}}};
    EXPECT_FALSE(FigureChecker(echo).check(f).within);
    EXPECT_NE(FigureChecker(echo).check(f).problem, "");
}

TEST(Validation, takes_the_smallest_of_a_grid_or_its_spread) {
    auto f = figure(2.0, 1e-12);
    f.set.clear();
    f.grid = {{"delay", {"2 s", "5 s"}}};
    f.of_grid = OfGrid::smallest;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    EXPECT_EQ(FigureChecker(echo).check(f).figure.note, "smallest at delay = 2 s");
    f.of_grid = OfGrid::spread;
    f.value = 2.5;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    EXPECT_EQ(FigureChecker(echo).check(f).figure.note, "5 at delay = 5 s, 2 at delay = 2 s");
}

TEST(Validation, knows_claims_of_one_side) {
    auto f = figure(1.0, 0.0);  // the own value is 2
    f.relation = Relation::at_least;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    f.relation = Relation::at_most;
    EXPECT_FALSE(FigureChecker(echo).check(f).within);
    f.value = 2.1;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    f.relation = Relation::at_least;
    EXPECT_FALSE(FigureChecker(echo).check(f).within);
    f.tolerance = 0.05;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
    f.set = {{"delay", "20 s"}};  // infeasible
    EXPECT_FALSE(FigureChecker(echo).check(f).within);
}

TEST(Validation, divides_by_a_point_of_another_architecture) {
    auto f = figure(0.5, 1e-12);  // the own value is 2
    f.over = {{"delay", "4 s"}};
    f.over_architecture = "other";
    f.over_metric = "latency";
    auto other = echo;
    other.name = "other";
    FigureChecker checker(echo, [&](std::string const& name) -> Architecture const& {
        EXPECT_EQ(name, "other");
        return other;
    });
    EXPECT_TRUE(checker.check(f).within);
    EXPECT_THROW((void)FigureChecker(echo).check(f), sim::InputError);
}

TEST(Validation, divides_a_measured_value_by_the_metric) {
    auto f = figure(3.0, 1e-12);  // the own value is 2
    f.measured = 6.0;
    EXPECT_TRUE(FigureChecker(echo).check(f).within);
}

TEST(Validation, of_what_is_contradicted_fails_once_the_model_agrees) {
    auto f = figure(4.0, 0.1);  // the own value is 2
    f.contradicted = true;
    f.gate = false;
    EXPECT_TRUE(FigureChecker(echo).check(f).as_stated());
    f.value = 2.1;
    EXPECT_FALSE(FigureChecker(echo).check(f).as_stated());
    f.set = {{"delay", "20 s"}};
    EXPECT_FALSE(FigureChecker(echo).check(f).as_stated()) << "a missing value does not contradict anything";
}

TEST(Validation, counts_the_claims_of_a_paper) {
    Paper paper;
    paper.name = "Paper";
    paper.not_modelled = {{"it flies", "no wings"}};
    FigureChecker checker(echo);
    std::vector<FigureCheck> checks;
    auto const add = [&](double value, auto const& change) {
        auto f = figure(value, 0.1);
        f.paper = "Paper";
        change(f);
        checks.push_back(checker.check(f));
    };
    add(2.0, [](auto&) {});
    add(2.0, [](auto& f) { f.fidelity = "analytic"; });  // the same claim again
    add(2.01, [](auto& f) { f.fitted = true; });
    add(4.0, [](auto& f) { f.contradicted = true, f.gate = false; });
    add(2.02, [](auto& f) { f.contradicted = true, f.gate = false; });  // within the tolerance, so not as stated
    add(5.0, [](auto& f) { f.gate = false; });
    add(6.0, [](auto&) {});  // outside the tolerance
    add(2.03, [](auto& f) { f.kind = FigureKind::consistency; });
    add(2.04, [](auto& f) { f.paper = "Other"; });
    auto const n = count_claims(paper, checks);
    EXPECT_EQ(n.reproduced, 1U);
    EXPECT_EQ(n.fitted, 1U);
    EXPECT_EQ(n.contradicted, 1U);
    EXPECT_EQ(n.shown, 1U);
    EXPECT_EQ(n.not_modelled, 1U);
    EXPECT_EQ(n.failed, 2U);
    EXPECT_EQ(n.claims(), 7U);
}

int preparations = 0;

TEST(Validation, prepares_an_architecture_once_for_all_figures_that_bind_the_same_table) {
    auto counting = echo;
    counting.prepare = [](Parameters const&, ModelOptions const& options) {
        EXPECT_EQ(options.assumptions.view, View::own);
        EXPECT_EQ(options.assumptions.constants, ConstantSource::papers);
        EXPECT_EQ(options.assumptions.host, Host::own);
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
}  // namespace pimdse::models::validation_test
