#include "dse/store/provenance.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::store::plan_test {
namespace {

Plan shard(std::uint64_t first, std::uint64_t last, std::uint64_t whole = 168, std::string search = "sweep") {
    return {std::move(search), first, last, whole};
}

TEST(Plans, of_all_shards_are_the_whole_however_it_is_cut) {
    auto const all = united({shard(112, 168), shard(0, 56), shard(56, 112)});
    EXPECT_EQ(all, std::vector{shard(0, 168)});
    EXPECT_EQ(missing_in(all), 0U);
    EXPECT_EQ(missing_in(united({shard(0, 84), shard(56, 168)})), 0U) << "a half and two thirds overlap";
    EXPECT_EQ(missing_in(united({shard(0, 168), shard(0, 56)})), 0U);
}

TEST(Plans, count_what_no_shard_has) {
    auto const two = united({shard(112, 168), shard(0, 56)});
    EXPECT_EQ(planned_in(two), 168U);
    EXPECT_EQ(missing_in(two), 56U);
    EXPECT_EQ(missing_in(united({shard(0, 0)})), 168U);
    EXPECT_EQ(missing_in({}), 0U);
}

TEST(Plans, of_different_searches_are_not_parts_of_each_other) {
    auto const both =
        united({shard(0, 56), shard(56, 168, 168, "random, seed 1"), shard(0, 100, 100, "random, seed 1")});
    EXPECT_EQ(planned_in(both), 168U + 168U + 100U);
    EXPECT_EQ(missing_in(both), 112U + 56U);
}

TEST(Plans, are_read_as_they_were_written_and_other_texts_are_left_out) {
    auto const plan = shard(56, 112);
    EXPECT_EQ(plans_in({text_of(plan)}), std::vector{plan});
    for (auto const* text : {"", "7", "{}", R"({"search":"s","first":9,"last":3,"whole":10})",
                             R"({"search":"s","first":1,"last":13,"whole":10})", R"({"search":1,"first":"a"})"})
        EXPECT_TRUE(plans_in({text}).empty()) << text;
}

}  // namespace
}  // namespace pimdse::dse::store::plan_test
