#include "models/cim_mesh/layer/macros.hpp"

#include "models/cim_mesh/events.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::models::cim_mesh::test::scratchpad_test {
namespace {

Given banked(std::int64_t bytes, std::int64_t banks, std::vector<Setting> more = {}) {
    more.insert(more.begin(), {{"llm", "llama-3.2-1b"},
                               {"input", "64"},
                               {"output", "16"},
                               {"scratchpad", std::to_string(bytes)},
                               {"scratchpad_banks", std::to_string(banks)}});
    return Given(Settings(std::move(more)));
}
double growth_of(std::int64_t bytes, std::int64_t banks) {
    auto const given = banked(bytes, banks);
    return scratchpad_growth(given.machine, given.design);
}
double energy_of(std::int64_t bytes, std::int64_t banks) {
    auto const given = banked(bytes, banks);
    return scratchpad_energy(given.machine, given.design);
}

/// Adds up banks one after another: cells of 0.027 um2, and a periphery that is as long as the side of an array. The
/// published macro is one bank of 32 KiB in 0.013 mm2.
double slow_growth(std::int64_t bytes, std::int64_t banks) {
    double const published = 0.013e6, cell = 0.027;
    auto const bits = [](double of) { return 8.0 * of; };
    double const per_side = (published - bits(32768.0) * cell) / std::sqrt(bits(32768.0));
    double area = 0.0;
    for (std::int64_t bank = 0; bank < banks; ++bank) {
        double const cells = bits(static_cast<double>(bytes) / static_cast<double>(banks));
        area += cells * cell + per_side * std::sqrt(cells);
    }
    return area / published;
}

TEST(Scratchpad, has_the_area_of_its_banks) {
    for (std::int64_t const bytes : {4096, 32768, 131072, 1048576})
        for (std::int64_t const banks : {1, 2, 7, 16})
            EXPECT_NEAR(growth_of(bytes, banks) / slow_growth(bytes, banks), 1.0, 1e-3) << bytes << " " << banks;
}

TEST(Scratchpad, of_one_bank_of_the_published_size_is_the_published_macro) {
    Given const published = banked(32768, 0), one = banked(32768, 1);
    for (char const* metric :
         {"ttft", "itl", "energy", "area", "idle_power", "static_power", "scratchpad_area", "scratchpad_power"})
        EXPECT_DOUBLE_EQ(one.metric(metric).value, published.metric(metric).value) << metric;
}

/// Area and leakage in proportion to the bytes are those of one bank for every 32 KiB.
TEST(Scratchpad, grows_with_its_bytes_as_with_banks_of_the_published_size) {
    for (std::int64_t const banks : {2, 4, 16})
        EXPECT_NEAR(growth_of(32768 * banks, banks), growth_of(32768 * banks, 0), 1e-12);
    EXPECT_GT(growth_of(4096, 1), 1.5 * growth_of(4096, 0));
    EXPECT_LT(growth_of(131072, 1), growth_of(131072, 0));
}

/// 7.5 and 8.5 pJ for 64 bit of 8 and 32 KiB (Jouppi et al.), 14 pJ of 1 MiB.
TEST(Scratchpad, of_one_bank_has_the_published_energies_of_an_access) {
    EXPECT_NEAR(energy_of(8192, 1) * 8.0, 7.5e-12, 0.01 * 7.5e-12);
    EXPECT_NEAR(energy_of(32768, 1) * 8.0, 8.5e-12, 0.01 * 8.5e-12);
    EXPECT_NEAR(energy_of(1048576, 1) * 8.0, 14e-12, 0.01 * 14e-12);
}

/// More banks read less, from farther away, and cost area and leakage; no time depends on them.
TEST(Scratchpad, of_more_banks_trades_energy_for_area_and_leakage) {
    for (std::int64_t const bytes : {32768, 262144}) {
        for (std::int64_t banks = 1; banks < 64; banks *= 2) {
            Given const few = banked(bytes, banks), many = banked(bytes, 2 * banks);
            EXPECT_GT(many.metric("scratchpad_area").value, few.metric("scratchpad_area").value);
            EXPECT_GT(many.metric("area").value, few.metric("area").value);
            EXPECT_GT(many.metric("idle_power").value, few.metric("idle_power").value);
            EXPECT_GT(many.metric("static_power").value, few.metric("static_power").value);
            for (char const* time : {"ttft", "itl", "latency"})
                EXPECT_EQ(many.metric(time).value, few.metric(time).value) << time;
        }
        EXPECT_LT(energy_of(bytes, 4), energy_of(bytes, 1));
        EXPECT_GT(energy_of(bytes, 4), scratchpad_energy(load_constants(), banked(bytes / 4, 1).design));
    }
    // The wires to many banks of a large scratchpad outweigh what smaller banks save.
    EXPECT_GT(energy_of(16777216, 64), 1.5 * energy_of(262144, 1));
}

TEST(Scratchpad, of_more_bytes_is_never_smaller) {
    for (std::int64_t const banks : {0, 1, 8}) {
        double area = 0.0;
        for (std::int64_t bytes = 4096; bytes <= 1048576; bytes *= 2) {
            EXPECT_GT(growth_of(bytes, banks), area);
            area = growth_of(bytes, banks);
        }
    }
}

TEST(Scratchpad, needs_256_bytes_in_a_bank) {
    EXPECT_TRUE(std::holds_alternative<Metrics>(banked(16384, 64).outcome()));
    EXPECT_EQ(std::get<Infeasible>(banked(16128, 64).outcome()).rule, "scratchpad_banks");
}

/// Both scratchpads of leap-d, and its 12,510 um2 for 32 KiB.
TEST(Scratchpad, of_leap_has_its_own_macro) {
    Given const one = banked(32768, 1, {{"machine", "leap-d"}}), none = banked(32768, 0, {{"machine", "leap-d"}}),
                four = banked(32768, 4, {{"machine", "leap-d"}});
    EXPECT_DOUBLE_EQ(one.metric("area").value, none.metric("area").value);
    EXPECT_NEAR(four.metric("scratchpad_area").value / none.metric("scratchpad_area").value,
                growth_of(32768, 4) / growth_of(32768, 0), 1e-12);
    EXPECT_GT(four.metric("idle_power").value, none.metric("idle_power").value);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::scratchpad_test
