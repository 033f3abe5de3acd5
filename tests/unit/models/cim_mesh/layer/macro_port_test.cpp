#include "models/cim_mesh/layer/macros.hpp"

#include "models/cim_mesh/events.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <optional>

namespace pimdse::models::cim_mesh::test::macro_port_test {
namespace {

Given ported(std::vector<Setting> more) {
    more.insert(more.begin(), {{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "64"}});
    return Given(Settings(std::move(more)));
}

/// A port, cycle by cycle: the router hands over a flit where the FIFO has room, and the bus starts a burst as soon as
/// the FIFO holds the first beat of it, waits for the handshake, and takes a beat in every cycle that finds one.
/// Returns the cycle after the last beat.
std::int64_t simulated(std::int64_t vector, std::int64_t link, std::int64_t port, std::int64_t fifo,
                       std::int64_t max_beats, std::int64_t handshake) {
    std::int64_t const burst = std::min(max_beats, fifo / port);
    std::int64_t arrived = 0, taken = 0, left_in_burst = 0, waiting = 0, cycle = 0;
    for (; taken < vector; ++cycle) {
        auto const beat = std::min(port, vector - taken);
        bool const ready = arrived - taken >= beat;
        if (left_in_burst == 0 && ready) {
            left_in_burst = burst;
            waiting = handshake;
        }
        if (left_in_burst > 0 && waiting > 0) {
            --waiting;
        } else if (left_in_burst > 0 && ready) {
            taken += beat;
            --left_in_burst;
        }
        auto const flit = std::min(link, vector - arrived);
        if (arrived - taken + flit <= fifo) arrived += flit;
    }
    return cycle;
}

struct Case {
    std::int64_t link, port, fifo;
};

TEST(MacroPort, takes_the_cycles_of_a_simulated_fifo_and_bus) {
    std::int64_t const vector = 2048;  // bits of 256 values
    for (auto const& c :
         {Case{64, 64, 128}, Case{64, 64, 8}, Case{64, 64, 24}, Case{64, 64, 4096}, Case{64, 32, 64}, Case{64, 16, 8},
          Case{128, 64, 128}, Case{128, 128, 64}, Case{32, 32, 100}, Case{64, 40, 64}}) {
        auto const given = ported({{"link_bits", std::to_string(c.link)},
                                   {"macro_port_bits", std::to_string(c.port)},
                                   {"macro_fifo_bytes", std::to_string(c.fifo)}});
        auto const& m = given.machine;
        auto const fifo = std::max<std::int64_t>(c.fifo * 8, c.link);
        auto const cycles =
            simulated(vector, c.link, c.port, fifo, std::min<std::int64_t>(256, c.fifo * 8 / c.port), 2);
        // The first flit enters the FIFO in a cycle of its own, which is part of the pipeline of the router.
        EXPECT_EQ(static_cast<double>(cycles - 1), macro_port(m, given.design).cycles)
            << c.link << " " << c.port << " " << c.fifo;
    }
}

/// A wider port waits for flits: nothing is left but, at the end, a handshake and a beat.
TEST(MacroPort, wider_than_the_link_hides_its_handshakes) {
    for (std::int64_t const fifo : {64, 128, 512}) {
        auto const given = ported({{"macro_port_bits", "128"}, {"macro_fifo_bytes", std::to_string(fifo)}});
        EXPECT_EQ(product_cycles(given.machine, given.design), 0.0);
        EXPECT_LE(simulated(2048, 64, 128, fifo * 8, 256, 2), 32 + 2 + 1);
    }
}

/// 32 beats in two bursts of 16, each with a handshake of two cycles, in and out of a crossbar, in seven products.
TEST(MacroPort, handshakes_delay_products) {
    auto const published = ported({}), given = ported({{"macro_fifo_bytes", "128"}});
    auto const port = macro_port(given.machine, given.design);
    EXPECT_EQ(port.beats, 32.0);
    EXPECT_EQ(port.bursts, 2.0);
    EXPECT_EQ(port.cycles, 36.0);
    EXPECT_EQ(product_cycles(given.machine, given.design), 8.0);
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle})
        EXPECT_NEAR(given.metric("itl", fidelity).value - published.metric("itl", fidelity).value,
                    16.0 * 7.0 * 8.0 * 1e-9, 1e-12);
    EXPECT_EQ(macro_port(published.machine, published.design).cycles, 32.0);
    EXPECT_EQ(product_cycles(published.machine, published.design), 0.0);
}

/// Two of six FIFOs: a FIFO of the size of the others is the published router.
TEST(MacroPort, larger_fifos_are_faster_and_cost_area_and_power) {
    auto const published = ported({});
    EXPECT_NEAR(ported({{"macro_fifo_bytes", "128"}}).metric("area").value / published.metric("area").value, 1.0,
                1e-12);
    double const router = published.metric("router_area").value, fifos = 0.4 * router;
    EXPECT_NEAR(ported({{"macro_fifo_bytes", "256"}}).metric("router_area").value - router, 0.3333 * fifos, 1e-12);
    std::optional<Given> before(ported({{"macro_fifo_bytes", "8"}}));
    for (char const* bytes : {"16", "32", "64", "128", "256", "512"}) {
        auto const now = ported({{"macro_fifo_bytes", bytes}});
        EXPECT_LE(now.metric("ttft").value, before->metric("ttft").value);
        EXPECT_LE(now.metric("itl").value, before->metric("itl").value);
        for (char const* cost : {"area", "router_area", "static_power"})
            EXPECT_GT(now.metric(cost).value, before->metric(cost).value) << cost;
        before.emplace(now);
    }
}

/// 512 B of each product, and one beat in sixteen more for address and response.
TEST(MacroPort, has_the_energy_of_its_beats_for_crossbars_and_adapters) {
    auto const given = ported({{"macro_fifo_bytes", "128"}, {"lora_targets", "q"}});
    auto const each = event_energy(given.machine, given.design, given.parts);
    EXPECT_NEAR(each.port / (512.0 * 34.0 / 32.0 * each.router), 1.0, 1e-12);
    std::map<std::string, double> rows;
    for (auto const& share : given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy)
        rows[share.what] = share.amount;
    // Input and output of the adapter of q, for 128 + 63 positions of 16 layers.
    double const bytes = (2048.0 + 2048.0) * (128.0 + 63.0) * 16.0;
    EXPECT_NEAR(rows.at("interconnect/ports of SRAM arrays") / (bytes * 34.0 / 32.0 * each.router), 1.0, 1e-9);
    EXPECT_GT(rows.at("interconnect/ports of crossbars"), rows.at("interconnect/ports of SRAM arrays"));
    EXPECT_EQ(event_energy(given.machine, ported({}).design, given.parts).adapter_port, 0.0);
}

TEST(MacroPort, needs_room_for_a_beat) {
    EXPECT_EQ(std::get<Infeasible>(ported({{"macro_fifo_bytes", "7"}}).outcome()).rule, "macro_fifo");
    EXPECT_TRUE(std::holds_alternative<Metrics>(ported({{"macro_fifo_bytes", "8"}}).outcome()));
    EXPECT_TRUE(
        std::holds_alternative<Metrics>(ported({{"macro_fifo_bytes", "4"}, {"macro_port_bits", "32"}}).outcome()));
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::macro_port_test
