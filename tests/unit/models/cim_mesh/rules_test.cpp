#include "models/contract/parameter_text.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::rules_test {
namespace {

using testing::HasSubstr;

Infeasible refused(Settings const& settings) {
    auto const outcome = Given(settings).outcome();
    auto const* broken = std::get_if<Infeasible>(&outcome);
    return broken != nullptr ? *broken : Infeasible{"feasible", ""};
}

TEST(Feasible, refuses_a_rank_beyond_the_sram_columns) {
    EXPECT_EQ(refused({{"lora_targets", "q"}, {"lora_rank", "64"}}).rule, "feasible");
    auto const broken = refused({{"lora_targets", "q"}, {"lora_rank", "65"}});
    EXPECT_EQ(broken.rule, "lora_rank");
    EXPECT_THAT(broken.reason, says("rank-fit-columns"));
    EXPECT_EQ(refused({{"lora_targets", "q"}, {"lora_rank", "65"}, {"mode", "leap"}}).rule, "feasible");
}

TEST(Feasible, refuses_a_context_beyond_the_model) {
    EXPECT_EQ(refused({{"input", "2048"}, {"output", "2048"}}).rule, "feasible");
    auto const broken = refused({{"input", "2049"}, {"output", "2048"}});
    EXPECT_EQ(broken.rule, "context");
    EXPECT_THAT(broken.reason, says("tokens-exceed"));
}

TEST(Feasible, refuses_a_mesh_smaller_than_a_matrix_column) {
    Settings const small{
        {"llm", "llama-2-70b"}, {"mesh_rows", "8"}, {"mesh_cols", "8"}, {"input", "64"}, {"output", "64"}};
    auto const broken = refused(small);
    EXPECT_EQ(broken.rule, "mesh_column");
    EXPECT_THAT(broken.reason, HasSubstr("112 crossbars"));
    EXPECT_EQ(
        refused({{"llm", "llama-2-70b"}, {"mesh_rows", "8"}, {"mesh_cols", "14"}, {"input", "64"}, {"output", "64"}})
            .rule,
        "feasible");
}

TEST(Feasible, refuses_a_line_of_tiles_that_no_message_knows_its_way_along_at_every_level) {
    Settings const long_line{
        {"machine", "leap-d"}, {"llm", "llama-3-70b"}, {"mesh_rows", "7"}, {"mesh_cols", "239"}, {"schedule", "tree"}};
    EXPECT_THAT(refused(long_line).reason, HasSubstr("along 8191"));
    // No message is simulated with chains, unless two flits of a FIFO hold back what follows them.
    auto const serial = with(long_line, "schedule", "serial");
    EXPECT_EQ(refused(serial).rule, "feasible");
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle})
        for (auto const& settings : {long_line, with(serial, "link_bits", "1024")})
            EXPECT_EQ(Given(settings).rule(fidelity), "mesh_line");
}

TEST(Feasible, refuses_a_head_that_leaves_a_rest_on_crossbars) {
    auto const broken = refused({{"crossbar", "48"}});
    EXPECT_EQ(broken.rule, "head_dimension");
    EXPECT_THAT(broken.reason, says("wider-crossbar"));
    for (auto const* crossbar : {"32", "64", "128", "144"})
        EXPECT_NE(refused({{"crossbar", crossbar}}).rule, "head_dimension");
}

TEST(Feasible, refuses_a_fifo_of_less_than_two_flits) {
    EXPECT_EQ(refused({{"fifo_bytes", "15"}}).rule, "fifo");
    EXPECT_EQ(refused({{"fifo_bytes", "16"}}).rule, "feasible");
}

/// The positions of a pass attend to each other: their keys need room, also where the next pass computes them again.
TEST(Feasible, asks_room_for_the_keys_of_a_pass_of_a_diffusion_model) {
    Settings const diffusing{
        {"llm", "llada-8b"}, {"generation", "diffusion"}, {"input", "64"}, {"output", "64"}, {"scratchpad", "2048"}};
    EXPECT_EQ(refused(with(diffusing, "model_cache", "none")).rule, "kv_pool");
    EXPECT_EQ(refused(diffusing).rule, "kv_pool");
    EXPECT_EQ(refused({{"llm", "llama-3-8b"}, {"input", "64"}, {"output", "64"}, {"scratchpad", "2048"}}).rule,
              "kv_pool");
}

TEST(Feasible, generates_as_the_model_does) {
    EXPECT_EQ(refused({{"llm", "llada-8b"}}).rule, "generation");
    EXPECT_EQ(refused({{"generation", "diffusion"}}).rule, "generation");
    EXPECT_EQ(refused({{"llm", "llada-8b"}, {"generation", "diffusion"}, {"input", "64"}, {"output", "40"}}).rule,
              "blocks");
}

TEST(Feasible, holds_the_keys_of_every_request_of_a_batch) {
    Settings const two{{"batch", "2"}}, half{{"input", "1024"}, {"output", "1024"}, {"batch", "2"}};
    EXPECT_EQ(refused(half).rule, "feasible");
    EXPECT_EQ(refused({{"batch", "8"}}).rule, "kv_pool");
    EXPECT_EQ(refused({{"machine", "leap-a"}, {"batch", "3"}}).rule, "batch");
    EXPECT_LT(Given(two).metric("kv_headroom").value, Given().metric("kv_headroom").value);
}

TEST(Feasible, has_a_clock_whose_voltage_is_known) {
    EXPECT_EQ(refused({{"frequency", "2.1 GHz"}}).rule, "clock");
    EXPECT_EQ(refused({{"frequency", "200 MHz"}}).rule, "clock");
    EXPECT_EQ(refused({{"frequency", "2 GHz"}}).rule, "feasible");
}

TEST(Feasible, names_the_matrix_that_a_lora_target_is_not) {
    Given given;
    auto& targets = given.table.at(static_cast<std::size_t>(find_parameter(given.table, "lora_targets")));
    EXPECT_NO_THROW((void)read_value(targets, "gate+down"));
    EXPECT_THROW((void)read_value(targets, "q+x"), sim::InputError);
    EXPECT_THROW((void)read_value(targets, "q+q"), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::rules_test
