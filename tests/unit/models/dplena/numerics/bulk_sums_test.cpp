#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/synthetic.hpp"
#include "sim/base/random.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace bulk_sums_test {
namespace {

using namespace pimdse::models::dplena;
using support::Rng;

/// exp(logit) of the bulk of a row, by logit: what a row has where no peak stands.
std::vector<double> exponentials_of(ProxyConstants const& c, std::int64_t row, std::int64_t logits) {
    std::vector<double> all;
    auto const base = base_of_row(c, row);
    for (std::int64_t v = 0; v < logits; ++v) {
        auto const word = pimdse::sim::mixed_bits(base + static_cast<std::uint64_t>(v));
        std::uint32_t bell = 0;
        for (int part = 0; part < 4; ++part) bell += static_cast<std::uint32_t>(word >> (16 * part) & 0xffff);
        all.push_back(std::exp(static_cast<double>(static_cast<float>(logit_of_bell(c, bell)))));
    }
    return all;
}

TEST(DplenaBulkSums, hold_the_sum_over_any_stretch_of_any_row) {
    Rng rng(1);
    auto const& c = support::machine().proxy;
    BulkSums const sums;
    constexpr std::int64_t logits = 40'000;
    auto const& rows = sums.up_to(logits, c);
    for (int i = 0; i < 12; ++i) {
        auto const row = rng.below(c.blocks * c.block_length);
        auto const exact = exponentials_of(c, row, logits);
        for (int k = 0; k < 60; ++k) {
            auto const from = rng.below(logits + 1), to = from + rng.below(logits + 1 - from);
            double sum = 0.0;
            for (auto v = from; v < to; ++v) sum += exact[static_cast<std::size_t>(v)];
            auto const range = rows[row].over(from, to);
            EXPECT_LE(range.lower, sum) << from << " to " << to;
            EXPECT_GE(range.upper, sum) << from << " to " << to;
            if (to - from > 20'000) {
                EXPECT_LT(range.upper, 1.1 * range.lower);
            }
        }
    }
}

TEST(DplenaBulkSums, are_the_same_in_whatever_order_vocabularies_are_asked_for) {
    auto const& c = support::machine().proxy;
    std::vector<std::int64_t> const asked{1, 32'768, 32'769, 100'000, 65'536};
    BulkSums up, down;
    for (auto at = asked.rbegin(); at != asked.rend(); ++at) (void)down.up_to(*at, c);
    for (auto const logits : asked) {
        auto const &one = up.up_to(logits, c), &other = down.up_to(logits, c);
        EXPECT_EQ(one.sums, other.sums) << logits;
        EXPECT_GE(one.pieces * BulkRow::piece, logits);
        for (std::int64_t row = 0; row < c.blocks * c.block_length; ++row)
            EXPECT_EQ(one.sums[static_cast<std::size_t>(row * (one.pieces + 1))], 0.0);
    }
}

TEST(DplenaSynthetic, has_its_peaks_where_it_says_and_a_bulk_within_its_bound) {
    Rng rng(2);
    auto const& c = support::machine().proxy;
    int met = 0;
    for (int i = 0; i < 400; ++i) {
        auto const row = rng.below(c.blocks * c.block_length);
        auto const vocabulary = i % 2 == 0 ? 1 + rng.below(6) : 1 + rng.below(4000);
        std::vector<float> logits(static_cast<std::size_t>(vocabulary));
        synthetic_row(c, row, logits);
        auto const peaks = peaks_of(c, row, vocabulary);
        auto const largest = std::max_element(logits.begin(), logits.end()) - logits.begin();
        EXPECT_EQ(peaks.largest().place, largest);
        met += peaks.count == 1 ? 1 : 0;
        for (std::size_t k = 0; k + 1 < peaks.count; ++k) EXPECT_LT(peaks.at[k].place, peaks.at[k + 1].place);
        for (auto const& peak : peaks.all()) {
            EXPECT_EQ(logits[static_cast<std::size_t>(peak.place)], peak.value);
            logits[static_cast<std::size_t>(peak.place)] = 0.0F;
        }
        for (auto const logit : logits) EXPECT_LE(std::fabs(logit), bulk_bound(c));
    }
    EXPECT_GT(met, 10);
}

}  // namespace
}  // namespace bulk_sums_test
