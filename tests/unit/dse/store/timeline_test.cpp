#include "dse/store/provenance.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::dse::store::timeline_test {
namespace {

TEST(Timeline, OfAShortRunEveryMomentIsKept) {
    Timeline timeline;
    EXPECT_TRUE(timeline.moments().empty());
    for (int i = 0; i < 10; ++i) timeline.add({0.2 * i, static_cast<std::uint64_t>(i)});
    auto const moments = timeline.moments();
    ASSERT_EQ(moments.size(), 10U);
    EXPECT_EQ(moments.back().results, 9U);
}

TEST(Timeline, OfALongRunAThousandAboutEquallyFarApartAndTheLast) {
    for (int const count : {1023, 1024, 1025, 5000, 100'000}) {
        Timeline timeline;
        for (int i = 0; i < count; ++i) timeline.add({0.2 * i, static_cast<std::uint64_t>(i)});
        auto const moments = timeline.moments();
        EXPECT_LE(moments.size(), Timeline::max) << count;
        EXPECT_GE(moments.size(), Timeline::max / 2) << count;
        EXPECT_EQ(moments.front().results, 0U);
        EXPECT_EQ(moments.back().results, static_cast<std::uint64_t>(count - 1));
        double widest = 0.0;
        for (std::size_t i = 1; i < moments.size(); ++i) {
            EXPECT_GT(moments[i].seconds, moments[i - 1].seconds);
            widest = std::max(widest, moments[i].seconds - moments[i - 1].seconds);
        }
        EXPECT_LE(widest, 4.0 * moments.back().seconds / Timeline::max) << count;
    }
}

TEST(Timeline, keeps_the_last_results_although_no_time_passes) {
    Timeline timeline;
    timeline.add({1.0, 5});
    timeline.add({1.0, 7});
    EXPECT_EQ(timeline.moments().back().results, 7U);
}

}  // namespace
}  // namespace pimdse::dse::store::timeline_test
