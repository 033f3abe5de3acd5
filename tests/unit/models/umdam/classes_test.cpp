#include "models/umdam/classes.hpp"

#include "models/dram_standard.hpp"
#include "organisations.hpp"
#include "sim/dram/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;
using testing::paper_organisation;

std::vector<StoredShape> shapes() { return {{32, 64, 256, 64}, {6, 12, 256, 64}, {56, 112, 256, 64}}; }

TEST(Classes, merges_orders_that_timing_cannot_tell_apart) {
    auto const orders = row_highest_orders(paper_organisation());
    auto const seen = census(orders, paper_organisation(), Groups::seen, shapes());
    EXPECT_EQ(seen.texts, 114U);
    EXPECT_EQ(seen.classes.size(), 114U);
    auto const merged = census(orders, paper_organisation(), Groups::merged, shapes());
    EXPECT_LT(merged.classes.size(), 114U);
    // a column of 256 B stays together only where eight column bits' worth, ColL = 3 or more, lie below channel and banks
    EXPECT_GT(seen.legal.size(), 0U);
    EXPECT_LT(seen.legal.size(), seen.classes.size());
    EXPECT_NE(std::find(seen.legal.begin(), seen.legal.end(), "of5 co3 ch2 bg2 ba2 co3 ro15"), seen.legal.end());
}

TEST(Classes, tells_all_13860_orders_of_twelve_bits_apart_when_groups_do_not_matter) {
    std::string order = "bbbbcccccchh";  // bank, column, channel bits, sorted
    auto organisation = paper_organisation();
    organisation.bank_groups = 1;
    organisation.banks = 16;
    std::set<std::vector<std::uint64_t>> keys;
    std::size_t orders = 0;
    do {
        Mapping::Masks masks;
        for (std::size_t bit = 0; bit < order.size(); ++bit) {
            auto const field = order[bit] == 'b' ? Field::bank : order[bit] == 'c' ? Field::column : Field::channel;
            masks[static_cast<std::size_t>(field)].push_back(std::uint64_t{1} << (5 + bit));
        }
        for (int bit = 17; bit < 32; ++bit) masks[static_cast<std::size_t>(Field::row)].push_back(std::uint64_t{1} << bit);
        keys.insert(class_key(Mapping::from_masks(masks, 5, organisation), Groups::merged));
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(orders, 13860U);
    EXPECT_EQ(keys.size(), 13860U);
}

/// Replaces the masks of a field by random sums of themselves and of the fields outside it: a renaming at every level.
Mapping renamed(Mapping const& mapping, Organisation const& organisation, std::mt19937_64& random) {
    Mapping::Masks masks;
    std::vector<std::uint64_t> outer;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row, Field::column}) {
        auto own = mapping.masks(field);
        for (std::size_t i = 0; i < own.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) own[i] ^= random() % 2 == 0 ? own[j] : 0;
            for (auto const mask : outer) own[i] ^= random() % 2 == 0 ? mask : 0;
        }
        outer.insert(outer.end(), own.begin(), own.end());
        masks[static_cast<std::size_t>(field)] = own;
    }
    return Mapping::from_masks(masks, mapping.offset_bits(), organisation);
}

TEST(Classes, equal_keys_mean_equal_cycles_for_any_stream) {
    auto const standard = load_dram_standard("L5J", 8);
    auto const& o = standard.organisation;
    std::mt19937_64 random(9);
    sim::dram::Options options;
    options.front_end = sim::dram::FrontEnd::independent;
    for (auto const* text : {"of5 co3 ch2 bg2 ba2 co3 ro15", "of5 ch2 bg2 ba2 co6 ro15", "of5 bg2 co2 ch2 ro3 ba2 co4 ro12"}) {
        auto const mapping = Mapping::parse(text, o);
        for (int trial = 0; trial < 5; ++trial) {
            auto const other = renamed(mapping, o, random);
            ASSERT_EQ(class_key(mapping, Groups::seen), class_key(other, Groups::seen));
            for (auto const* spec : {"seq:262144", "rand:3000:16777216", "copy:65536:8388608:0", "stride:4096:1000"}) {
                auto const stream = sim::dram::Stream::parse(spec, 32);
                auto const a = sim::dram::simulate(standard, mapping, stream, options),
                           b = sim::dram::simulate(standard, other, stream, options);
                EXPECT_EQ(a.cycles, b.cycles) << text << " " << spec;
                EXPECT_EQ(a.activates, b.activates) << text << " " << spec;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam
