#include "dse/space/canonical_space.hpp"
#include "dse/space/space_reader.hpp"

#include "../small_space.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::space::assumptions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mistakes_of;

std::string const one = "schema = 2\narchitecture = \"umdam\"\nobjectives = [\"latency\"]\n";
std::string const two =
    "schema = 2\nobjectives = [\"latency\"]\n[[machine]]\narchitecture = \"umdam\"\n[[machine]]\narchitecture = "
    "\"gpu\"\n";

models::Assumptions assumptions_of(std::string const& text, std::vector<Override> const& overrides = {}) {
    return parse_space(text, "a.toml", overrides).machines().front().inputs.options.assumptions;
}

TEST(SpaceAssumptions, are_those_of_one_machine_or_of_several) {
    EXPECT_EQ(assumptions_of(one), models::Assumptions{});
    EXPECT_EQ(assumptions_of(two), models::common_assumptions());
    auto const said = assumptions_of(two + "[assumptions]\nview = \"deployed\"\nprecision = 8\n");
    EXPECT_EQ(said.view, models::View::deployed);
    EXPECT_EQ(said.constants, models::ConstantSource::technology);
    EXPECT_EQ(assumptions_of(two, {{"assumptions.host", "included"}}).host, models::Host::included);
}

TEST(SpaceAssumptions, mistakes_have_a_line) {
    EXPECT_THAT(mistakes_of(one + "[assumptions]\nvew = \"own\"\nnode = \"7\"\n"),
                ElementsAre(says("assumption-node"), says("assumption-vew")));
    EXPECT_THAT(mistakes_of(one + "assumptions = 3\n"), ElementsAre(says("assumptions-table")));
}

TEST(SpaceAssumptions, precision_is_a_condition_of_every_machine) {
    auto const space = parse_space(two + "[assumptions]\nprecision = 16\n", "a.toml");
    for (auto const& machine : space.machines())
        EXPECT_EQ(machine.constraints.back().name, "precision") << machine.name;
}

TEST(SpaceAssumptions, come_back_with_the_canonical_text) {
    auto const space = parse_space(
        two +
            "[assumptions]\nview = \"deployed\"\nprecision = 16\n[assumptions.technology]\nwire = \"0.2 pJ/bit/mm\"\n",
        "a.toml");
    auto const columns = space.columns();
    auto const again = space::space_of_columns(columns, "a.h5");
    EXPECT_EQ(again.columns().canonical_text, columns.canonical_text);
    EXPECT_EQ(again.machines().back().inputs.options.assumptions, space.machines().back().inputs.options.assumptions);
    EXPECT_NE(parse_space(two, "a.toml").columns().canonical_text, columns.canonical_text);
    EXPECT_EQ(parse_space(one, "a.toml").columns().canonical_text.find("assumptions"), std::string::npos);
}

}  // namespace
}  // namespace pimdse::dse::space::assumptions_test
