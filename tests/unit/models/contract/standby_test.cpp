#include "models/contract/standby.hpp"

#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::standby_test {
namespace {

constexpr std::array<EnergyPart, 7> parts{"idle_units/matrix",    "sram_static",  "dram_background",
                                          "idle_units/channels",  "dram_refresh", "idle_units",
                                          "sram_static/registers"};

/// Numbers below 1, and whole ones below `size`.
struct Draw {
    std::uint64_t counter;
    double unit() { return sim::mixed_fraction(counter++); }
    std::size_t below(std::size_t size) { return sim::mixed_bits(counter++) % size; }
};

RestingPart drawn(Draw& draw) {
    RestingPart one{parts.at(draw.below(parts.size())), draw.unit(), draw.unit(),
                    1.0 + static_cast<double>(draw.below(3))};
    if (draw.below(4) == 0) one.waiting = 0.0;
    if (draw.below(2) == 0) one.works = draw.below(3);
    return one;
}

using Joules = std::vector<std::pair<std::string, double>>;

Joules joules_of(Standby const& rest, double seconds, std::array<double, 3> const& working) {
    Joules all;
    rest.each(seconds, working, [&](EnergyPart part, sim::Bounded const& joules) {
        EXPECT_TRUE(joules.is_exact());
        all.emplace_back(part.name, joules.value);
    });
    return all;
}

double sum_of(Joules const& all) {
    double sum = 0.0;
    for (auto const& [_, joules] : all) sum += joules;
    return sum;
}

}  // namespace

/// Each part on its own: its power for as long as it does not work.
TEST(Standby, agrees_with_a_sum_over_parts) {
    constexpr int machines = 2000;
    Draw draw{7};
    for (int machine = 0; machine < machines; ++machine) {
        Standby rest;
        double const seconds = 3.0 * draw.unit();
        std::array<double, 3> const working{draw.unit(), draw.unit(), draw.unit()};
        double idle = 0.0, waiting = 0.0, memory = 0.0, joules = 0.0;
        for (std::size_t i = 1 + draw.below(8); i > 0; --i) {
            auto const one = drawn(draw);
            rest.add(one);
            idle += one.count * one.idle;
            waiting += one.count * one.waiting;
            if (one.part.name.substr(0, 5) == "dram_") memory += one.count * one.waiting;
            double const busy = one.works == RestingPart::never ? 0.0 : working.at(one.works);
            joules += std::max(0.0, one.count * seconds - busy) * one.waiting;
        }
        EXPECT_NEAR(rest.idle(), idle, 1e-12);
        EXPECT_NEAR(rest.waiting(), waiting, 1e-12);
        EXPECT_NEAR(rest.memory(), memory, 1e-12);
        EXPECT_NEAR(sum_of(joules_of(rest, seconds, working)), joules, 1e-12);
        // Without work, energy is power times time, and what works longer takes less at rest.
        EXPECT_NEAR(sum_of(joules_of(rest, seconds, {})), waiting * seconds, 1e-12);
        EXPECT_LE(joules, waiting * seconds + 1e-12);
    }
}

TEST(Standby, has_rows_in_the_order_of_the_ledger) {
    Standby rest;
    rest.add("idle_units/matrix", 1.0, 0);
    rest.add("idle_units/channels", 2.0);
    rest.add({"dram_background", 3.0, 0.5});
    rest.add("dram_refresh", 0.0);
    rest.add("sram_static", 4.0);
    EXPECT_EQ(
        joules_of(rest, 2.0, {0.5}),
        (Joules{
            {"sram_static", 8.0}, {"dram_background", 6.0}, {"idle_units/matrix", 1.5}, {"idle_units/channels", 4.0}}));
    EXPECT_EQ(rest.idle(), 7.5);
}

TEST(Standby, adds_parts_of_one_name_that_do_not_work) {
    Standby rest;
    rest.add("idle_units", 1.0);
    rest.add({"idle_units", 2.0, 0.0});
    rest.add("idle_units", 4.0, 1);
    EXPECT_EQ(joules_of(rest, 1.0, {0.0, 0.25}), (Joules{{"idle_units", 3.0}, {"idle_units", 3.0}}));
    EXPECT_EQ(rest.idle(), 5.0);
    EXPECT_EQ(rest.waiting(), 7.0);
}

/// Bounds of time give bounds of energy.
TEST(Standby, of_an_interval_of_time_is_between_those_of_its_ends) {
    Standby rest;
    rest.add("idle_units/matrix", 3.0, 0);
    rest.add("sram_static", 1.0);
    auto const seconds = sim::Bounded::within(2.0, 1.0, 4.0, sim::Bound::calibrated);
    std::array const working{1.5};
    rest.each(seconds, working, [&](EnergyPart part, sim::Bounded const& joules) {
        bool const works = part.name != "sram_static";
        EXPECT_EQ(joules.lower, works ? 0.0 : 1.0);
        EXPECT_EQ(joules.value, works ? 1.5 : 2.0);
        EXPECT_EQ(joules.upper, works ? 7.5 : 4.0);
        EXPECT_EQ(joules.kinds, sim::BoundKinds(sim::Bound::calibrated));
    });
}

}  // namespace pimdse::models::standby_test
