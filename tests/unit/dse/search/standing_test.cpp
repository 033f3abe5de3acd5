#include "dse/search/certificate.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::standing_test {
namespace {

TEST(Standing, says_how_many_points_are_where_and_the_gap_where_it_is_known) {
    EXPECT_EQ(search::text_of({.pruned = 812, .in_flight = 12, .open = 301}), "pruned 812, in flight 12, open 301");
    EXPECT_EQ(search::text_of({.pruned = 812, .gap = 0.0312}), "pruned 812, in flight 0, open 0, gap 3.12 %");
    EXPECT_EQ(search::text_of({.open = 9, .gap = 1.0, .gap_is_rough = true}),
              "pruned 0, in flight 0, open 9, gap about 100.00 %");
}

}  // namespace
}  // namespace pimdse::dse::space::standing_test
