#include "models/catalogue.hpp"
#include "models/contract/parameter_text.hpp"
#include "random_point.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <cmath>

/// What a search relies on: proved lower bounds and their declared directions.
namespace pimdse::laws::bounds_test {
namespace {

using models::Architecture;
using models::Bound;
using models::Fidelity;
using models::Metrics;

class LowerBounds : public ::testing::TestWithParam<Architecture const*> {
  protected:
    Architecture const& architecture() const { return *GetParam(); }
    std::string shown(std::vector<models::Value> const& point) const { return laws::shown(inputs_.parameters, point); }
    models::Inputs inputs_ = models::prepare(architecture(), architecture().parameters());
};

TEST_P(LowerBounds, of_times_and_energies_are_proved_at_analytic_level) {
    auto const table = architecture().metrics();
    for (std::uint64_t seed = 0; seed < tests::draws(200UL); ++seed) {
        auto const point = random_point(inputs_.parameters, seed);
        auto const outcome = architecture().evaluate(inputs_, point, Fidelity::analytic);
        auto const* metrics = std::get_if<Metrics>(&outcome);
        for (std::size_t i = 0; metrics != nullptr && i < table.size(); ++i) {
            if ((table[i].unit != "s" && table[i].unit != "J") || std::isnan((*metrics)[i].value)) continue;
            EXPECT_EQ((*metrics)[i].kinds.lower, Bound::proved) << table[i].name << " at " << shown(point);
        }
    }
}

double better_bound(models::Sense better, models::Outcome const& outcome, int metric) {
    auto const& estimate = std::get<Metrics>(outcome)[static_cast<std::size_t>(metric)];
    bool const up = better == models::Sense::maximize;
    EXPECT_EQ(up ? estimate.kinds.upper : estimate.kinds.lower, Bound::proved) << metric;
    return up ? estimate.upper : estimate.lower;
}

TEST_P(LowerBounds, go_where_they_are_declared_to_go) {
    ASSERT_NE(architecture().proofs.monotone_lower_bounds, nullptr);
    auto const declared = architecture().proofs.monotone_lower_bounds(inputs_);
    auto const table = architecture().metrics();
    Bits bits(22112026);
    for (auto const& law : declared) {
        int const parameter = models::find_parameter(inputs_.parameters, law.parameter);
        int const metric = models::find_metric(table, law.metric);
        ASSERT_GE(parameter, 0) << law.parameter;
        ASSERT_GE(metric, 0) << law.metric;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            auto less = random_point(inputs_.parameters, bits.below(1U << 20));
            auto more = less;
            auto const at = static_cast<std::size_t>(parameter);
            if (law.one_device && !serves_alone(inputs_.parameters, less)) continue;
            less[at] = another_value(inputs_.parameters[at], bits);
            more[at] = another_value(inputs_.parameters[at], bits);
            auto const number = [&](models::Value const& v) {
                return inputs_.parameters[at].kind == models::Kind::integer ? static_cast<double>(v.as_integer())
                                                                            : v.as_quantity();
            };
            if (number(less[at]) > number(more[at])) std::swap(less, more);
            auto const a = architecture().evaluate(inputs_, less, Fidelity::analytic);
            auto const b = architecture().evaluate(inputs_, more, Fidelity::analytic);
            if (!std::holds_alternative<Metrics>(a) || !std::holds_alternative<Metrics>(b)) continue;
            double const before = better_bound(table[static_cast<std::size_t>(metric)].better, a, metric);
            double const after = better_bound(table[static_cast<std::size_t>(metric)].better, b, metric);
            double const slack = 1e-12 * std::abs(before);
            if (law.slope != models::Slope::up) {
                EXPECT_LE(after, before + slack) << law.parameter << " " << law.metric << " at " << shown(less);
            }
            if (law.slope != models::Slope::down) {
                EXPECT_GE(after, before - slack) << law.parameter << " " << law.metric << " at " << shown(less);
            }
        }
    }
}

std::vector<Architecture const*> everyone() {
    std::vector<Architecture const*> all;
    for (auto const& architecture : models::catalogue()) all.push_back(&architecture);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, LowerBounds, ::testing::ValuesIn(everyone()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::bounds_test
