#include "sim/base/wire.hpp"

#include <gtest/gtest.h>
#include <bit>
#include <limits>
#include <random>
#include <string>

namespace pimdse::sim::wire::wire_test {
namespace {

using Bytes = std::vector<std::byte>;

/// What was put, so that taking it can be held against it.
struct Item {
    int kind = 0;  // 0: u8, 1: u16, 2: u32, 3: u64, 4: double, 5: text
    std::uint64_t bits = 0;
    std::string text;
};

Item random_item(std::mt19937_64& random) {
    Item item{static_cast<int>(random() % 6), random(), {}};
    if (random() % 4 == 0) item.bits = random() % 2 == 0 ? 0 : ~std::uint64_t{0};
    for (std::uint64_t length = item.kind == 5 ? random() % 20 : 0; length > 0; --length)
        item.text += static_cast<char>(random());
    return item;
}

void put_item(Bytes& into, Item const& item) {
    if (item.kind == 0) put(into, static_cast<std::uint8_t>(item.bits));
    if (item.kind == 1) put(into, static_cast<std::uint16_t>(item.bits));
    if (item.kind == 2) put(into, static_cast<std::uint32_t>(item.bits));
    if (item.kind == 3) put(into, item.bits);
    if (item.kind == 4) put(into, std::bit_cast<double>(item.bits));
    if (item.kind == 5) put(into, std::string_view(item.text));
}

/// False where the bytes end too early.
bool takes(Reader& from, Item const& item) {
    auto const expect = [](auto const& taken, auto const& wanted) {
        EXPECT_TRUE(!taken || *taken == wanted);
        return taken.has_value();
    };
    if (item.kind == 0) return expect(from.take<std::uint8_t>(), static_cast<std::uint8_t>(item.bits));
    if (item.kind == 1) return expect(from.take<std::uint16_t>(), static_cast<std::uint16_t>(item.bits));
    if (item.kind == 2) return expect(from.take<std::uint32_t>(), static_cast<std::uint32_t>(item.bits));
    if (item.kind == 3) return expect(from.take<std::uint64_t>(), item.bits);
    if (item.kind == 5) return expect(from.take_text(), std::string_view(item.text));
    auto const number = from.take_double();
    EXPECT_TRUE(!number || std::bit_cast<std::uint64_t>(*number) == item.bits);
    return number.has_value();
}

TEST(Wire, gives_back_what_was_put_and_stops_at_a_cut) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<Item> items(1 + random() % 6);
        Bytes bytes;
        std::vector<std::size_t> ends;
        for (auto& item : items) {
            item = random_item(random);
            put_item(bytes, item);
            ends.push_back(bytes.size());
        }
        for (std::size_t length = 0; length <= bytes.size(); ++length) {
            Reader from(std::span<std::byte const>(bytes).first(length));
            std::size_t whole = 0;
            while (whole < items.size() && takes(from, items[whole])) ++whole;
            std::size_t expected = 0;
            while (expected < ends.size() && ends[expected] <= length) ++expected;
            ASSERT_EQ(whole, expected) << "cut to " << length;
            ASSERT_TRUE(length < bytes.size() || from.empty());
        }
    }
}

TEST(Wire, refuses_a_text_that_says_it_is_longer_than_all_there_is) {
    for (std::uint32_t const said : {4U, 5U, 0x7FFFFFFFU, std::numeric_limits<std::uint32_t>::max()}) {
        Bytes bytes;
        put(bytes, said);
        bytes.resize(bytes.size() + 3);
        EXPECT_FALSE(Reader(bytes).take_text());
        Reader from(bytes);
        EXPECT_FALSE(from.take_bytes(~std::uint64_t{0}));
        EXPECT_EQ(from.rest().size(), 7U) << "what was not taken is still there";
    }
}

TEST(Wire, sets_a_number_in_place_and_nothing_beside_it) {
    Bytes bytes(12, std::byte{0xAA});
    set(bytes.data() + 2, std::uint64_t{0x0102030405060708});
    EXPECT_EQ(number_at<std::uint64_t>(bytes.data() + 2), 0x0102030405060708U);
    EXPECT_EQ(std::to_integer<int>(bytes[2]), 8) << "the least byte first";
    for (std::size_t const beside : {0U, 1U, 10U, 11U}) EXPECT_EQ(bytes[beside], std::byte{0xAA});
}

}  // namespace
}  // namespace pimdse::sim::wire::wire_test
