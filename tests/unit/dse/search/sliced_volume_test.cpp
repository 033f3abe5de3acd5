#include "dse/search/hypervolume.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

namespace pimdse::dse::search::sliced_volume_test {
namespace {

/// Unit cells that some box covers.
double cells(std::vector<SlicedVolume::Box> const& boxes, int side) {
    double count = 0.0;
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z)
                count += std::ranges::any_of(boxes, [&](auto const& b) { return b[0] > x && b[1] > y && b[2] > z; });
    return count;
}

TEST(SlicedVolume, grows_by_the_cells_that_are_new) {
    std::mt19937_64 random(8);
    for (int round = 0; round < 200; ++round) {
        int const side = 2 + static_cast<int>(random() % 9);
        SlicedVolume volume;
        std::vector<SlicedVolume::Box> boxes;
        double before = 0.0;
        for (int k = 0; k < 30; ++k) {
            SlicedVolume::Box box{};
            for (auto& length : box) length = 1.0 + static_cast<double>(random() % static_cast<unsigned>(side));
            boxes.push_back(box);
            double const now = cells(boxes, side);
            ASSERT_EQ(volume.add(box), now - before) << "round " << round << ", box " << k;
            before = now;
        }
    }
}

TEST(SlicedVolume, forgets) {
    SlicedVolume volume;
    EXPECT_EQ(volume.add({1.0, 2.0, 3.0}), 6.0);
    EXPECT_EQ(volume.add({1.0, 2.0, 3.0}), 0.0);
    volume.clear();
    EXPECT_EQ(volume.add({1.0, 2.0, 3.0}), 6.0);
}

}  // namespace
}  // namespace pimdse::dse::search::sliced_volume_test
