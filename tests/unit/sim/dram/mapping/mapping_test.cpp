#include "sim/base/check.hpp"
#include "sim/dram/mapping/gf2.hpp"
#include "sim/dram/mapping/lane_locality.hpp"
#include "sim/dram/mapping_class.hpp"
#include "tests/unit/sim/dram/random_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace pimdse::sim::dram::test {
namespace {

Organisation lpddr5() { return models::load_dram_standard("L5J").organisation; }

TEST(Mapping, reads_tokens_from_the_least_significant_bit) {
    auto const m = Mapping::parse("of5 co3 ch2 bg2 ba2 co3 ro15", lpddr5());
    // offset 5 bits, column low 3, channel 2, group 2, bank 2, column high 3, row 15
    std::uint64_t const address =
        (0x5A5AULL << 17) | (6ULL << 14) | (2ULL << 12) | (1ULL << 10) | (3ULL << 8) | (5ULL << 5) | 9;
    auto const c = m.coordinates(address);
    EXPECT_EQ(c[Field::channel], 3U);
    EXPECT_EQ(c[Field::group], 1U);
    EXPECT_EQ(c[Field::bank], 2U);
    EXPECT_EQ(c[Field::column], 5U + 8 * 6U);
    EXPECT_EQ(c[Field::row], 0x5A5AU);
    EXPECT_EQ(m.place(address), (Place{3, 1 * 4 + 2, 0x5A5A}));
}

TEST(Mapping, applies_xor_terms_after_extraction) {
    auto const m = Mapping::parse("of5 co2 ch2 bg2 ba2 co4 ro15 x.ch.co.0.2 x.bg.co.2.2 x.ba.co.4.2", lpddr5());
    auto const plain = Mapping::parse("of5 co2 ch2 bg2 ba2 co4 ro15", lpddr5());
    for (std::uint64_t i = 0; i < 5000; ++i) {
        std::uint64_t const address = (i * 0x9E3779B97F4A7C15ULL) >> 32;
        auto c = plain.coordinates(address);
        EXPECT_EQ(m.coordinates(address)[Field::channel], c[Field::channel] ^ (c[Field::column] & 3));
        EXPECT_EQ(m.coordinates(address)[Field::group], c[Field::group] ^ ((c[Field::column] >> 2) & 3));
        EXPECT_EQ(m.coordinates(address)[Field::bank], c[Field::bank] ^ ((c[Field::column] >> 4) & 3));
    }
}

TEST(Mapping, is_undone_by_its_inverse_whatever_the_matrix) {
    std::mt19937 random(5);
    for (unsigned i = 0; i < 200; ++i) {
        auto const o = lpddr5();
        auto const m = i % 2 == 0 ? random_mapping(o, random) : sample_linear(o, i);
        for (int k = 0; k < 20; ++k) {
            std::uint64_t const address =
                (random() * 4294967296ULL + random()) % (std::uint64_t{1} << m.address_bits()) & ~31ULL;
            auto const c = m.coordinates(address);
            EXPECT_EQ(m.address(c), address);
            EXPECT_EQ(
                m.place(address),
                (Place{c[Field::channel], (c[Field::rank] * 4 + c[Field::group]) * 4 + c[Field::bank], c[Field::row]}));
        }
    }
}

std::string refusal(std::string const& text) {
    try {
        (void)Mapping::parse(text, lpddr5());
    } catch (InputError const& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Mapping, names_two_colliding_addresses_of_a_singular_matrix) {
    auto const text = refusal("of5 ch2 bg2 ba2 co6 ro15 x.bg.bg.0.1");
    EXPECT_THAT(text, ::testing::HasSubstr("singular"));
    EXPECT_THAT(text, ::testing::HasSubstr("0x80"));  // bg bit 0 is address bit 7
}

TEST(Mapping, refuses_what_does_not_fit_in_one_sentence) {
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co5 ro15"), ::testing::HasSubstr("5 column bits but the organisation has 6"));
    EXPECT_THAT(refusal("of6 ch2 bg2 ba2 co6 ro15"), ::testing::HasSubstr("of5"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro16"), ::testing::HasSubstr("larger density"));
    EXPECT_THAT(refusal("of5 ch2 qq2 ba2 co6 ro15"), ::testing::HasSubstr("names no field"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro15 x.ch.co.0"), ::testing::HasSubstr("x.D.S.k.n"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro15 x.ch.co.0.3"), ::testing::HasSubstr("writes bit 2"));
    EXPECT_THAT(refusal("umdamm"), ::testing::HasSubstr("umdam"));
}

TEST(Mapping, fits_named_orders_to_the_organisation) {
    EXPECT_EQ(Mapping::parse("umdam", lpddr5()).text(), "of5 co3 ch2 ra0 bg2 ba2 co3 ro15");
    EXPECT_EQ(Mapping::parse("umdam", lpddr5(), 0).text(), "of5 co0 ch2 ra0 bg2 ba2 co6 ro15");
    EXPECT_EQ(Mapping::parse("channel_msb", lpddr5()).text(), "of5 co3 bg2 ba2 co3 ro15 ch2 ra0");
    EXPECT_EQ(Mapping::parse("conventional x.ba.ro.0.2", lpddr5()).text(), "of5 ch2 ra0 bg2 ba2 co6 ro15 x.ba.ro.0.2");
    auto const d4 = models::load_dram_standard("D4_2400").organisation;
    EXPECT_EQ(canonical_key(Mapping::parse("MOP4CLXOR", d4)),
              canonical_key(
                  Mapping::parse("of6 co2 ra1 bg2 ba2 co5 ro16 x.ra.co.0.1 x.bg.co.1.2 x.ba.co.3.2 x.ro.co.5.2", d4)));
    auto const hbm = models::load_dram_standard("HBM2_2000").organisation;
    EXPECT_EQ(
        canonical_key(Mapping::parse("MOP4CLXOR", hbm)),
        canonical_key(Mapping::parse("of5 co2 ch3 pc1 bg2 ba2 co3 ro15 x.ch.co.0.3 x.pc.co.3.1 x.bg.co.4.2", hbm)));
    for (auto const& name : Mapping::named()) EXPECT_NO_THROW((void)Mapping::parse(name, hbm)) << name;
}

/// Renames within levels: adds channel masks to bank masks, column masks nowhere else.
Mapping renamed(Mapping const& m, Organisation const& o, Visible visible, std::mt19937& random) {
    Mapping::Masks masks;
    std::vector<std::uint64_t> outer;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row, Field::column}) {
        auto own = m.masks(field);
        bool const by_number = (visible.rank_order && field == Field::rank) ||
                               (visible.bank_order && (field == Field::group || field == Field::bank));
        if (by_number) {
            masks[static_cast<std::size_t>(field)] = own;
            outer.insert(outer.end(), own.begin(), own.end());
            continue;
        }
        std::shuffle(own.begin(), own.end(), random);
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (i + 1 < own.size() && random() % 2 == 0) own[i] ^= own[i + 1];
            for (auto const mask : outer) {
                if (random() % 3 == 0) own[i] ^= mask;
            }
        }
        masks[static_cast<std::size_t>(field)] = own;
        outer.insert(outer.end(), own.begin(), own.end());
    }
    return Mapping::from_masks(masks, m.offset_bits(), o);
}

TEST(CanonicalKey, is_blind_to_renaming_and_equal_keys_time_alike) {
    std::mt19937 random(11);
    for (unsigned i = 0; i < 90; ++i) {
        auto const one = random_case(i % 3 == 0   ? "L5B"
                                     : i % 3 == 1 ? "D4_2400"
                                                  : "HBM2_2000",
                                     i, Timings::as_given, 2000);
        auto const visible = visible_to(one.standard, one.options);
        auto const other = renamed(one.mapping, one.standard.organisation, visible, random);
        ASSERT_EQ(canonical_key(one.mapping, visible), canonical_key(other, visible)) << one.what;
        auto const stream = Stream::list(one.transactions, one.standard.organisation.burst_bytes);
        EXPECT_TRUE(simulate(one.standard, one.mapping, stream, one.options) ==
                    simulate(one.standard, other, stream, one.options))
            << one.what;
    }
}

TEST(CanonicalKey, tells_changed_mappings_apart) {
    auto const o = lpddr5();
    std::set<std::string> keys;
    for (std::uint64_t i = 0; i < 300; ++i) keys.insert(canonical_key(sample_linear(o, i)));
    EXPECT_EQ(keys.size(), 300U);
    EXPECT_NE(canonical_key(Mapping::parse("umdam", o)), canonical_key(Mapping::parse("conventional", o)));
    // Swapping group and bank bits shows only where groups do.
    auto const a = Mapping::parse("of5 ch2 bg2 ba2 co6 ro15", o), b = Mapping::parse("of5 ch2 ba2 bg2 co6 ro15", o);
    EXPECT_NE(canonical_key(a), canonical_key(b));
    EXPECT_EQ(canonical_key(a, {.groups = false}), canonical_key(b, {.groups = false}));
    auto const c = Mapping::parse("of5 ch2 bg2 ba2 co6 ro15 x.ba.bg.0.1", o);
    EXPECT_EQ(canonical_key(a), canonical_key(c));
    EXPECT_NE(canonical_key(a, {.bank_order = true}), canonical_key(c, {.bank_order = true}));
}

TEST(BitOrders, number_13860_classes_of_12_bits_when_groups_do_not_show) {
    // Uniform nCCD: group and bank bits are one field of four.
    auto o = lpddr5();
    o.bank_groups = 1;
    o.banks = 16;
    BitOrders const orders({2, 0, 0, 4, 0, 6}, o);
    ASSERT_EQ(orders.count(), 13860U);
    std::set<std::string> keys;
    for (std::uint64_t i = 0; i < orders.count(); ++i) keys.insert(canonical_key(orders.at(i), {.groups = false}));
    EXPECT_EQ(keys.size(), 13860U);
    EXPECT_EQ(orders.sample(3).text(), orders.sample(3).text());
}

TEST(BitOrders, count_flags_of_subspaces_for_linear_maps) {
    EXPECT_DOUBLE_EQ(count_linear_classes({1, 1}), 3.0);    // lines of a plane over GF(2)
    EXPECT_NEAR(count_linear_classes({2, 2}), 35.0, 1e-9);  // planes in four dimensions
    EXPECT_GT(count_linear_classes({6, 4, 2}), 1e13);
}

TEST(UmdamFamily, has_114_orders) {
    auto const family = umdam_family(lpddr5());
    EXPECT_EQ(family.size(), 114U);
    for (auto const& text : family) EXPECT_NO_THROW((void)Mapping::parse(text, lpddr5())) << text;
}

std::uint64_t split(std::string const& text, std::uint64_t tile_rows, std::uint64_t tile_columns = 8) {
    return lane_locality(Mapping::parse(text, lpddr5()), {0, 256, 64, tile_rows, tile_columns}).split_factor;
}

TEST(LaneLocality, splits_a_column_over_8_lanes_in_the_conventional_order_and_none_in_umdam) {
    EXPECT_EQ(split("umdam", 32), 1U);
    EXPECT_EQ(split("conventional", 32), 8U);
    EXPECT_TRUE(lane_locality(Mapping::parse("umdam", lpddr5()), {0, 256, 64, 32, 4}).lock_step);
    EXPECT_FALSE(lane_locality(Mapping::parse("conventional", lpddr5()), {0, 256, 64, 32, 4}).lock_step);
}

TEST(LaneLocality, allows_an_xor_of_high_bits_only_where_the_tile_rows_are_a_power_of_two) {
    // Bits 5 and 6 above the 14-bit tile go into the bank bits: row bits 2 and 3 of this order.
    std::string const hashed = "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.2.2";
    EXPECT_EQ(split(hashed, 32, 128), 1U);
    EXPECT_GT(split(hashed, 6, 128), 1U);
    EXPECT_GT(split(hashed, 56, 128), 1U);
}

TEST(LaneLocality, agrees_with_looking_at_every_burst) {
    std::mt19937 random(17);
    for (int i = 0; i < 60; ++i) {
        auto const m = random_mapping(lpddr5(), random);
        TiledMatrix const matrix{(1ULL << 14) * (random() % 8), 256, 64, 1 + random() % 9, 1 + random() % 4};
        std::size_t most = 1;
        for (std::uint64_t tc = 0; tc < matrix.tile_columns; ++tc) {
            for (std::uint64_t lc = 0; lc < 64; lc += 13) {
                std::set<std::pair<std::uint32_t, std::uint32_t>> lanes;
                for (std::uint64_t tr = 0; tr < matrix.tile_rows; ++tr) {
                    for (std::uint64_t at = 0; at < 256; at += 32) {
                        auto const place = m.place(matrix.base + (tc * matrix.tile_rows + tr) * 16384 + lc * 256 + at);
                        lanes.emplace(place.channel, place.bank);
                    }
                }
                most = std::max(most, lanes.size());
            }
        }
        EXPECT_EQ(lane_locality(m, matrix).split_factor, most) << m.text();
    }
}

}  // namespace
}  // namespace pimdse::sim::dram::test
