#include "models/dplena/numerics/formats.hpp"
#include "tests/unit/models/dplena/numerics/element_codes.hpp"
#include "tests/unit/models/dplena/numerics/plain_numbers.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <map>

namespace formats_test {
namespace {

using namespace pimdse::models::dplena;
using namespace plain;
using codes::element_value;
using codes::scale_value;
using support::Rng;

float any_float(Rng& rng) {
    return static_cast<float>(std::ldexp(rng.unit() * 2.0 - 1.0, static_cast<int>(rng.below(60)) - 30));
}

TEST(DplenaFormats, round_to_bf16_and_half_as_the_definition_says) {
    Rng rng(1);
    for (int i = 0; i < 200000; ++i) {
        auto const x = any_float(rng);
        ASSERT_EQ(to_bf16(x), plain_bf16(x)) << x;
        ASSERT_EQ(to_fp16(x), plain_fp16(x)) << x;
    }
    EXPECT_EQ(to_fp16(65519.0F), 65504.0F);
    EXPECT_EQ(to_fp16(65520.0F), inf);
    EXPECT_EQ(to_fp16(std::ldexp(1.0F, -24)), std::ldexp(1.0F, -24));
    EXPECT_EQ(to_bf16(1.00390625F), 1.0F);
    EXPECT_EQ(to_bf16(1.01171875F), 1.015625F);
}

TEST(DplenaFormats, decode_the_codes_of_the_ocp_specification) {
    EXPECT_EQ(element_value(Element::e4m3, 0x38), 1.0F);
    EXPECT_EQ(element_value(Element::e4m3, 0x08), std::ldexp(1.0F, -6));
    EXPECT_EQ(element_value(Element::e4m3, 0x07), 0.013671875F);
    EXPECT_EQ(element_value(Element::e4m3, 0x77), 240.0F);
    EXPECT_EQ(element_value(Element::e4m3, 0x78), 256.0F);
    EXPECT_EQ(element_value(Element::e4m3, 0x7E), 448.0F);
    EXPECT_EQ(element_value(Element::e4m3, 0xFE), -448.0F);
    EXPECT_TRUE(std::isnan(element_value(Element::e4m3, 0x7F)));
    EXPECT_TRUE(std::isnan(element_value(Element::e4m3, 0xFF)));
    EXPECT_EQ(element_value(Element::e5m2, 0x7B), 57344.0F);
    EXPECT_EQ(element_value(Element::e5m2, 0x7C), inf);
    EXPECT_EQ(element_value(Element::e2m1, 0x7), 6.0F);
    EXPECT_EQ(element_value(Element::e2m1, 0x1), 0.5F);
    EXPECT_EQ(element_value(Element::int8, 0x80), -2.0F);
    EXPECT_EQ(element_value(Element::int4, 0x7), 1.75F);
    EXPECT_EQ(scale_value(127), 1.0F);
    EXPECT_TRUE(std::isnan(scale_value(255)));
}

TEST(DplenaFormats, choose_the_nearest_code_there_is) {
    Rng rng(2);
    for (auto const element :
         {Element::e4m3, Element::e5m2, Element::e3m4, Element::e2m1, Element::int8, Element::int4}) {
        auto const format = format_of(element);
        bool const nibble = element == Element::e2m1 || element == Element::int4;
        std::map<float, int> codes;  // value -> last bit of its code
        for (int code = 0; code < (nibble ? 16 : 256); ++code) {
            auto const value = element_value(element, static_cast<std::uint8_t>(code));
            if (std::isfinite(value) && std::fabs(value) <= format.largest) codes.emplace(value, code & 1);
        }
        for (int i = 0; i < 20000; ++i) {
            auto const x =
                i % 3 == 0 ? std::next(codes.begin(), rng.below(static_cast<std::int64_t>(codes.size())))->first
                           : static_cast<float>((rng.unit() * 2.0 - 1.0) * 1.2 * static_cast<double>(format.largest) *
                                                std::ldexp(1.0, -static_cast<int>(rng.below(12))));
            auto best = codes.begin();
            for (auto at = codes.begin(); at != codes.end(); ++at) {
                auto const gain = std::fabs(static_cast<double>(best->first) - static_cast<double>(x)) -
                                  std::fabs(static_cast<double>(at->first) - static_cast<double>(x));
                if (gain > 0.0 || (gain == 0.0 && at->second == 0)) best = at;
            }
            ASSERT_EQ(format.nearest(x), best->first) << static_cast<int>(element) << " " << x;
        }
    }
}

TEST(DplenaFormats, scale_every_block_by_the_binade_of_its_largest_value) {
    Rng rng(3);
    for (int run = 0; run < 300; ++run) {
        std::vector<float> values(static_cast<std::size_t>(1 + rng.below(70)));
        for (auto& v : values) v = rng.below(5) == 0 ? 0.0F : any_float(rng);
        if (run % 4 == 0) values[0] = -inf;
        auto const element = static_cast<Element>(rng.below(6));
        auto const block = std::int64_t{8} << rng.below(3);
        auto through = values;
        through_hbm(through, element, block);
        auto const format = format_of(element);
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto const from = i / static_cast<std::size_t>(block) * static_cast<std::size_t>(block);
            double largest = 0.0;
            for (auto k = from; k < std::min(values.size(), from + static_cast<std::size_t>(block)); ++k) {
                if (std::isfinite(values[k])) largest = std::max(largest, std::fabs(static_cast<double>(values[k])));
            }
            float expected = values[i];
            if (std::isfinite(expected) && largest > 0.0) {
                auto const scale =
                    std::ldexp(1.0F, std::ilogb(largest) - std::ilogb(static_cast<double>(format.largest)));
                expected = plain_bf16(format.nearest(expected / scale) * scale);
            }
            ASSERT_EQ(through[i], expected) << run << " " << i;
        }
    }
}

}  // namespace
}  // namespace formats_test
