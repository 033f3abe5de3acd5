#include "sim/base/digest.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <random>
#include <string_view>
#include <vector>

namespace pimdse::sim::checksum_test {
namespace {

TEST(Checksum, has_the_value_everybody_checks_a_crc_32_by) {
    std::string_view const text = "123456789";
    EXPECT_EQ(sim::crc32(std::as_bytes(std::span(text))), 0xCBF43926U);
    EXPECT_EQ(sim::crc32({}), 0U);
}

TEST(Checksum, is_that_of_zlib_for_every_length_and_alignment) {
    std::mt19937 random(7);
    std::vector<std::byte> bytes(70'000);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    auto const check = [&](std::size_t first, std::size_t length) {
        auto const part = std::span(bytes).subspan(first, length);
        ASSERT_EQ(sim::crc32(part), ::crc32_z(0, reinterpret_cast<Bytef const*>(part.data()), part.size()))
            << first << " " << length;
    };
    for (std::size_t length = 0; length <= 700; ++length) {
        for (std::size_t first = 0; first < 17; ++first) check(first, length);
    }
    check(3, 69'990);
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    for (std::size_t length = 0; length <= 300; ++length) check(0, length);
}

}  // namespace
}  // namespace pimdse::sim::checksum_test
