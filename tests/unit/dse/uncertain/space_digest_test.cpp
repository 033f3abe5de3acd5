#include "dse/uncertain/flips_json.hpp"

#include "tests/unit/dse/report/two_machines.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::uncertain::space_digest_test {
namespace {

std::string digest_of(std::string const& text, std::vector<space::Override> const& overrides = {}) {
    return space_digest(space::parse_space(text, "two.toml", overrides).canonical_text());
}

TEST(SpaceDigest, is_that_of_the_machines_and_not_of_objectives) {
    auto const plain = digest_of(testing::two_machines_text());
    EXPECT_EQ(plain.size(), 64U);
    EXPECT_EQ(digest_of(testing::two_machines_text(R"(["area"])")), plain);
    EXPECT_EQ(digest_of(testing::two_machines_text(R"(["latency * energy"])")), plain);
    EXPECT_EQ(digest_of(testing::two_machines_text() + "[search]\nkeep = \"front\"\n"), plain);
}

TEST(SpaceDigest, differs_where_a_parameter_or_an_assumption_does) {
    auto const plain = digest_of(testing::two_machines_text());
    EXPECT_NE(digest_of(testing::two_machines_text(), {{"umdam.ranks", "1"}}), plain);
    EXPECT_NE(digest_of(testing::two_machines_text(), {{"assumptions.view", "deployed"}}), plain);
}

TEST(SpaceDigest, of_a_text_that_is_no_space_is_none) {
    EXPECT_EQ(space_digest("{"), "");
    EXPECT_EQ(space_digest("[1]"), "");
}

}  // namespace
}  // namespace pimdse::dse::uncertain::space_digest_test
