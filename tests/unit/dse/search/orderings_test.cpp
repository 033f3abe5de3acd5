#include "dse/search/genome.hpp"

#include "models/contract/parameter_text.hpp"
#include "sim/base/counting.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::dse::search::orderings_test {
namespace {

TEST(Orderings, have_the_ranks_that_parameters_give_them) {
    std::vector<std::string> const names{"0", "1", "2", "3", "4"};
    for (std::uint64_t rank = 0; rank < sim::factorial(5); ++rank) {
        auto const ordering = ordering_of(rank, 5);
        std::vector<std::string> named;
        for (auto const item : ordering) named.push_back(names[item]);
        EXPECT_EQ(named, models::permutation(names, rank));
        EXPECT_EQ(rank_of(ordering), rank);
    }
    EXPECT_EQ(rank_of(ordering_of(sim::factorial(20) - 1, 20)), sim::factorial(20) - 1);
}

TEST(Orderings, of_two_parents_keep_a_stretch_of_the_one_and_the_order_of_the_other) {
    Rng rng(1);
    for (int round = 0; round < 500; ++round) {
        std::size_t const items = 1 + rng.below(9);
        auto const one = ordering_of(rng.below(sim::factorial(items)), items);
        auto const other = ordering_of(rng.below(sim::factorial(items)), items);
        auto const child = crossed(one, other, rng);
        ASSERT_TRUE(std::is_permutation(child.begin(), child.end(), one.begin(), one.end()));
        bool found = false;
        for (std::size_t first = 0; first < items; ++first) {
            for (std::size_t last = first; last < items && !found; ++last) {
                auto const inside = [&](std::uint8_t item) {
                    auto const at = static_cast<std::size_t>(std::ranges::find(one, item) - one.begin());
                    return at >= first && at <= last;
                };
                Ordering rest, of_other;
                std::ranges::remove_copy_if(child, std::back_inserter(rest), inside);
                std::ranges::remove_copy_if(other, std::back_inserter(of_other), inside);
                auto const from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(last + 1);
                found = rest == of_other && std::equal(one.begin() + from, one.begin() + to, child.begin() + from);
            }
        }
        ASSERT_TRUE(found);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::orderings_test
