#include "dse/uncertain/polynomials.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <vector>

namespace pimdse::dse::uncertain::polynomials_test {
namespace {

TEST(MultilinearForm, IsExactForSumsOfProductsOfTwo) {
    auto const f = [](double x, double y, double z) {
        return std::vector{3.0 + 2.0 * x - y + 5.0 * x * y, 1.0 + z + x * z};
    };
    double const x0 = 2.0, y0 = 3.0, z0 = 0.5, dx = 1.5, dy = -1.0, dz = 4.0;
    MultilinearForm::Terms const terms{{0, 1}, {0, 2}};
    MultilinearForm const form(f(x0, y0, z0), {f(x0 + dx, y0, z0), f(x0, y0 + dy, z0), f(x0, y0, z0 + dz)},
                               {f(x0 + dx, y0 + dy, z0), f(x0 + dx, y0, z0 + dz)}, {dx, dy, dz}, terms);
    for (double const share : {-1.0, 0.0, 0.25, 2.0})
        EXPECT_TRUE(equal_within(form.at({share, 1.0 - share, 2.0 * share}, terms),
                                 f(x0 + share, y0 + 1.0 - share, z0 + 2.0 * share)));
    EXPECT_FALSE(equal_within({1.0}, {1.0 + 1e-8}));
}

std::vector<UncertainConstant> constants_from(std::vector<double> const& nominal) {
    std::vector<UncertainConstant> list;
    for (double const value : nominal) {
        auto& constant = list.emplace_back();
        constant.nominal = value;
        constant.lower = 0.5 * value;
        constant.upper = 2.0 * value;
    }
    return list;
}

/// Two energies and a leakage, divided by an efficiency, and two areas; the constant at position 2 moves nothing.
std::vector<double> objectives(std::vector<double> const& c) {
    return {3.0 * c[0] + (2.0 * c[1] + c[0] * c[3]) / c[4], 7.0 * c[5] + c[6]};
}

Movements moved() {
    constexpr ConstantSlope none = Slope::flat, up = Slope::up, down = Slope::down;
    Movements all;
    for (std::size_t const c : {0U, 1U, 3U, 4U}) {
        all.constants.push_back(c);
        all.of_constant.push_back({c == 4 ? down : up, none, none});
    }
    for (std::size_t const c : {5U, 6U}) {
        all.constants.push_back(c);
        all.of_constant.push_back({none, up, none});
    }
    return all;
}

using Objectives = std::vector<double> (*)(std::vector<double> const&);

/// The objectives under each setting of a plan.
std::vector<std::vector<double>> results_of(FormPlan const& plan, std::vector<double> const& nominal, Objectives of) {
    std::vector<std::vector<double>> results;
    for (auto const& settings : plan.settings()) {
        auto values = nominal;
        for (auto const& [constant, si] : settings) values[constant] = si;
        results.push_back(of(values));
    }
    return results;
}

TEST(FormPlan, FindsAPolynomialFromFewEvaluations) {
    std::vector<double> const nominal{2.0, 3.0, 1.0, 0.25, 0.5, 4.0, 1.0};
    auto const constants = constants_from(nominal);
    auto kinds = std::vector(6, VariableKind::constant);
    kinds[3] = VariableKind::reciprocal;
    FormPlan const plan(constants, moved(), {{0, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 2, 3}}, kinds);
    EXPECT_EQ(plan.settings().size(), 9U) << "the areas are changed beside energies";
    auto const form = plan.form(objectives(nominal), results_of(plan, nominal, objectives)).value();
    for (double const factor : {0.5, 0.8, 1.0, 1.7, 2.0}) {
        auto values = nominal;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 2 == 0 ? factor : 2.5 - factor;
        EXPECT_TRUE(equal_within(plan.at(form, plan.differences(values)), objectives(values))) << factor;
    }
}

TEST(FormPlan, ChangesNoObjectiveTwiceInAnEvaluation) {
    auto const constants = constants_from({1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
    auto const all = moved();
    FormPlan const plan(constants, all, {{0, 1}, {4, 5}}, std::vector(6, VariableKind::constant));
    std::size_t changed = 0;
    for (auto const& settings : plan.settings()) {
        bool energy = false, area = false;
        std::size_t of_energy = 0, of_area = 0;
        for (auto const& setting : settings) {
            (setting.constant < 5 ? of_energy : of_area) += 1;
            energy = energy || setting.constant < 5;
            area = area || setting.constant >= 5;
        }
        EXPECT_LE(of_energy, 2U);
        EXPECT_LE(of_area, 2U);
        changed += settings.size();
    }
    EXPECT_EQ(changed, 6U + 2U + 2U);
}

/// An energy interpolated by powers between those of two sizes of memory, beside another energy.
std::vector<double> interpolated(std::vector<double> const& c) {
    double const access = std::pow(c[0], 0.3) * std::pow(c[1], 0.7);
    return {5.0 + 40.0 * access + 2.0 * c[2], 3.0 + 7.0 * c[3]};
}

std::vector<double> with_a_kink(std::vector<double> const& c) {
    return {5.0 + std::abs(c[0] - 2.0) + c[1] * c[2], 3.0 + 7.0 * c[3]};
}

FormPlan plan_of_powers(std::vector<double> const& nominal) {
    constexpr ConstantSlope none = Slope::flat, up = Slope::up;
    Movements const moved{{0, 1, 2, 3}, {{up, none, none}, {up, none, none}, {up, none, none}, {none, up, none}}};
    auto kinds = std::vector(4, VariableKind::constant);
    kinds[0] = kinds[1] = VariableKind::power;
    return {constants_from(nominal), moved, {{0, 1}}, kinds};
}

TEST(FormPlan, FindsTheExponentsOfPowers) {
    std::vector<double> const nominal{2.0, 3.0, 1.0, 0.25};
    auto const plan = plan_of_powers(nominal);
    EXPECT_EQ(plan.settings().size(), 6U) << "two powers at both ends, another energy with the area, and a product";
    auto const form = plan.form(interpolated(nominal), results_of(plan, nominal, interpolated)).value();
    EXPECT_NEAR(form.exponents[0], 0.3, 1e-9);
    EXPECT_NEAR(form.exponents[1], 0.7, 1e-9);
    for (double const factor : {0.5, 0.8, 1.0, 1.7, 2.0}) {
        std::vector<double> const values{2.0 * factor, 3.0 * (2.5 - factor), factor, 0.25 / factor};
        EXPECT_TRUE(equal_within(plan.at(form, plan.differences(values)), interpolated(values))) << factor;
    }
}

TEST(FormPlan, HasNoFormForWhatIsNoPower) {
    std::vector<double> const nominal{2.0, 3.0, 1.0, 0.25};
    auto const plan = plan_of_powers(nominal);
    EXPECT_FALSE(plan.form(with_a_kink(nominal), results_of(plan, nominal, with_a_kink)).has_value());
}

TEST(ExponentFrom, InvertsPowers) {
    for (double const exponent : {-3.0, -1.0, -0.01, 0.2, 1.0, 1.9, 7.0}) {
        double const lower = 0.4, upper = 1.8;
        double const ratio = (std::pow(upper, exponent) - 1.0) / (1.0 - std::pow(lower, exponent));
        EXPECT_NEAR(exponent_from(ratio, lower, upper).value(), exponent, 1e-11);
    }
    EXPECT_NEAR(exponent_from(std::log(2.0) / -std::log(0.5), 0.5, 2.0).value(), 0.0, 1e-12);
    EXPECT_FALSE(exponent_from(-0.5, 0.5, 2.0).has_value()) << "both ends lie on one side";
    EXPECT_FALSE(exponent_from(1e9, 0.5, 2.0).has_value());
    EXPECT_FALSE(exponent_from(std::nan(""), 0.5, 2.0).has_value());
}

}  // namespace
}  // namespace pimdse::dse::uncertain::polynomials_test
