#include "models/cim_mesh/layer/macros.hpp"

#include "models/cim_mesh/events.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace pimdse::models::cim_mesh::test::converters_test {
namespace {

Given with(std::vector<Setting> more) {
    more.insert(more.begin(), {{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "64"}});
    return Given(Settings(std::move(more)));
}

std::map<std::string, double> energies(Given const& given) {
    std::map<std::string, double> all;
    for (auto const& share : given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy)
        all[share.what] = share.amount;
    return all;
}

TEST(Converters, resolve_a_full_sum_with_one_bit_more_for_twice_the_rows) {
    MachineConstants const m = load_constants();
    EXPECT_DOUBLE_EQ(full_resolution(m, 128), 8.0);
    EXPECT_DOUBLE_EQ(full_resolution(m, 256), 9.0);
    EXPECT_DOUBLE_EQ(full_resolution(m, 512), 10.0);
}

/// 9 bits are what resolves a column of 256 cells, so that they are the published macro.
TEST(Converters, of_full_resolution_are_the_published_ones) {
    Given const published = with({}), full = with({{"adc_bits", "9"}});
    for (char const* metric : {"ttft", "itl", "latency", "energy", "area", "idle_power", "crossbar_power"})
        EXPECT_DOUBLE_EQ(full.metric(metric).value, published.metric(metric).value) << metric;
    EXPECT_DOUBLE_EQ(with({{"crossbar", "128"}, {"adc_bits", "8"}}).metric("energy").value,
                     with({{"crossbar", "128"}}).metric("energy").value);
}

TEST(Converters, take_twice_the_energy_per_bit) {
    double before = 0.0;
    for (char const* bits : {"6", "7", "8", "9", "10", "11"}) {
        Given const given = with({{"adc_bits", bits}});
        auto const& machine = given.machine.events;
        // 256 columns and 8 bits of the input: conversions of the result, and 256 rows times 8 for the drivers.
        double const conversions = 256 * 8, bit = std::stod(bits);
        EXPECT_NEAR(event_energy(given.machine, given.design, given.parts).converters,
                    conversions * (machine.adc_conversion.si * std::pow(2.0, bit - 8.0) + machine.dac_conversion.si),
                    1e-20);
        double const now = energies(given).at("converters/crossbars");
        EXPECT_GT(now, before);
        before = now;
    }
}

/// A converter of 12 bits takes 12 steps and not 9: of a product, a third of the vector (32 cycles) is not hidden.
TEST(Converters, of_more_bits_are_slower_and_larger) {
    Given const twelve = with({{"adc_bits", "12"}}), nine = with({{"adc_bits", "9"}});
    EXPECT_NEAR(product_cycles(twelve.machine, twelve.design), 32.0 / 3.0, 1e-12);
    EXPECT_EQ(product_cycles(nine.machine, nine.design), 0.0);
    double const layers = 16.0;
    EXPECT_NEAR(twelve.metric("itl").value - nine.metric("itl").value, layers * 7.0 * 32.0 / 3.0 * 1e-9, 1e-12);
    EXPECT_GT(twelve.metric("area").value, nine.metric("area").value);
    EXPECT_GT(twelve.metric("energy").value, nine.metric("energy").value);
    EXPECT_EQ(twelve.metric("itl", Fidelity::cycle).value, twelve.metric("itl").value);
}

/// Conversions of fewer bits stay hidden; fewer converters do the same work.
TEST(Converters, of_fewer_bits_are_smaller_and_not_faster) {
    Given const six = with({{"adc_bits", "6"}}), nine = with({{"adc_bits", "9"}});
    EXPECT_EQ(six.metric("itl").value, nine.metric("itl").value);
    EXPECT_EQ(six.metric("ttft").value, nine.metric("ttft").value);
    EXPECT_LT(six.metric("area").value, nine.metric("area").value);
    double const published = 0.1442, share = 0.96, converters = 6.0 / 9.0 / 8.0;
    EXPECT_NEAR(six.metric("crossbar_area").value * 1e6, published * (1.0 - share + share * converters), 1e-9);
}

/// 8 bit of an input times C columns in C / 8 cycles: the same number of conversions per cycle for every C.
TEST(Converters, are_as_many_for_every_width_of_a_crossbar) {
    double const share = 0.96, published = 0.1442, exponent = 0.75;
    for (double const width : {64.0, 128.0, 256.0, 512.0, 1024.0}) {
        double const cells = (1.0 - share) * std::pow(width * width / (256.0 * 256.0), exponent);
        double const full = 8.0 + std::log2(width / 128.0);
        auto const columns = std::to_string(static_cast<int>(width));
        for (int bits : {0, 7, 9}) {
            double const b = bits == 0 ? full : bits;
            double const converters = std::min(b, full) / 9.0 * std::pow(2.0, b - 9.0);
            Given const given = with({{"crossbar", columns}, {"adc_bits", std::to_string(bits)}});
            EXPECT_NEAR(given.metric("crossbar_area").value * 1e6, published * (cells + share * converters), 1e-9)
                << width << " " << bits;
        }
    }
    // Where 9 bits take no longer than a full sum, only the cells are larger.
    auto const at = [](char const* columns) {
        return with({{"crossbar", columns}, {"adc_bits", "9"}}).metric("crossbar_area").value * 1e6;
    };
    EXPECT_NEAR(at("256"), 0.1442, 1e-9);
    EXPECT_LT(at("1024"), 0.1442 * 1.3);
}

TEST(Converters, keep_the_cycles_that_a_user_leaves_unhidden) {
    for (char const* cycles : {"0", "5", "40"}) {
        for (char const* bits : {"0", "3", "9", "13"}) {
            Given const given = with({{"adc_bits", bits}, {"smac_cycles", cycles}});
            EXPECT_GE(product_cycles(given.machine, given.design), std::stod(cycles)) << bits;
        }
    }
}

/// A vector takes 32 cycles on the link of 64 bit, and 64 through a port of 32 bit, in and out of the crossbar.
TEST(Ports, narrower_than_the_link_delay_both_vectors_of_a_product) {
    Given const narrow = with({{"macro_port_bits", "32"}}), same = with({{"macro_port_bits", "64"}}),
                wide = with({{"macro_port_bits", "128"}}), published = with({});
    EXPECT_EQ(product_cycles(narrow.machine, narrow.design), 64.0);
    EXPECT_EQ(product_cycles(same.machine, same.design), 0.0);
    EXPECT_EQ(product_cycles(wide.machine, wide.design), 0.0);
    EXPECT_EQ(same.metric("itl").value, published.metric("itl").value);
    EXPECT_NEAR(same.metric("area").value / published.metric("area").value, 1.0, 1e-12);
    EXPECT_LT(narrow.metric("area").value, same.metric("area").value);
    EXPECT_GT(wide.metric("area").value, same.metric("area").value);
}

/// 512 B of each product, at the energy of a router.
TEST(Ports, of_their_own_have_an_energy) {
    Given const counted = with({{"macro_port_bits", "64"}}), published = with({});
    auto const rows = energies(counted);
    Placed const placed(Settings{{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "64"}});
    auto const& given = placed.given;
    double const products = first_events(given.machine, given.design, given.parts, placed.counts).products +
                            later_events(given.machine, given.design, given.parts, placed.counts).products;
    EXPECT_NEAR(rows.at("interconnect/ports of crossbars"), products * 512 * 8 * 0.03e-12,
                1e-9 * rows.at("interconnect/ports of crossbars"));
    EXPECT_EQ(energies(published).count("interconnect/ports of crossbars"), 0U);
    EXPECT_NEAR(counted.metric("energy").value - published.metric("energy").value,
                rows.at("interconnect/ports of crossbars"), 1e-9 * counted.metric("energy").value);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::converters_test
