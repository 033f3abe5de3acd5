#include "models/asked_axes.hpp"

#include "folder.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::models::text::test::asked_axes_test {
namespace {

using ::testing::HasSubstr;

/// Every kind of machine says what is worth asking; each value is one that the machine takes, or asked_axes would
/// throw.
TEST(AskedAxes, are_stated_by_every_kind_of_machine) {
    for (auto const* name :
         {"gpu", "hbm_pim", "aim_card", "lpddr5x_pim", "tpu_v4i", "umdam", "upmem", "dplena", "cim_mesh"}) {
        auto const axes = asked_axes(find_architecture(name));
        EXPECT_GE(axes.size(), 3U) << name;
        std::set<std::string> names;
        for (auto const& axis : axes) {
            EXPECT_TRUE(names.insert(axis.parameter).second) << name;
            EXPECT_FALSE(axis.values.empty());
        }
        EXPECT_TRUE(std::ranges::any_of(axes, [](AskedAxis const& axis) { return axis.values.size() > 1; })) << name;
    }
}

/// A board is one value of the parameter `device` of its base, and has none of its own.
TEST(AskedAxes, of_the_base_are_asked_where_the_machine_has_the_parameter) {
    auto const base = asked_axes(find_architecture("gpu")), board = asked_axes(find_architecture("h100"));
    ASSERT_EQ(board.size(), base.size() - 1);
    EXPECT_TRUE(std::ranges::none_of(board, [](AskedAxis const& axis) { return axis.parameter == "device"; }));
}

TEST(AskedAxes, are_those_of_the_base_unless_the_file_has_its_own) {
    Folder const folder;
    auto const head = std::string("schema = 1\nbase = \"hbm_pim\"\nname = \"mine\"\n");
    auto const of = [&](std::string const& name, std::string const& text) {
        return asked_axes(find_architecture(folder.with(name, text).string()));
    };
    EXPECT_EQ(of("a.toml", head).size(), asked_axes(find_architecture("hbm_pim")).size());
    auto const own = of("b.toml", head + "[explore]\nstacks = { values = [2, 3], why = \"mine\" }\n");
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].toml(), "[2, 3]");
    EXPECT_EQ(own[0].why, "mine");
}

TEST(AskedAxes, that_the_machine_does_not_have_are_refused_with_their_line) {
    Folder const folder;
    int number = 0;
    auto const refusal = [&](std::string const& line) {
        auto const name = "m" + std::to_string(number++) + ".toml";
        auto const file =
            folder.with(name, "schema = 1\nbase = \"hbm_pim\"\nname = \"mine\"\n[explore]\n" + line + "\n");
        try {
            (void)asked_axes(find_architecture(file.string()));
        } catch (sim::InputError const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal("stacks = [1]"), "");
    EXPECT_THAT(refusal("stakcs = [1]"),
                HasSubstr(".toml:5: explore.stakcs: the machine has no such parameter. Did you mean 'stacks'?"));
    EXPECT_THAT(refusal("stacks = [99]"), HasSubstr(".toml:5: explore.stacks"));
    EXPECT_THAT(refusal("stacks = 4"), HasSubstr("is not a list of values"));
    EXPECT_THAT(refusal("stacks = []"), HasSubstr("is not a list of values"));
    EXPECT_THAT(refusal("stacks = { why = \"no\" }"), HasSubstr("is not a list of values"));
}

}  // namespace
}  // namespace pimdse::models::text::test::asked_axes_test
