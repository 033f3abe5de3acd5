#include "sim/noc/program.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace pimdse::models::cim_mesh::test::network_program_test {
namespace {

/// Cycles of the printed program, by its simulation.
double cycles_of(std::string const& program) {
    std::istringstream text(program);
    double cycles = 0.0;
    for (auto const& stage : sim::noc::run(sim::noc::read_program(text, "layer"))) cycles += stage.cycles;
    return cycles;
}
std::string printed(Given const& given) { return given.architecture.network_program(given.inputs, given.point); }

/// Cycles of the mean decoded token in a layer at cycle level. There is one token less than tokens of output.
double decoded(Given const& given) {
    double seconds = 0.0;
    for (auto const& share : given.explain(Fidelity::cycle).time) {
        if (share.what.starts_with("decode/")) seconds += share.amount;
    }
    auto const& d = given.design;
    return seconds * d.frequency / static_cast<double>(d.model->layers * (d.output - 1));
}

/// A request whose tokens find keys on every router, and as many products in the fullest one.
Settings steady(char const* model, Settings const& more) {
    return with(with(small(model, "tree"), {{"mesh_rows", "40"}, {"mesh_cols", "40"}, {"input", "913"}}), more);
}

std::vector<Settings> const designs{
    Settings{{"fifo_bytes", "16"}},
    Settings{{"fifo_bytes", "64"}, {"smac_cycles", "30"}},
    Settings{{"lora_targets", "all"}, {"lora_rank", "16"}, {"activations", "counted"}, {"smac_cycles", "12"}},
    Settings{{"lora_targets", "q+v"}, {"mesh_rows", "16"}, {"mesh_cols", "16"}},
    Settings{{"mesh_rows", "16"}, {"mesh_cols", "16"}, {"die_link_bits", "16"}, {"softmax_rate", "1"}},
    Settings{{"layer_overhead", "1 us"}, {"dmacs", "4"}, {"activations", "counted"}},
};

TEST(NetworkProgram, takes_the_cycles_of_a_decoded_token_at_cycle_level) {
    tests::Turns turns(5);
    int borders = 0;
    for (char const* model : {"opt-125m", "llama-3.2-1b"}) {
        for (auto const& more : designs) {
            if (!turns.next()) continue;
            Given const given(steady(model, more));
            double const expected = decoded(given);
            EXPECT_GT(expected, 1000.0);
            EXPECT_NEAR(cycles_of(printed(given)), expected, 1e-9 * expected) << model << "\n" << printed(given);
            borders += given.parts.placed_tiles > 1 ? 1 : 0;
        }
    }
    EXPECT_GT(borders, 0);
}

// Every line of a unit alone in its stage: more cycles in the line are more cycles of the token.
TEST(NetworkProgram, an_edited_line_changes_the_total_by_what_it_says) {
    Given const given(steady("llama-3.2-1b", designs[2]));
    auto const program = printed(given);
    double const before = cycles_of(program);
    for (char const* unit : {"products with q, k, v", "products with gate, up", "adapters of down", "queries x keys",
                             "softmax", "scores x values", "activation", "product of gate and up"}) {
        auto edited = program;
        std::string const line = "stage " + std::string(unit) + "\ncompute ";
        auto const at = edited.find(line);
        ASSERT_NE(at, std::string::npos) << unit << "\n" << program;
        auto const number = at + line.size();
        auto const end = edited.find(' ', number);
        double const cycles = std::stod(edited.substr(number, end - number));
        edited.replace(number, end - number, std::to_string(cycles + 100.25));
        EXPECT_NEAR(cycles_of(edited), before + 100.25, 1e-5) << unit;
    }
}

TEST(NetworkProgram, other_schedules_have_none) {
    for (auto const& more :
         {Settings{{"schedule", "serial"}}, Settings{{"dynamic_products", "digital"}}, Settings{{"draft", "3"}}}) {
        Given const given(with(small("opt-125m", "tree"), more));
        EXPECT_THROW((void)printed(given), sim::InputError) << more.list.front().second;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::network_program_test
