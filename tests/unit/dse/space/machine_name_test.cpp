#include "dse/space/columns.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::space::machine_name_test {
namespace {

using Parts = std::pair<std::string_view, std::string_view>;

TEST(MachineName, goes_before_a_name_and_comes_off_again_whatever_dots_a_scenario_has) {
    std::mt19937_64 random(5);
    auto const word = [&](std::string_view letters) {
        std::string text;
        for (std::uint64_t length = 1 + random() % 5; length > 0; --length) text += letters[random() % letters.size()];
        return text;
    };
    for (int round = 0; round < 500; ++round) {
        auto const machine = "m" + word("ab_1"), scenario = word("a.b-");
        auto name = word("xyz_");
        if (round % 2 == 0) name += "@" + scenario;
        auto const joined = name_in_machine(machine, name);
        EXPECT_EQ(machine_and_name(joined), Parts(machine, name)) << joined;
        EXPECT_EQ(machine_and_name(name), Parts("", name)) << name;
    }
}

TEST(MachineName, of_a_point_is_that_whose_range_of_ids_it_is_in) {
    Columns columns;
    EXPECT_EQ(machine_of(columns, PointId{0}), nullptr);
    columns.machines = {{"a", "x", 0, 3}, {"b", "y", 3, 1}, {"c", "z", 4, ~std::uint64_t{0} - 4}};
    auto const name_at = [&](std::uint64_t id) {
        auto const* machine = machine_of(columns, PointId{id});
        return machine == nullptr ? std::string("none") : machine->name;
    };
    EXPECT_EQ(name_at(0), "a");
    EXPECT_EQ(name_at(2), "a");
    EXPECT_EQ(name_at(3), "b");
    EXPECT_EQ(name_at(4), "c");
    EXPECT_EQ(name_at(~std::uint64_t{0} - 1), "c");
    EXPECT_EQ(name_at(~std::uint64_t{0}), "none");
}

TEST(MachineName, says_which_columns_speak_of_a_point) {
    MachineColumns const fast{"fast", "x", 0, 3};
    EXPECT_TRUE(applies("slow.vlen", nullptr)) << "one architecture: everything does";
    EXPECT_TRUE(applies("fast.vlen", &fast));
    EXPECT_TRUE(applies("latency", &fast));
    EXPECT_TRUE(applies("latency@v1.5", &fast)) << "the dot is the scenario's";
    EXPECT_FALSE(applies("slow.vlen", &fast));
    EXPECT_FALSE(applies("faster.vlen", &fast));
    EXPECT_FALSE(applies("slow.latency@fast.x", &fast));
}

}  // namespace
}  // namespace pimdse::dse::space::machine_name_test
