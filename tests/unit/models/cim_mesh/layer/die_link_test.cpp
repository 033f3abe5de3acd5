#include "models/cim_mesh/layer/macros.hpp"

#include "models/cim_mesh/events.hpp"
#include "models/contract/common_metrics.hpp"
#include "sim/noc/phase.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::models::cim_mesh::test::die_link_test {
namespace {

Settings request(std::vector<Setting> more) {
    more.insert(more.begin(), {{"llm", "llama-2-13b"}, {"input", "32"}, {"output", "8"}});
    return Settings(std::move(more));
}

TEST(DieLink, is_two_hops_unless_it_has_a_width) {
    Given const given(request({}));
    EXPECT_EQ(border_hops(given.machine, given.design), 2.0);
    EXPECT_EQ(slower_on_die_link(given.machine, given.design), 0.0);
    EXPECT_EQ(die_link_occupation(given.machine, given.design, 5), 1.0);
}

/// 2 ns are two cycles, half of a hop; a vector of 2,048 bit takes 128 cycles on 16 bit, 96 more than on 64.
TEST(DieLink, has_a_latency_and_a_width) {
    auto const at = [](char const* bits, char const* clock) {
        Given const given(request({{"die_link_bits", bits}, {"frequency", clock}}));
        return border_hops(given.machine, given.design);
    };
    EXPECT_DOUBLE_EQ(at("64", "1 GHz"), 0.5);
    EXPECT_DOUBLE_EQ(at("256", "1 GHz"), 0.5);
    EXPECT_DOUBLE_EQ(at("64", "2 GHz"), 1.0);
    EXPECT_DOUBLE_EQ(at("16", "1 GHz"), 0.5 + 96 / 4.0);
    Given const narrow(request({{"die_link_bits", "16"}}));
    EXPECT_EQ(slower_on_die_link(narrow.machine, narrow.design), 96.0);
    EXPECT_EQ(die_link_occupation(narrow.machine, narrow.design, 2), 4.0);
    EXPECT_EQ(die_link_occupation(narrow.machine, narrow.design, 1), 1.0);
}

TEST(DieLink, makes_nothing_slower_when_it_is_wider) {
    for (char const* schedule : {"serial", "tree"}) {
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            double ttft = 1e9, itl = 1e9, area = 0.0;
            for (char const* bits : {"16", "32", "64", "128"}) {
                Given const given(request({{"schedule", schedule}, {"die_link_bits", bits}}));
                ASSERT_TRUE(std::holds_alternative<Metrics>(given.outcome(fidelity))) << bits;
                EXPECT_LE(given.metric("ttft", fidelity).value, ttft) << schedule << bits;
                EXPECT_LE(given.metric("itl", fidelity).value, itl) << schedule << bits;
                EXPECT_GT(given.metric("area", fidelity).value, area) << schedule << bits;
                ttft = given.metric("ttft", fidelity).value;
                itl = given.metric("itl", fidelity).value;
                area = given.metric("area", fidelity).value;
            }
        }
    }
}

/// A layer on one tile has no border inside: only the way to the next layer and its energy are left.
TEST(DieLink, of_a_layer_on_one_tile_is_crossed_between_layers_only) {
    Placed const one({{"llm", "llama-3.2-1b"}, {"input", "32"}, {"output", "8"}});
    EXPECT_EQ(one.given.parts.placed_tiles, 1);
    EXPECT_EQ(one.counts.crossings, 8.0);  // 2,048 values
    EXPECT_EQ(one.counts.holder_routes(100).borders, 0.0);
    EXPECT_EQ(one.counts.holder_routes(100).tree_borders, 0.0);
}

/// Vectors of one flit on the links over borders, in the messages that cycle level simulates.
TEST(DieLink, crossings_are_those_of_the_messages) {
    for (char const* rows : {"16", "32"}) {
        Placed const p({{"llm", "llama-3-8b"}, {"mesh_rows", rows}, {"mesh_cols", "16"}});
        auto const& ruler = p.layer.ruler();
        auto const crossing = [&](Stage const& stage) {
            auto const loads = sim::noc::link_loads(ruler.mesh, stage.phase);
            double all = 0.0;
            for (sim::noc::Node node = 0; node < ruler.mesh.nodes(); ++node) {
                for (auto const port : {sim::noc::Port::east, sim::noc::Port::west}) {
                    if (!ruler.mesh.has_link(node, port)) continue;
                    auto const load = loads[static_cast<std::size_t>(sim::noc::port_index(node, port))];
                    all += static_cast<double>(load) * ruler.borders(node, ruler.mesh.neighbour(node, port));
                }
            }
            return all;
        };
        auto const program = p.layer.program();
        double expected = p.layer.chain_borders(1) + crossing(program.gather_queries());
        for (auto const& stage : program.fixed_stages())
            if (stage.kind != StageKind::reduction) expected += crossing(stage);
        auto const outputs = static_cast<double>(program.roots(program.down(), "down").size());
        EXPECT_EQ(p.layer.crossings(), expected + outputs * static_cast<double>(p.given.parts.placed_tiles)) << rows;
        std::int64_t const owners = p.layer.max_owners();
        EXPECT_EQ(p.layer.holder_routes(owners).tree_borders * static_cast<double>(p.given.parts.q),
                  crossing(program.query(owners)));
    }
}

double energy_of(Given const& given, std::string const& part) {
    for (auto const& row : given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy)
        if (row.what == part) return row.amount;
    return 0.0;
}

/// The same bytes pass the same routers and wires, however long a border takes.
TEST(DieLink, moves_no_byte_past_another_router) {
    for (char const* schedule : {"serial", "tree"}) {
        for (char const* products : {"routers", "hybrid", "digital"}) {
            auto const at = [&](char const* bits) {
                return Given(
                    request({{"schedule", schedule}, {"dynamic_products", products}, {"die_link_bits", bits}}));
            };
            Given const none = at("0");
            double const routers = energy_of(none, "interconnect/routers"),
                         wires = energy_of(none, "interconnect/wires");
            EXPECT_GT(routers, 0.0);
            for (char const* bits : {"16", "64", "1024"}) {
                EXPECT_EQ(energy_of(at(bits), "interconnect/routers"), routers) << schedule << products << bits;
                EXPECT_EQ(energy_of(at(bits), "interconnect/wires"), wires) << schedule << products << bits;
            }
        }
    }
}

/// Longer borders take time alone, and tiles side by side are one mesh for the energy of hops.
TEST(DieLink, border_hops_are_time_without_energy) {
    for (double const hops : {0.0, 2.0, 50.0}) {
        Given given(request({}));
        given.machine.border_hops = hops;
        PlacedLayer const layer(given.machine, given.packed());
        auto const counts = count_mesh(given.machine, given.design, given.parts, layer);
        Placed const published(request({}));
        EXPECT_EQ(later_events(given.machine, given.design, given.parts, counts).hops,
                  later_events(given.machine, given.design, given.parts, published.counts).hops);
        EXPECT_EQ(first_events(given.machine, given.design, given.parts, counts).hops,
                  first_events(given.machine, given.design, given.parts, published.counts).hops);
        EXPECT_EQ(counts.fill > published.counts.fill, hops > 2.0);
    }
}

TEST(DieLink, has_an_energy_of_its_own) {
    for (char const* schedule : {"serial", "tree"}) {
        Given const given(request({{"schedule", schedule}, {"die_link_bits", "64"}}));
        auto const rows = given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy;
        auto const link = std::ranges::find(rows, "interconnect/links between tiles", &Share::what);
        ASSERT_NE(link, rows.end());
        EXPECT_GT(link->amount, 0.0);
        EXPECT_LT(link->amount, given.metric("energy").value);
        // Every decoded token hands 20 vectors of 256 B over at least one border in each of 40 layers.
        EXPECT_GT(link->amount, 40 * 40 * 20 * 256 * 8 * 0.5e-12);
    }
}

/// 4 x 32 links for every tile of 32 x 32 pairs, 665 um2 per bit, 0.5 mW/mm2, gated or not.
TEST(DieLink, listens_while_its_tiles_wait) {
    for (char const* gating : {"srpg", "none"}) {
        auto const idle = [&](char const* bits) {
            return Given(request({{"gating", gating}, {"die_link_bits", bits}})).metric("idle_power").value;
        };
        Given const given(request({}));
        auto const tiles = static_cast<double>(given.parts.total_tiles);
        for (char const* bits : {"1", "64", "1024"})
            EXPECT_NEAR(idle(bits) - idle("0"), tiles * 128 * std::stod(bits) * 665e-6 * 0.5e-3, 1e-9) << gating;
        Given const wide(request({{"gating", gating}, {"die_link_bits", "1024"}}));
        EXPECT_GT(energy_of(wide, "idle_units/links between tiles"), 0.0);
    }
}

TEST(DieLink, bounds_contain_the_cycle_level_result) {
    for (char const* schedule : {"serial", "tree"}) {
        for (char const* placement : {"packed", "searched"}) {
            for (char const* bits : {"24", "128"}) {
                Given const given(Settings{{"llm", "opt-125m"},
                                           {"input", "12"},
                                           {"output", "10"},
                                           {"mesh_rows", "8"},
                                           {"mesh_cols", "8"},
                                           {"schedule", schedule},
                                           {"placement", placement},
                                           {"die_link_bits", bits}});
                expect_bounds(given, std::string(schedule) + " " + placement + " " + bits);
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::die_link_test
