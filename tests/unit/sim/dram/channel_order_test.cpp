#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/dram/channel_partition.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::dram::test::channel_order_test {
namespace {

Mapping small_mapping(std::mt19937& random) {
    auto organisation = models::load_dram_standard("L5J").organisation;
    organisation.channels = 1 << random() % 4;
    organisation.rows = 4;
    organisation.row_bytes = organisation.burst_bytes * 4;
    return random_mapping(organisation, random);
}

std::vector<std::uint64_t> searched(Mapping const& mapping, std::uint32_t channel) {
    std::vector<std::uint64_t> all;
    std::uint64_t const burst = std::uint64_t{1} << mapping.offset_bits();
    for (std::uint64_t address = 0; address < std::uint64_t{1} << mapping.address_bits(); address += burst) {
        if (mapping.place(address).channel == channel) all.push_back(address);
    }
    return all;
}

TEST(ChannelOrder, lists_the_bursts_of_a_channel_as_a_search_finds_them) {
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) {
        auto const mapping = small_mapping(random);
        for (std::uint32_t channel = 0; channel < 1U << mapping.masks(Field::channel).size(); ++channel) {
            ChannelOrder const order(mapping, channel);
            auto const all = searched(mapping, channel);
            ASSERT_EQ(order.size(), all.size());
            EXPECT_EQ(order.lowest(), all.front());
            for (std::uint64_t k = 0; k < all.size(); ++k) {
                ASSERT_EQ(order.address(k), all[k]) << mapping.text() << " channel " << channel << " burst " << k;
                if (k + 1 < all.size()) {
                    ASSERT_EQ(order.next(k, all[k]), all[k + 1]);
                }
                ASSERT_EQ(order.below(all[k]), k);
                ASSERT_EQ(order.below(all[k] + 1), k + 1);
            }
            EXPECT_EQ(order.below(std::uint64_t{1} << mapping.address_bits()), all.size());
        }
    }
}

TEST(ChannelOrder, differs_between_channels_by_a_constant_in_every_name) {
    std::mt19937 random(6);
    for (int i = 0; i < 60; ++i) {
        auto const mapping = small_mapping(random);
        ChannelOrder const first(mapping, 0);
        for (std::uint32_t channel = 0; channel < 1U << mapping.masks(Field::channel).size(); ++channel) {
            ChannelOrder const order(mapping, channel);
            auto const names = mapping.place(order.lowest());
            for (std::uint64_t k = 0; k < order.size(); k += 1 + random() % 5) {
                auto const here = mapping.place(order.address(k)), there = mapping.place(first.address(k));
                ASSERT_EQ(here.bank ^ there.bank, names.bank);
                ASSERT_EQ(here.row ^ there.row, names.row);
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::dram::test::channel_order_test
