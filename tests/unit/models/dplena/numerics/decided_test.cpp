#include "models/dplena/numerics/decided.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <set>

/// What is decided from ranges is held against the choice among the confidences themselves.
namespace decided_test {
namespace {

using namespace pimdse::models::dplena;
using support::Rng;

/// Confidences and what is known of them: exactly, roughly, or nothing.
struct Known {
    std::vector<double> exact;
    std::vector<std::optional<BoundedRow>> bounds;
    std::set<std::size_t> looked;

    Known(Rng& rng, std::size_t rows) {
        // Many are equal; some are 0, which is never chosen.
        auto const steps = rng.one_of(std::vector<std::int64_t>{1, 3, 16, 1 << 16});
        auto const unknown = rng.below(4), wide = rng.below(3);
        for (std::size_t i = 0; i < rows; ++i) {
            auto const value = static_cast<double>(
                static_cast<float>(static_cast<double>(rng.below(steps + 1)) / static_cast<double>(steps)));
            exact.push_back(value);
            if (unknown == 3 || rng.below(4) < unknown) {
                bounds.emplace_back();
            } else {
                auto const around = wide == 0 ? 0.0 : wide == 1 ? 0.1 * rng.unit() : rng.unit();
                auto const lower = std::max(0.0, value - around * rng.unit());
                auto const upper = std::min(1.0, value + around * rng.unit());
                bounds.emplace_back(BoundedRow{{lower, upper}, 0});
            }
        }
    }
    [[nodiscard]] Confidences confidences() {
        auto const rounded = [](double x) { return static_cast<double>(static_cast<float>(x)); };
        return {bounds, rounded, [this](std::size_t row) {
                    EXPECT_TRUE(looked.insert(row).second) << "row " << row << " is looked at twice";
                    return exact[row];
                }};
    }
    [[nodiscard]] Flags truth(std::span<std::size_t const> rows, std::int64_t k, TransferPolicy const& policy) const {
        std::vector<RowResult> results;
        for (auto const row : rows) results.push_back({.confidence = static_cast<float>(exact[row])});
        return choose_transfer(results, Flags(rows.size(), 1), k, policy);
    }
};

TransferPolicy drawn_policy(Rng& rng) {
    TransferPolicy policy{.remasking = static_cast<Remasking>(rng.below(4))};
    policy.threshold = static_cast<float>(rng.unit() * 1.2);
    policy.factor = static_cast<float>(rng.unit() * 4.0);
    return policy;
}

std::vector<std::size_t> from(std::size_t first, std::size_t count) {
    std::vector<std::size_t> rows(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = first + i;
    return rows;
}

TEST(DplenaDecided, chooses_as_if_every_confidence_had_been_looked_at) {
    Rng rng(1);
    std::size_t looked = 0, all = 0;
    for (int run = 0; run < 3000; ++run) {
        auto const first = static_cast<std::size_t>(rng.below(3)), count = static_cast<std::size_t>(rng.below(20));
        Known known(rng, first + count + 2);
        auto const policy = drawn_policy(rng);
        auto const k = rng.below(static_cast<std::int64_t>(count) + 3);
        auto confidences = known.confidences();
        ASSERT_EQ(confidences.chosen(first, count, k, policy), known.truth(from(first, count), k, policy))
            << "run " << run << ", policy " << static_cast<int>(policy.remasking) << ", k " << k;
        for (auto const row : known.looked) EXPECT_TRUE(row >= first && row < first + count);
        looked += known.looked.size();
        all += count;
    }
    EXPECT_LT(4 * looked, 3 * all) << "some rows need no look";
}

TEST(DplenaDecided, counts_what_is_chosen_of_rows_that_come_more_than_once) {
    Rng rng(2);
    for (int run = 0; run < 2000; ++run) {
        Known known(rng, 12);
        auto policy = drawn_policy(rng);
        policy.remasking = rng.below(2) == 0 ? Remasking::threshold : Remasking::factor;
        std::vector<std::size_t> rows;
        for (auto n = rng.below(16); n > 0; --n) rows.push_back(static_cast<std::size_t>(rng.below(12)));
        auto const truth = known.truth(rows, 1, policy);
        EXPECT_EQ(known.confidences().number_chosen(rows, policy), std::count(truth.begin(), truth.end(), 1)) << run;
    }
}

TEST(DplenaDecided, knows_without_a_look_what_is_chosen_surely_and_what_may_be) {
    Rng rng(3);
    std::int64_t sure = 0;
    for (int run = 0; run < 3000; ++run) {
        auto const count = static_cast<std::size_t>(1 + rng.below(16));
        Known known(rng, count);
        auto const policy = drawn_policy(rng);
        if (policy.remasking == Remasking::random) continue;
        auto const k = rng.below(static_cast<std::int64_t>(count) + 3);
        auto const parts = known.confidences().partly_chosen(0, count, k, policy);
        auto const truth = known.truth(from(0, count), k, policy);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_LE(parts.surely[i], truth[i]) << "run " << run;
            ASSERT_LE(truth[i], parts.maybe[i]) << "run " << run;
            sure += parts.surely[i];
        }
        EXPECT_TRUE(known.looked.empty());
    }
    EXPECT_GT(sure, 1000);
}

TEST(DplenaDecided, is_sure_of_everything_that_is_exact) {
    Rng rng(4);
    for (int run = 0; run < 500; ++run) {
        Known known(rng, 9);
        for (std::size_t i = 0; i < 9; ++i) known.bounds[i] = BoundedRow{{known.exact[i], known.exact[i]}, 0};
        auto policy = drawn_policy(rng);
        if (policy.remasking == Remasking::random) policy.remasking = Remasking::low_confidence;
        auto const truth = known.truth(from(0, 9), 4, policy);
        EXPECT_EQ(known.confidences().partly_chosen(0, 9, 4, policy).surely, truth);
        EXPECT_EQ(known.confidences().likely_chosen(0, 9, 4, policy), truth);
        EXPECT_EQ(known.confidences().chosen(0, 9, 4, policy), truth);
        EXPECT_TRUE(known.looked.empty());
    }
}

}  // namespace
}  // namespace decided_test
