#include "sim/noc/program.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace pimdse::models::cim_mesh::test::network_program_test {
namespace {

/// Cycles of the stages with weights of a token, by the simulation of the printed program.
double cycles_of_weights(Given const& given) {
    std::stringstream text;
    sim::noc::write_program(text, network_program(given.inputs, given.point));
    double cycles = 0.0;
    for (auto const& stage : sim::noc::run(sim::noc::read_program(text, "layer"))) {
        bool const of_keys =
            stage.name == "append, gather q" || stage.name == "query to keys" || stage.name == "attention sum";
        if (!of_keys) cycles += static_cast<double>(stage.result.cycles);
    }
    return cycles;
}

/// Cycles of these stages of a decoded token in a layer, of which there are one less than tokens of output.
double collectives(Given const& given) {
    double seconds = 0.0;
    auto const explained = given.architecture.explain(given.inputs, given.point, Fidelity::cycle);
    for (auto const& share : explained.time) {
        if (share.what == "decode/collectives") seconds += share.amount;
    }
    auto const& d = given.design;
    return seconds * d.frequency / static_cast<double>(d.model->layers * (d.output - 1));
}

// A layer on one compute tile, which has no borders: what the program of the network takes is the time of the token.
TEST(NetworkProgram, takes_the_cycles_that_the_cycle_level_takes) {
    tests::Turns turns(5);
    for (char const* fifo : {"16", "64", "128"}) {
        for (char const* model : {"opt-125m", "llama-3.2-1b"}) {
            if (!turns.next()) continue;
            auto settings = small(model, "tree");
            settings.list.emplace_back("fifo_bytes", fifo);
            settings.list.emplace_back("mesh_rows", "40");
            settings.list.emplace_back("mesh_cols", "40");
            Given const given(settings);
            ASSERT_EQ(given.parts.placed_tiles, 1) << model;
            EXPECT_NEAR(cycles_of_weights(given), collectives(given), 1e-6 * collectives(given))
                << model << " " << fifo;
            EXPECT_GT(collectives(given), 100.0);
        }
    }
}

TEST(NetworkProgram, other_schedules_have_none) {
    Given const serial(small("opt-125m", "serial"));
    EXPECT_THROW((void)network_program(serial.inputs, serial.point), sim::InputError);
    auto settings = small("opt-125m", "tree");
    settings.list.emplace_back("dynamic_products", "digital");
    Given const in_place(settings);
    EXPECT_THROW((void)network_program(in_place.inputs, in_place.point), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::network_program_test
