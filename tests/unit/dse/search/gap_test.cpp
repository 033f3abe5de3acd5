#include "dse/search/gap.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace pimdse::dse::search::gap_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Volume up to a tenth beyond the worst of small whole numbers, cell by cell: what lies between two neighbouring
/// numbers in every objective.
class Cells {
  public:
    Cells(std::vector<Values> const& all, std::size_t objectives) : objectives_(objectives) {
        for (std::size_t i = 0; i < objectives; ++i) {
            auto const [min_id, max] = std::ranges::minmax(all, {}, [i](Values const& v) { return v[i]; });
            min_.push_back(min_id[i]);
            max_.push_back(max[i]);
        }
    }
    double volume(std::vector<Values> const& vectors) const { return volume_from(0, {}, vectors); }

  private:
    double volume_from(std::size_t axis, Values cell, std::vector<Values> const& vectors) const {
        if (axis == objectives_) {
            return std::ranges::any_of(
                vectors, [&](Values const& v) { return std::ranges::equal(v, cell, std::less_equal<>()); });
        }
        double const extent = max_[axis] - min_[axis];
        double sum = 0.0;
        for (cell[axis] = min_[axis]; cell[axis] <= max_[axis]; ++cell[axis]) {
            double const width = extent == 0.0 ? 1.0 : cell[axis] == max_[axis] ? 0.1 * extent : 1.0;
            sum += width * volume_from(axis + 1, cell, vectors);
        }
        return sum;
    }
    std::size_t objectives_;
    std::vector<double> min_, max_;
};

std::vector<Values> some_vectors(testing::Rng& rng, std::size_t count, std::size_t objectives) {
    std::vector<Values> vectors(count);
    for (auto& vector : vectors)
        for (std::size_t i = 0; i < objectives; ++i) vector[i] = static_cast<double>(rng.below(6));
    return vectors;
}

TEST(BoundedSearchGap, is_the_share_of_volume_that_is_missing_counted_cell_by_cell) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::Rng rng(seed);
        std::size_t const objectives = 1 + seed % 4;
        auto const front = some_vectors(rng, 1 + rng.below(6), objectives);
        auto const lower_bounds = some_vectors(rng, 1 + rng.below(6), objectives);
        auto all = front;
        all.insert(all.end(), lower_bounds.begin(), lower_bounds.end());
        Cells const cells(all, objectives);
        auto const gap = gap_between(front, lower_bounds, objectives);
        EXPECT_NEAR(gap.share, 1.0 - cells.volume(front) / cells.volume(all), 1e-12) << "seed " << seed;
        EXPECT_FALSE(gap.rough);
    }
}

TEST(BoundedSearchGap, is_everything_where_nothing_is_known_and_nothing_where_nothing_is_left) {
    std::vector<Values> const front{{1.0, 2.0}}, better{{0.0, 2.0}}, unknown{{3.0, -infinite}};
    EXPECT_EQ(gap_between({}, better, 2).share, 1.0);
    EXPECT_EQ(gap_between(front, unknown, 2).share, 1.0);
    EXPECT_EQ(gap_between(front, {}, 2).share, 0.0);
    EXPECT_EQ(gap_between(front, front, 2).share, 0.0);
    EXPECT_EQ(gap_between(front, std::vector<Values>{{infinite, 5.0}}, 2).share, 0.0);
}

TEST(BoundedSearchGap, of_many_vectors_is_rough_and_near) {
    std::vector<Values> front, lower_bounds;
    for (int i = 0; i < 5000; ++i) {
        double const x = i / 5000.0;
        front.push_back({x, 1.0 - x});
        lower_bounds.push_back({x * 0.9, (1.0 - x) * 0.9});
    }
    auto const gap = gap_between(front, lower_bounds, 2);
    EXPECT_TRUE(gap.rough);
    double const reached = 0.5 + 2 * 0.1 + 0.01, possible = 1.21 - 0.81 / 2;
    EXPECT_NEAR(gap.share, 1.0 - reached / possible, 0.01);
}

}  // namespace
}  // namespace pimdse::dse::search::gap_test
