#include "dse/cli/run.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::cli::crowded_hosts_test {
namespace {

TEST(CrowdedHosts, are_those_with_more_ranks_than_cores_of_all_their_ranks) {
    std::string const both = R"({"cores":[0,1]})", first = R"({"cores":[0]})", second = R"({"cores":[1]})";
    EXPECT_TRUE(crowded_hosts({"a", "a"}, {both, both}).empty());
    EXPECT_TRUE(crowded_hosts({"a", "a"}, {first, second}).empty()) << "each rank is bound to a core of its own";
    EXPECT_EQ(crowded_hosts({"a", "a"}, {first, first}).size(), 1U);
    EXPECT_TRUE(crowded_hosts({"a", "b", "a", "b"}, {both, both, both, both}).empty());
    auto const said = crowded_hosts({"a", "b", "a", "a"}, {both, both, both, both});
    ASSERT_EQ(said.size(), 1U);
    EXPECT_TRUE(said[0].starts_with("3 ranks share 2 cores of a")) << said[0];
}

TEST(CrowdedHosts, count_no_more_cores_than_the_quota_allows) {
    std::string const two = R"({"cores":[0,1,2,3],"quota":2})";
    EXPECT_TRUE(crowded_hosts({"a", "a"}, {two, two}).empty());
    EXPECT_EQ(crowded_hosts({"a", "a", "a"}, {two, two, two}).size(), 1U);
    EXPECT_TRUE(crowded_hosts({"a"}, {usable_cores_text()}).empty());
}

}  // namespace
}  // namespace pimdse::dse::cli::crowded_hosts_test
