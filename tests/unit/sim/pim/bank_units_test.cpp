#include "sim/pim/bank_units.hpp"

#include "random_units.hpp"
#include "sim/base/check.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::pim::bank_units_test {
namespace {

TEST(BankUnits, are_reviewed_with_every_reason) {
    test::RandomUnits random(1);
    auto units = random.units();
    EXPECT_NO_THROW(review(units));
    units.sizes.banks = 15;
    units.sizes.banks_per_unit = 2;
    units.sizes.row_bytes = units.sizes.word_bytes + 1;
    units.timing.refresh_interval = 10;
    try {
        review(units);
        ADD_FAILURE();
    } catch (InputError const& error) {
        EXPECT_EQ(error.sentences().size(), 3U) << error.what();
    }
    units.sizes.sums = 0;
    EXPECT_THROW(review(units), InputError);
}

}  // namespace
}  // namespace pimdse::sim::pim::bank_units_test
