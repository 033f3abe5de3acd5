#include "random_setting.hpp"
#include "shipped.hpp"
#include "tests/support/campaign.hpp"

#include <cmath>
#include <cstdlib>

// Bounds are held at random points: slices of 150 points each in the campaign. PIMDSE_UMDAM_SEED in the environment
// gives other points.

namespace pimdse::models::umdam::fidelity_test {
namespace {

using testing::printed;
using testing::RandomSetting;

std::uint64_t chosen_seed() {
    char const* text =
        std::getenv("PIMDSE_UMDAM_SEED");  // NOLINT(concurrency-mt-unsafe): read before any thread starts
    return text == nullptr ? 2026 : std::strtoull(text, nullptr, 10);
}

void hold(Metrics const& exact, Metrics const& bounded, Fidelity fidelity, std::string const& where) {
    static auto const names = shipped_umdam().metrics();
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto const& [value, lower, upper, bound] = bounded[i];
        if (std::isnan(exact[i].value)) {  // no second token
            EXPECT_TRUE(std::isnan(value)) << names[i].name;
            continue;
        }
        EXPECT_EQ(exact[i].lower, exact[i].upper) << names[i].name;
        EXPECT_LE(lower, value) << names[i].name;
        EXPECT_LE(value, upper) << names[i].name;
        EXPECT_NE(bound, Bound::none) << names[i].name;
        double const slack = 1e-12 * std::abs(exact[i].value);
        bool const inside = lower <= exact[i].value + slack && upper >= exact[i].value - slack;
        EXPECT_TRUE(inside) << names[i].name << " " << name_of(fidelity) << ": " << exact[i].value << " is not in "
                            << lower << " .. " << upper << "\n  " << where;
    }
}

class Bounds : public ::testing::TestWithParam<int> {};

TEST_P(Bounds, of_closed_forms_hold_the_cycle_result_at_random_points) {
    int const points = tests::draws(150, 30);
    auto const& architecture = shipped_umdam();
    RandomSetting settings(chosen_seed() + 1000003U * static_cast<std::uint64_t>(GetParam()));
    int compared = 0;
    for (int trial = 0; trial < points; ++trial) {
        auto const setting = settings.next();
        auto table = architecture.parameters();
        auto const point = point_with(table, setting);
        auto const inputs = prepare(architecture, table);
        auto const analytic = evaluate_safely(architecture, inputs, point, Fidelity::analytic);
        ASSERT_FALSE(std::holds_alternative<Defect>(analytic)) << std::get<Defect>(analytic).what << printed(setting);
        if (!std::holds_alternative<Metrics>(analytic)) continue;
        auto const exact = evaluate_safely(architecture, inputs, point, Fidelity::cycle);
        ASSERT_TRUE(std::holds_alternative<Metrics>(exact)) << printed(setting);
        hold(std::get<Metrics>(exact), std::get<Metrics>(analytic), Fidelity::analytic, printed(setting));
        ++compared;
    }
    RecordProperty("feasible", compared);
    EXPECT_GT(compared, points / 6);
}

INSTANTIATE_TEST_SUITE_P(Slices, Bounds, ::testing::Range(0, tests::in_campaign() ? 20 : 1));

TEST(Fidelity, gives_the_same_result_again_and_in_another_order) {
    auto const& architecture = shipped_umdam();
    RandomSetting settings(7);
    for (int trial = 0; trial < 12; ++trial) {
        auto const setting = settings.next();
        auto table = architecture.parameters();
        auto const point = point_with(table, setting);
        auto const once = prepare(architecture, table), again = prepare(architecture, table);
        (void)evaluate_safely(architecture, again, default_point(table), Fidelity::analytic);
        (void)evaluate_safely(architecture, again, point, Fidelity::cycle);
        for (auto const fidelity : {Fidelity::cycle, Fidelity::analytic}) {
            auto const a = evaluate_safely(architecture, once, point, fidelity),
                       b = evaluate_safely(architecture, again, point, fidelity);
            ASSERT_EQ(a.index(), b.index());
            if (!std::holds_alternative<Metrics>(a)) continue;
            for (std::size_t i = 0; i < std::get<Metrics>(a).size(); ++i) {
                auto const &x = std::get<Metrics>(a)[i], &y = std::get<Metrics>(b)[i];
                EXPECT_TRUE(x.value == y.value || (std::isnan(x.value) && std::isnan(y.value))) << printed(setting);
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::fidelity_test
