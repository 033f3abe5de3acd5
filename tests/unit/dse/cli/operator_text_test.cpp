#include "dse/cli/operator_text.hpp"

#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace pimdse::dse::cli::operator_text_test {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(std::string const& text) {
    return refusal_by([&] { (void)read_operator(text); });
}

TEST(OperatorText, reads_shapes_with_their_defaults) {
    auto const product = std::get<models::text::OperatorShape>(read_operator("product m=64 k=4096 n=6144"));
    EXPECT_EQ(product.m, 64.0);
    EXPECT_EQ(product.k, 4096.0);
    EXPECT_EQ(product.n, 6144.0);
    EXPECT_FALSE(product.repeated);
    auto const read = std::get<models::text::OperatorShape>(
        read_operator("attention  heads=32 kv_heads=8 width=128 keys=1e3 repeated=1"));
    EXPECT_EQ(read.batch, 1.0);
    EXPECT_EQ(read.queries, 1.0);
    EXPECT_EQ(read.keys, 1000.0);
    EXPECT_TRUE(read.repeated);
    auto const experts = std::get<models::text::OperatorShape>(
        read_operator("experts tokens=8 hidden=2048 width=768 experts=128 active=8 routing=power_law:1.2"));
    EXPECT_EQ(experts.routing.kind, models::text::Routing::Kind::power_law);
    EXPECT_EQ(experts.routing.exponent, 1.2);
    auto const sum = std::get<CollectiveShape>(read_operator("sum devices=8 bytes=1024 by=library"));
    EXPECT_EQ(sum.collective, models::chips::Collective::all_reduce);
    EXPECT_EQ(sum.starter, models::chips::Starter::host);
    EXPECT_FALSE(sum.called);
    EXPECT_TRUE(std::get<CollectiveShape>(read_operator("all_gather devices=2 bytes=8 by=host")).called);
    EXPECT_EQ(std::get<CollectiveShape>(read_operator("sum devices=2 bytes=16MiB")).bytes, 16777216.0);
}

TEST(OperatorText, refuses_in_one_sentence) {
    EXPECT_THAT(refusal_of(""), HasSubstr("unknown operator ''"));
    EXPECT_THAT(refusal_of("products m=1"), HasSubstr("Did you mean 'product'?"));
    EXPECT_THAT(refusal_of("product m=1 k=2"), HasSubstr("product needs n=NUMBER"));
    EXPECT_THAT(refusal_of("product m=1 k=2 n=3 keys=4"), HasSubstr("unknown key 'keys'"));
    EXPECT_THAT(refusal_of("product m=1 k=2 n=3 m=4"), HasSubstr("m is given twice"));
    EXPECT_THAT(refusal_of("product m=0 k=2 n=3"), HasSubstr("m must be a whole number from 1 to 1e12 (got '0')"));
    EXPECT_THAT(refusal_of("product m=1.5 k=2 n=3"), HasSubstr("m must be a whole number"));
    EXPECT_THAT(refusal_of("product m k=2 n=3"), HasSubstr("'m' is not KEY=VALUE"));
    EXPECT_THAT(refusal_of("product m=1 k=2 n=3 repeated=yes"), HasSubstr("repeated must be one of 0, 1"));
    EXPECT_THAT(refusal_of("attention heads=6 kv_heads=4 width=8 keys=8"), HasSubstr("heads must be a multiple"));
    EXPECT_THAT(refusal_of("attention heads=4 kv_heads=4 width=8 keys=8 queries=9"),
                HasSubstr("queries must be at most"));
    EXPECT_THAT(refusal_of("experts tokens=1 hidden=8 width=8 experts=4 active=5"),
                HasSubstr("active must be at most"));
    EXPECT_THAT(refusal_of("experts tokens=1 hidden=8 width=8 experts=4 active=2 routing=power_law:9"),
                HasSubstr("routing must be uniform, balanced or power_law:A"));
    EXPECT_THAT(refusal_of("sum devices=2 bytes=8s"), HasSubstr("bytes must be a whole number"));
    EXPECT_THAT(refusal_of("sum devices=2 bytes=8 by=magic"), HasSubstr("by must be one of program, library, host"));
}

}  // namespace
}  // namespace pimdse::dse::cli::operator_text_test
