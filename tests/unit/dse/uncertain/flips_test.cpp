#include "dse/uncertain/flips.hpp"

#include "dse/uncertain/flips_json.hpp"
#include "sim/base/json.hpp"
#include "tests/unit/dse/report/two_machines.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

namespace pimdse::dse::uncertain::flips_test {
namespace {

Parse const parse = [](std::vector<space::Override> const& overrides) { return testing::two_machines(overrides); };

std::optional<std::size_t> winner_with(FlipReport const& report, std::vector<space::Override> const& overrides,
                                       std::size_t q) {
    auto const space = parse(overrides);
    return rank_machines(space, report.questions, 1, nullptr, 1)[q].winner(report.questions[q].maximize);
}

void expect_winners_before_and_after(FlipReport const& report) {
    ASSERT_GT(report.flips.size(), 3U);
    for (auto const& flip : report.flips) {
        EXPECT_NE(flip.before, flip.after);
        EXPECT_EQ(winner_with(report, {}, flip.question), flip.before);
        EXPECT_EQ(winner_with(report, report.variations[flip.variation].overrides, flip.question), flip.after);
    }
}

void expect_break_evens_between_the_ends(FlipReport const& report) {
    std::size_t found = 0;
    for (auto const& flip : report.flips) {
        auto const& variation = report.variations[flip.variation];
        EXPECT_EQ(flip.break_even.has_value(), variation.numeric) << variation.assumption;
        if (!flip.break_even) continue;
        ++found;
        double const even = *flip.break_even;
        EXPECT_GE(even, std::min(variation.start, variation.end) * (1.0 - 1e-9));
        EXPECT_LE(even, std::max(variation.start, variation.end) * (1.0 + 1e-9));
        EXPECT_NE(winner_with(report, variation.overrides_at(even), flip.question), flip.before)
            << variation.assumption;
    }
    EXPECT_GT(found, 2U);
}

void expect_no_flip_of_what_is_robust(FlipReport const& report) {
    auto const robust = report.robust();
    for (std::size_t q = 0; q < report.questions.size(); ++q) {
        bool const flipped = std::ranges::any_of(report.flips, [q](Flip const& flip) { return flip.question == q; });
        EXPECT_NE(std::ranges::find(robust, q) != robust.end(), flipped);
    }
}

void expect_names_in_json(FlipReport const& report) {
    auto const space = parse({});
    auto const text = flips_json(space, report);
    ASSERT_EQ(text["winners"].size(), report.questions.size());
    ASSERT_EQ(text["flips"].size(), report.flips.size());
    EXPECT_EQ(text["variations"].size(), report.variations.size());
    EXPECT_EQ(text["points"], space.size());
    for (std::size_t i = 0; i < report.flips.size(); ++i) {
        auto const& flip = report.flips[i];
        auto const& told = text["flips"][i];
        EXPECT_EQ(told["before"], space.machines()[*flip.before].name);
        EXPECT_EQ(told["break_even"].is_null(), !flip.break_even);
        EXPECT_EQ(told["ratio"].is_null(), !std::isfinite(flip.ratio));
    }
}

// One study for all, because it takes seconds.
TEST(Flips, are_true_and_told) {
    auto const report = flips_of(parse, {.threads = 2});
    expect_winners_before_and_after(report);
    expect_break_evens_between_the_ends(report);
    expect_no_flip_of_what_is_robust(report);
    expect_names_in_json(report);

    auto const few = flips_of(parse, {.kept = 1, .threads = 1});
    EXPECT_LT(few.candidates, few.points);
    for (std::size_t q = 0; q < few.questions.size(); ++q) {
        bool const maximize = few.questions[q].maximize;
        EXPECT_EQ(few.as_assumed[q].winner(maximize), report.as_assumed[q].winner(maximize));
    }
}

}  // namespace
}  // namespace pimdse::dse::uncertain::flips_test
