#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>

namespace pimdse::models::cim_mesh::test::programming_test {
namespace {

/// One row after another on the port, each crossbar busy until it has written its row.
double slow_time(std::size_t crossbars, std::size_t rows, double transfer, double write) {
    std::vector<double> free(crossbars, 0.0);
    double port = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
        for (auto& crossbar : free) {
            // The port hands a row over when its crossbar has written the one before.
            port = std::max(port + transfer, crossbar);
            crossbar = port + write;
        }
    }
    return *std::ranges::max_element(free);
}

TEST(Programming, takes_as_long_as_a_port_that_serves_crossbars_in_turn) {
    for (std::size_t const crossbars : {1, 2, 7, 30}) {
        for (std::size_t const rows : {1, 2, 16}) {
            for (double const transfer : {1.0, 32.0, 500.0}) {
                for (double const write : {0.0, 31.0, 500.0}) {
                    EXPECT_DOUBLE_EQ(
                        time_to_program(static_cast<double>(crossbars), static_cast<double>(rows), transfer, write),
                        slow_time(crossbars, rows, transfer, write))
                        << crossbars << " " << rows << " " << transfer << " " << write;
                }
            }
        }
    }
}

Given first(std::vector<Setting> more = {}) {
    more.insert(more.begin(), {{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "16"}, {"weight_load", "once"}});
    return Given(Settings(std::move(more)));
}
Given loaded(std::vector<Setting> more = {}) {
    more.emplace_back("weight_load", "none");
    return first(std::move(more));
}

/// 16 layers of 928 crossbars and two tables of 501 x 8: a row of 256 B takes 32 cycles on the port, and the last one
/// 500 ns in its crossbar.
TEST(Programming, belongs_to_the_first_request) {
    double const rows = 256.0, crossbars = 16.0 * 928.0 + 2.0 * 501.0 * 8.0;
    double const time = crossbars * rows * 32e-9 + 500e-9;
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        for (char const* metric : {"ttft", "first_ttft", "latency"})
            EXPECT_NEAR(first().metric(metric, fidelity).value - loaded().metric(metric, fidelity).value, time, 1e-9);
        EXPECT_DOUBLE_EQ(first().metric("itl", fidelity).value, loaded().metric("itl", fidelity).value);
    }
    for (char const* metric : {"area", "idle_power", "static_power", "decode_power"})
        EXPECT_EQ(first().metric(metric).value, loaded().metric(metric).value) << metric;
    auto const given = first();
    auto const all = programming(given.machine, given.design, given.parts);
    EXPECT_EQ(all.crossbars, crossbars);
    EXPECT_NEAR(all.together, 500.0 / 32.0, 1e-3);
    auto const none = loaded();
    EXPECT_EQ(programming(none.machine, none.design, none.parts).time, 0.0);
}

/// 100 pJ per cell, 5 pJ/bit from the host, and a mean way of (32 + 32) / 2 routers on a tile.
TEST(Programming, has_the_energy_of_cells_and_of_the_way_of_the_weights) {
    auto const given = first();
    std::map<std::string, double> rows;
    for (auto const& share : given.explain().energy) rows[share.what] = share.amount;
    double const bytes = (16.0 * 928.0 + 2.0 * 501.0 * 8.0) * 65536.0;
    auto const each = event_energy(given.machine, given.design, given.parts);
    EXPECT_NEAR(rows.at("in_memory_logic/programming of cells") / (bytes * 100e-12), 1.0, 1e-12);
    EXPECT_NEAR(rows.at("host_transfer/programming of cells") / (bytes * 40e-12), 1.0, 1e-12);
    EXPECT_NEAR(rows.at("interconnect/programming of cells") / (bytes * 32.0 * (each.router + each.wire)), 1.0, 1e-12);
    EXPECT_GT(given.metric("energy").value, loaded().metric("energy").value);
}

/// A port of twice the width, or clock, brings rows in half the time, until each crossbar is busy all the time.
TEST(Programming, is_limited_by_the_port_and_at_last_by_the_pulses) {
    auto const time = [](std::vector<Setting> more) {
        auto const given = first(std::move(more));
        return programming(given.machine, given.design, given.parts).time;
    };
    EXPECT_NEAR(time({{"link_bits", "128"}}) / time({}), 0.5, 1e-4);
    EXPECT_NEAR(time({{"frequency", "2 GHz"}}) / time({}), 0.5, 1e-4);
    EXPECT_NEAR(time_to_program(4, 256, 1e-12, 500e-9) / (256 * 500e-9), 1.0, 1e-4);
}

TEST(Programming, is_a_state_of_every_layer_in_the_trace) {
    auto const given = first({{"lora_targets", "q"}});
    auto const bars = given.architecture.trace(given.inputs, given.point, Fidelity::analytic);
    auto const programmed =
        std::ranges::count_if(bars, [](auto const& bar) { return bar.what == "program cells" && bar.start == 0.0; });
    EXPECT_EQ(programmed, 16);
    double prompt_end = 0.0;
    for (auto const& bar : bars)
        if (bar.what == "active: prompt") prompt_end = std::max(prompt_end, bar.start + bar.duration);
    EXPECT_NEAR(prompt_end / given.metric("ttft").value, 1.0, 1e-9);
    EXPECT_NEAR(models::sum_of(given.explain().time) / given.metric("latency").value, 1.0, 1e-9);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::programming_test
