#include "dse/store/comparison.hpp"

#include "dse/store/comparison.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace pimdse::dse::store::comparison_test {
namespace {

TEST(Comparison, finds_files_equal_only_where_their_digests_are) {
    sample::TemporaryDirectory const directory;
    auto const file = [&](std::string const& name, std::vector<space::Result> const& results) {
        seal(directory / name, sample::columns(), sample::store(results), {});
        return load_result_file(directory / name);
    };
    auto const whole = sample::results(0, 300);
    auto const left = file("left.h5", whole);
    using models::Bound;
    auto const changes_of = [](models::Estimate e) {
        auto lower = e, upper = e, kinds = e;
        lower.lower -= 1e-3;
        upper.upper += 1e-3;
        kinds.kinds = kinds.kinds == sim::BoundKinds(Bound::none) ? Bound::calibrated : Bound::none;
        return std::vector{lower, upper, kinds};
    };
    std::size_t compared = 0;
    for (std::size_t at = 0; at < 40; ++at) {
        std::vector<models::Outcome> changed;
        if (auto const* metrics = std::get_if<models::Metrics>(&whole[at].outcome)) {
            for (auto const& estimate : changes_of((*metrics)[1])) {
                auto other = *metrics;
                other[1] = estimate;
                changed.emplace_back(std::move(other));
            }
        } else if (auto const* infeasible = std::get_if<models::Infeasible>(&whole[at].outcome)) {
            changed.emplace_back(models::Infeasible{infeasible->rule + "?", infeasible->reason});
            changed.emplace_back(models::Infeasible{infeasible->rule, infeasible->reason + "?"});
        }
        for (auto const& outcome : changed) {
            auto results = whole;
            results[at].outcome = outcome;
            auto const right = file("right.h5", results);
            auto const comparison = compare(left, right);
            ASSERT_NE(left.digest, right.digest);
            ASSERT_EQ(comparison.differences.size(), 1U) << "point " << at;
            EXPECT_EQ(index_of(comparison.differences[0].task.point), at);
            EXPECT_NE(comparison.differences[0].left_text, comparison.differences[0].right_text);
            ++compared;
        }
    }
    EXPECT_GT(compared, 60U);
}

TEST(Agreement, is_within_a_share_of_finite_numbers_and_the_same_of_others) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(agree(100.0, 101.0, 0.01));
    EXPECT_TRUE(agree(-100.0, -99.0, 0.01));
    EXPECT_FALSE(agree(100.0, 101.1, 0.01));
    EXPECT_FALSE(agree(0.0, 1e-300, 0.5));
    EXPECT_TRUE(agree(0.0, -0.0, 0.5));
    EXPECT_FALSE(agree(0.0, -0.0, 0.0)) << "their bits differ";
    for (double const share : {0.0, 0.5}) {
        EXPECT_TRUE(agree(infinite, infinite, share));
        EXPECT_TRUE(agree(std::nan(""), std::nan(""), share));
        for (double const other : {5.0, -infinite, std::nan("")}) {
            EXPECT_FALSE(agree(infinite, other, share)) << other << " is no infinity";
            EXPECT_FALSE(agree(other, infinite, share)) << other << " is no infinity";
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::store::comparison_test
