#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/mapping_class.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

/// Compared with fields that are read from the address bit by bit and XORed as whole numbers.
namespace pimdse::sim::dram::bit_order_test {
namespace {

using Values = std::array<std::uint64_t, field_count>;

std::size_t at(Field field) { return static_cast<std::size_t>(field); }

Organisation some_organisation(std::mt19937_64& random) {
    auto const power = [&](int max) { return 1 << (random() % static_cast<std::uint64_t>(max + 1)); };
    Organisation o{power(3), power(1), power(2), power(2), power(12), 0, 16 << (random() % 3)};
    o.row_bytes = o.burst_bytes * power(6);
    return o;
}

int bits_of(int count) { return std::countr_zero(static_cast<unsigned>(count)); }

std::array<int, field_count> widths_of(Organisation const& o) {
    return {bits_of(o.channels), bits_of(o.ranks), bits_of(o.bank_groups),
            bits_of(o.banks),    bits_of(o.rows),  bits_of(o.columns())};
}

/// A random order of all bits of all fields; neighbouring bits of a field are separate parts or one part.
BitOrder shuffled_bits(Organisation const& o, std::mt19937_64& random) {
    std::vector<Field> bits;
    auto const widths = widths_of(o);
    for (std::size_t f = 0; f < field_count; ++f)
        bits.insert(bits.end(), static_cast<std::size_t>(widths[f]), static_cast<Field>(f));
    std::shuffle(bits.begin(), bits.end(), random);
    BitOrder order{bits_of(o.burst_bytes), {}};
    for (auto const field : bits) {
        auto* last = order.parts.empty() ? nullptr : std::get_if<FieldBits>(&order.parts.back());
        if (last != nullptr && last->field == field && random() % 2 == 0)
            ++last->count;
        else
            order.parts.emplace_back(FieldBits{field, 1});
    }
    return order;
}

/// XOR terms from a field into another that precedes it in the list of fields: never singular.
void add_terms(BitOrder& order, std::mt19937_64& random) {
    for (auto terms = random() % 4; terms > 0; --terms) {
        auto const into = random() % (field_count - 1), from = into + 1 + random() % (field_count - 1 - into);
        int const width = width_of(order, static_cast<Field>(into));
        if (width == 0) continue;
        order.parts.emplace_back(FieldXor{static_cast<Field>(into), static_cast<Field>(from),
                                          static_cast<int>(random() % 4),
                                          1 + static_cast<int>(random() % static_cast<std::uint64_t>(width))});
    }
}

Values slow_fields(BitOrder const& order, std::uint64_t address) {
    Values values{};
    std::array<int, field_count> read{};
    address >>= order.offset_bits;
    for (auto const& part : order.parts) {
        if (auto const* bits = std::get_if<FieldBits>(&part)) {
            values[at(bits->field)] |= (address & ((1ULL << bits->count) - 1)) << read[at(bits->field)];
            read[at(bits->field)] += bits->count;
            address >>= bits->count;
        } else {
            auto const& term = std::get<FieldXor>(part);
            values[at(term.into)] ^= (values[at(term.from)] >> term.shift) & ((1ULL << term.count) - 1);
        }
    }
    return values;
}

BitOrder some_order(Organisation const& o, std::mt19937_64& random) {
    auto order = shuffled_bits(o, random);
    add_terms(order, random);
    return order;
}

TEST(BitOrder, maps_as_its_parts_say_and_back) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 150; ++i) {
        auto const o = some_organisation(random);
        auto const order = some_order(o, random);
        auto const mapping = make_mapping(order, o);
        ASSERT_EQ(
            mapping.address_bits(), order.offset_bits + [&] {
                auto const widths = widths_of(o);
                return std::accumulate(widths.begin(), widths.end(), 0);
            }());
        for (int k = 0; k < 20; ++k) {
            auto const address = random() & ((1ULL << mapping.address_bits()) - 1);
            auto const slow = slow_fields(order, address);
            auto const fields = mapping.coordinates(address);
            for (std::size_t f = 0; f < field_count; ++f) ASSERT_EQ(fields.of[f], slow[f]) << mapping.text();
            EXPECT_EQ(mapping.address(fields), address >> order.offset_bits << order.offset_bits);
        }
    }
}

TEST(BitOrder, is_what_its_text_reads) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 150; ++i) {
        auto const o = some_organisation(random);
        auto const order = some_order(o, random);
        EXPECT_EQ(parse_order(text_of(order)), order) << text_of(order);
        auto const mapping = make_mapping(order, o);
        EXPECT_EQ(mapping.text(), text_of(order));
        EXPECT_EQ(class_of(parse_mapping(mapping.text(), o)), class_of(mapping));
    }
}

TEST(BitOrder, has_the_widths_of_all_its_parts) {
    auto const order = parse_order("of5 co3 ch2 co0 ba1 co4 ro15 x.ch.co.0.2");
    EXPECT_EQ(width_of(order, Field::column), 7);
    EXPECT_EQ(width_of(order, Field::channel), 2);
    EXPECT_EQ(width_of(order, Field::group), 0);
}

TEST(BitOrder, takes_of_an_xor_term_what_its_source_has) {
    Organisation const o{.channels = 4, .bank_groups = 1, .banks = 4, .rows = 4, .row_bytes = 64, .burst_bytes = 16};
    // Only one of two row bits is left after a shift by one.
    auto const mapping = parse_mapping("of4 co2 ch2 ba2 ro2 x.ba.ro.1.2", o);
    for (std::uint64_t address = 0; address < 4096; address += 16)
        EXPECT_EQ(mapping.coordinates(address)[Field::bank], ((address >> 8) & 3) ^ (address >> 11)) << address;
}

TEST(BitOrder, beyond_48_bits_is_refused_before_any_bit_is_lost) {
    Organisation const o;
    auto const refusal = [&](BitOrder const& order) {
        return refusal_by([&] { (void)make_mapping(order, o); }, "accepted");
    };
    EXPECT_THAT(refusal({5, {FieldBits{Field::row, 20}, FieldBits{Field::column, 24}}}), says("co-bits-above-bit"));
    EXPECT_THAT(refusal({5, {FieldBits{Field::row, 1'000'000}}}), ::testing::HasSubstr("go beyond 48"));
    EXPECT_THAT(refusal({0, {FieldXor{Field::bank, Field::row, 0, 1}}}), ::testing::Not(::testing::HasSubstr("bit 0")));
}

std::string letters_of(BitOrder const& order) {
    std::string letters;
    for (auto const& part : order.parts) {
        auto const& bits = std::get<FieldBits>(part);
        letters.append(static_cast<std::size_t>(bits.count), static_cast<char>('0' + at(bits.field)));
    }
    return letters;
}

TEST(BitOrders, are_the_permutations_of_their_bits_in_order) {
    for (auto const& widths :
         {BitOrders::Widths{2, 1, 0, 2, 0, 3}, BitOrders::Widths{0, 0, 0, 0, 0, 0}, BitOrders::Widths{0, 0, 3, 0, 0, 0},
          BitOrders::Widths{1, 1, 1, 1, 0, 1}, BitOrders::Widths{1, 0, 0, 0, 0, 6}}) {
        BitOrders const orders(widths, {.rows = 8, .burst_bytes = 32});
        std::string letters;
        for (std::size_t f = 0; f < field_count; ++f)
            letters.append(static_cast<std::size_t>(widths[f]), static_cast<char>('0' + f));
        std::uint64_t index = 0;
        do {
            ASSERT_LT(index, orders.count());
            auto const order = orders.at(index++);
            EXPECT_EQ(order.offset_bits, 5);
            EXPECT_EQ(letters_of(order), letters + "444");
        } while (std::next_permutation(letters.begin(), letters.end()));
        EXPECT_EQ(index, orders.count());
        EXPECT_THROW((void)orders.at(index), ContractViolation);
    }
}

TEST(BitOrders, have_a_first_and_a_last_however_many_they_are) {
    // 43 bits in five fields, about 10^17 orders: the first has the fields in order, the last in reverse order.
    BitOrders const orders({4, 1, 3, 3, 0, 14}, {.rows = 1, .burst_bytes = 32});
    EXPECT_EQ(letters_of(orders.at(0)), std::string("00001222333") + std::string(14, '5'));
    EXPECT_EQ(letters_of(orders.at(orders.count() - 1)), std::string(14, '5') + "33322210000");
}

TEST(BitOrders, too_many_to_number_are_refused) {
    EXPECT_THROW((void)BitOrders({9, 9, 9, 9, 0, 9}, {}), InputError);
    EXPECT_THROW((void)BitOrders({12, 12, 0, 12, 0, 12}, {}), InputError);
}

}  // namespace
}  // namespace pimdse::sim::dram::bit_order_test
