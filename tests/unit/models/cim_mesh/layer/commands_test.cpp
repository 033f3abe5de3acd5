#include "models/cim_mesh/layer/commands.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::commands_test {
namespace {

/// Llama-3.2-1B by hand: q and o of 8 columns, k and v of 2, gate and up of 32, down of 8; 8, 8, 8 and 32 vectors are
/// broadcast, 8 slices of keys and of values pass 32 heads at context 1,536.
TEST(Commands, of_a_decoded_token_by_hand) {
    Given const given({{"llm", "llama-3.2-1b"}, {"input", "1024"}, {"output", "1024"}});
    double const columns = 8 + 2 + 2 + 8 + 32 + 32 + 8, vectors = 8 + 8 + 8 + 32;
    EXPECT_EQ(given.metric("commands").value, 2 * columns + vectors + 2 * 8 * 1536 + 8 * 4);
    // Seven matrices with a sum and a way to a hub each, four broadcasts, keys, values, softmax; 16 B each.
    EXPECT_EQ(given.metric("command_memory").value, (7 * 2 + 4 + 2 + 1) * 16);
}

TEST(Commands, of_adapters_are_one_for_every_slice_of_the_input) {
    Given const none({{"llm", "llama-3.2-1b"}}), q({{"llm", "llama-3.2-1b"}, {"lora_targets", "q"}});
    EXPECT_EQ(q.metric("commands").value, none.metric("commands").value + 8);
    EXPECT_EQ(q.metric("command_memory").value, none.metric("command_memory").value + 16);
}

/// What every execution takes at the longest context, as a scratchpad: 13,000 um2 and 42 uW for 32 KiB.
TEST(Commands, that_do_not_repeat_take_memory) {
    auto const at = [](char const* controller, char const* output) {
        return Given({{"llm", "llama-3.2-1b"}, {"input", "1024"}, {"output", output}, {"controller", controller}});
    };
    Given const repeating = at("repeating", "1024"), unrolled = at("unrolled", "1024");
    double const commands = commands_of(unrolled.design, unrolled.parts, 2048).executed;
    EXPECT_EQ(unrolled.metric("command_memory").value, commands * 16);
    EXPECT_GT(at("unrolled", "2048").metric("command_memory").value, commands * 16);
    // The layer has 928 pairs, a tile 1,024.
    double const pads = commands * 16 / 32768 * 1024 / 928, tiles = 24;
    EXPECT_NEAR(unrolled.metric("area").value - repeating.metric("area").value, tiles * pads * 0.013e-6, 1e-12);
    EXPECT_NEAR(unrolled.metric("idle_power").value - repeating.metric("idle_power").value, tiles * pads * 42e-6, 1e-9);
    EXPECT_EQ(unrolled.metric("itl").value, repeating.metric("itl").value);
}

/// 16 B of a scratchpad of the published size, 0.133 pJ/bit, for every execution in every layer.
TEST(Commands, that_do_not_repeat_are_read_for_every_execution) {
    auto const read = [](char const* controller) {
        Given const given({{"llm", "llama-3.2-1b"}, {"input", "7"}, {"output", "5"}, {"controller", controller}});
        for (auto const& row : given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy)
            if (row.what == "sram/commands") return row.amount;
        return 0.0;
    };
    EXPECT_EQ(read("repeating"), 0.0);
    Given const given({{"llm", "llama-3.2-1b"}, {"input", "7"}, {"output", "5"}});
    double executed = 0.0;
    for (int token = 1; token <= 7; ++token) executed += commands_of(given.design, given.parts, token).executed;
    // Four later tokens at the mean context.
    executed += 4.0 * commands_of(given.design, given.parts, 7.0 + 5.0 / 2.0).executed;
    EXPECT_NEAR(read("unrolled"), 16.0 * executed * 16 * 8 * 0.133e-12, 1e-9 * read("unrolled"));
}

TEST(Commands, that_repeat_are_issued_once) {
    Given const given({{"llm", "llama-3.2-1b"}, {"controller", "repeating"}});
    Given const unrolled({{"llm", "llama-3.2-1b"}, {"controller", "unrolled"}});
    auto machine = given.machine;
    auto const commands = commands_of(given.design, given.parts, mean_decoded_keys(given.design));
    EXPECT_EQ(issue_cycles(machine, given.design, commands, 100), 0.0);
    machine.command_issue = 2.0;
    EXPECT_EQ(issue_cycles(machine, given.design, commands, 100), 2.0 * commands.stored);
    EXPECT_EQ(issue_cycles(machine, unrolled.design, commands, 100), 2.0 * 100 * commands.executed);
}

TEST(Commands, are_fewer_where_more_happens_at_once) {
    Settings const one{{"llm", "llama-3.2-1b"}};
    auto const at = [&](char const* name, char const* value) {
        return Given(with(one, name, value)).metric("commands").value;
    };
    double const serial = Given(one).metric("commands").value;
    EXPECT_LT(at("parallel_columns", "4"), serial);
    EXPECT_LT(at("key_reuse", "group"), serial);
    EXPECT_LT(at("schedule", "tree"), serial);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::commands_test
