#include "models/contract/published.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::published_test {
namespace {

TEST(Published, figures_are_within_their_tolerance) {
    int held = 0;
    for (auto const& figure : load_published("cim_mesh")) {
        Given const given{Settings(figure.set)};
        auto const fidelity = figure.fidelity == "cycle" ? Fidelity::cycle : Fidelity::analytic;
        double ours = given.metric(figure.metric, fidelity).value;
        if (!figure.over.empty() && figure.over_architecture.empty()) {
            auto const& under = figure.over_metric.empty() ? figure.metric : figure.over_metric;
            ours /= Given(Settings(figure.over)).metric(under, fidelity).value;
        }
        if (figure.gate) {
            EXPECT_NEAR(ours / figure.value, 1.0, figure.tolerance) << figure.name;
            ++held;
        }
    }
    EXPECT_GE(held, 35);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::published_test
