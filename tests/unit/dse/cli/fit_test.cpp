#include "dse/cli/fit.hpp"

#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace pimdse::dse::cli::fit_test {
namespace {

using Values = std::vector<double>;

/// Times of drawn rows: the first two constants beside each other, then further ones, as a step of a machine adds them.
class DrawnRows {
  public:
    DrawnRows(std::uint64_t seed, std::size_t constants, double noise = 0.0) {
        std::mt19937_64 draw(seed);
        std::uniform_real_distribution<double> decades(0.0, 2.0), part(-noise / 2.0, noise / 2.0);
        for (int row = 0; row < 200; ++row) {
            Values work;
            for (std::size_t i = 0; i < constants; ++i) work.push_back(std::pow(10.0, decades(draw)));
            work_.push_back(work);
            scatter_.push_back(part(draw) + part(draw) + part(draw));
        }
    }
    [[nodiscard]] static double seconds(Values const& work, Values const& constants) {
        double longest = std::max(work[0] * constants[0], work[1] * constants[1]);
        for (std::size_t i = 2; i < work.size(); ++i) longest += work[i] * constants[i];
        return longest;
    }
    /// Errors of a machine against rows that one with the `truth` made.
    [[nodiscard]] LogErrors against(Values const& truth) const {
        return [this, truth](std::vector<FittedConstant> const& constants) {
            Values now, all;
            for (auto const& c : constants) now.push_back(c.value);
            for (std::size_t row = 0; row < work_.size(); ++row)
                all.push_back(std::log(seconds(work_[row], now) / seconds(work_[row], truth)) + scatter_[row]);
            return all;
        };
    }

  private:
    std::vector<Values> work_;
    Values scatter_;
};

FittedConstant constant(double value) {
    return {.name = "c", .unit = "s", .before = value, .value = value, .lower = value / 4.0, .upper = 4.0 * value};
}

TEST(Fit, two_to_five_constants_are_found_together) {
    std::mt19937_64 draw(3);
    std::uniform_real_distribution<double> way(-1.0, 1.0);
    for (std::size_t count = 2; count <= 5; ++count)
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            DrawnRows const rows(seed, count);
            Values truth;
            std::vector<FittedConstant> constants;
            for (std::size_t i = 0; i < count; ++i) {
                constants.push_back(constant(1.0));
                truth.push_back(std::pow(3.5, way(draw)));
            }
            fit(constants, rows.against(truth));
            for (std::size_t i = 0; i < count; ++i) {
                EXPECT_FALSE(constants[i].flat);
                EXPECT_NEAR(constants[i].value / truth[i], 1.0, 0.01) << count << " constants, seed " << seed;
            }
        }
}

TEST(Fit, of_rows_that_scatter_the_truth_is_among_what_fits_nearly_as_well) {
    Values const truth{1.4, 0.6, 1.8};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        DrawnRows const rows(seed, truth.size(), 0.3);
        std::vector<FittedConstant> constants(truth.size(), constant(1.0));
        fit(constants, rows.against(truth));
        for (std::size_t i = 0; i < truth.size(); ++i) {
            EXPECT_NEAR(constants[i].value / truth[i], 1.0, 0.15);
            EXPECT_LT(constants[i].nearly_from, truth[i]) << "seed " << seed;
            EXPECT_GT(constants[i].nearly_to, truth[i]) << "seed " << seed;
            EXPECT_LT(constants[i].nearly_to, 1.65 * constants[i].nearly_from) << "seed " << seed;
        }
    }
}

/// Three constants whose work in all rows is alike but for some per cent, as what a host takes for a step, for a
/// sequence and attention of prompts are: each makes up for the others. What the rows say of each must hold the truth
/// all the same, unless they are said to tell nothing of it.
TEST(Fit, of_constants_that_make_up_for_each_other_the_range_holds_the_truth_in_nine_of_ten_draws) {
    std::mt19937_64 draw(11);
    std::uniform_real_distribution<double> way(-1.0, 1.0), decades(0.0, 2.0);
    int told = 0, held = 0, narrow = 0;
    int const all = tests::draws(200, 20);
    for (int i = 0; i < all; ++i) {
        Values truth(3);
        for (auto& one : truth) one = std::pow(2.5, way(draw));
        std::vector<Values> work;
        Values scatter;
        for (int row = 0; row < 60; ++row) {
            double const size = std::pow(10.0, decades(draw));
            work.push_back({size, size * (1.0 + 0.05 * way(draw)), size * (1.0 + 0.2 * way(draw))});
            scatter.push_back(0.02 * (way(draw) + way(draw)));
        }
        auto const seconds = [&](std::size_t row, Values const& constants) {
            double sum = 0.0;
            for (std::size_t c = 0; c < constants.size(); ++c) sum += work[row][c] * constants[c];
            return sum;
        };
        std::vector<FittedConstant> constants(3, constant(1.0));
        fit(constants, [&](std::vector<FittedConstant> const& now) {
            Values values, errors;
            for (auto const& c : now) values.push_back(c.value);
            for (std::size_t row = 0; row < work.size(); ++row)
                errors.push_back(std::log(seconds(row, values) / seconds(row, truth)) + scatter[row]);
            return errors;
        });
        for (std::size_t c = 0; c < truth.size(); ++c) {
            if (constants[c].flat) continue;
            ++told;
            held += constants[c].nearly_from <= truth[c] && truth[c] <= constants[c].nearly_to ? 1 : 0;
            narrow += constants[c].nearly_to < 3.0 * constants[c].nearly_from ? 1 : 0;
        }
    }
    EXPECT_GE(10 * held, 9 * told) << held << " of " << told;
    EXPECT_GT(told, 0);
    EXPECT_GT(narrow, 0) << "a range is no excuse";
}

TEST(Fit, of_two_constants_that_move_all_rows_alike_one_is_fitted_and_the_other_named) {
    auto const product = [](std::vector<FittedConstant> const& constants) {
        return Values{std::log(constants[0].value * constants[1].value / 2.0),
                      std::log(constants[0].value * constants[1].value / 2.0) + 0.01};
    };
    std::vector<FittedConstant> constants(2, constant(1.0));
    fit(constants, product);
    std::size_t const fitted = constants[0].flat ? 1 : 0, other = 1 - fitted;
    EXPECT_FALSE(constants[fitted].flat);
    EXPECT_NEAR(constants[fitted].value, 2.0, 0.02);
    EXPECT_TRUE(constants[other].flat);
    EXPECT_EQ(constants[other].value, 1.0);
    EXPECT_EQ(constants[other].alike, fitted);
}

TEST(Fit, a_constant_that_moves_no_row_costs_two_evaluations) {
    int calls = 0;
    auto const alone = [&](std::vector<FittedConstant> const& constants) {
        ++calls;
        return Values{std::log(constants[0].value / 1.5)};
    };
    std::vector<FittedConstant> constants{constant(1.0)};
    fit(constants, alone);
    int const of_one = calls;
    calls = 0;
    constants = {constant(1.0), constant(3.0)};
    fit(constants, alone);
    EXPECT_EQ(calls, of_one + 2);
    EXPECT_NEAR(constants[0].value, 1.5, 1e-3);
    EXPECT_TRUE(constants[1].flat);
    EXPECT_EQ(constants[1].value, 3.0);
}

TEST(Fit, a_value_beyond_the_range_ends_at_its_end) {
    auto const far = [](std::vector<FittedConstant> const& constants) {
        return Values(100, std::log(constants[0].value / 100.0));
    };
    std::vector<FittedConstant> constants{constant(1.0)};
    fit(constants, far);
    EXPECT_NEAR(constants[0].value, 4.0, 1e-3);
}

TEST(Fit, what_the_rows_throw_is_thrown) {
    int calls = 0;
    auto const failing = [&](std::vector<FittedConstant> const& constants) {
        if (++calls > 10) throw std::domain_error("no such machine");
        return Values{std::log(constants[0].value)};
    };
    std::vector<FittedConstant> constants{constant(1.3)};
    EXPECT_THROW(fit(constants, failing), std::domain_error);
}

}  // namespace
}  // namespace pimdse::dse::cli::fit_test
