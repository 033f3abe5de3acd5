#include "dse/space/space.hpp"

#include "dse/space/space_reader.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::cycle_keys_test {
namespace {

/// A space of gpu, where the link of one board is in no key of a design.
Space boards(std::string const& parameters, std::string const& more = "") {
    return space::parse_space(
        "schema = 2\narchitecture = \"gpu\"\nobjectives = [\"latency\"]\n[parameters]\n" + parameters + more,
        "boards.toml", {});
}
std::string const links = "link = [\"nvlink3\", \"pcie4\"]\n";
std::string const caches = "model_cache = [\"none\", \"dual\"]\n";

models::CycleKey key(Space const& space, std::uint64_t id) { return cycle_key(space, space::PointId{id}); }
bool have_equal_keys(Space const& space) { return key(space, 0) == key(space, 1); }

std::string scenario(std::string const& name, std::string const& model, std::string const& more = "") {
    return "[[scenario]]\nname = \"" + name + "\"\nllm = \"" + model + "\"\ninput = 64\noutput = 32\n" + more;
}

TEST(CycleKeys, are_of_the_design_where_a_space_asks_one_thing) {
    EXPECT_TRUE(have_equal_keys(boards(links)));
    EXPECT_FALSE(have_equal_keys(boards(links + "devices = 2\n")));
}

TEST(CycleKeys, tell_machines_apart) {
    std::string const machine =
        "[[machine]]\nname = \"{}\"\narchitecture = \"gpu\"\n[machine.parameters]\ndevices = 1\n";
    auto const space =
        space::parse_space("schema = 2\nobjectives = [\"latency\"]\n[workload]\nllm = \"llama-2-7b\"\n" +
                               fmt::format(fmt::runtime(machine), "one") + fmt::format(fmt::runtime(machine), "two"),
                           "machines.toml", {});
    ASSERT_EQ(space.size(), 2U);
    EXPECT_FALSE(have_equal_keys(space));
}

TEST(CycleKeys, hold_what_conditions_on_metrics_read) {
    std::string const condition = "[[constraint]]\nname = \"c\"\nexpr = ";
    EXPECT_FALSE(have_equal_keys(boards(links, condition + "\"latency <= 1 s or link == pcie4\"\n")));
    EXPECT_TRUE(have_equal_keys(boards(links, condition + "\"latency <= 1 s or devices == 1\"\n")));
}

TEST(CycleKeys, are_of_the_design_in_every_scenario) {
    auto const tokens = scenario("tokens", "llama-2-7b");
    auto const blocks = scenario("blocks", "llada-8b", "generation = \"diffusion\"\nsteps = 16\nblock_length = 16\n");
    EXPECT_TRUE(have_equal_keys(boards(caches, tokens)));
    EXPECT_FALSE(have_equal_keys(boards(caches, blocks)));
    EXPECT_FALSE(have_equal_keys(boards(caches, tokens + blocks)));
    EXPECT_FALSE(have_equal_keys(boards(caches, blocks + tokens)));
}

TEST(CycleKeys, are_of_what_the_design_is_compared_with_too) {
    auto const tokens = scenario("tokens", "llama-2-7b");
    EXPECT_TRUE(have_equal_keys(boards(links, tokens)));
    EXPECT_TRUE(have_equal_keys(boards(links, tokens + "[baseline]\nweights = \"int8\"\n")));
    EXPECT_FALSE(have_equal_keys(boards(links, tokens + "[baseline]\ndevices = 2\n")));
}

}  // namespace
}  // namespace pimdse::dse::space::cycle_keys_test
