#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/small_space.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::space::space_test {
namespace {

using dse::testing::mistakes_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string const head = "schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"latency\"]\n";

TEST(Space, has_the_product_of_its_axes_as_size) { EXPECT_EQ(testing::small_space().size(), 2U * 3U * 2U * 4U); }

TEST(Space, decodes_every_id_to_a_point_that_encodes_to_it) {
    auto const space = testing::small_space();
    std::vector<models::Value> point;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        space.decode(space::PointId{id}, point);
        EXPECT_EQ(space.machines()[0].encode(point), id);
    }
}

TEST(Space, counts_the_last_declared_parameter_fastest) {
    auto const space = testing::small_space();
    std::vector<models::Value> first;
    std::vector<models::Value> second;
    space.decode(space::PointId{0}, first);
    space.decode(space::PointId{1}, second);
    std::size_t last_difference = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] != second[i]) last_difference = i;
    }
    auto const& axes = space.machines()[0].axes;
    for (std::size_t i = last_difference + 1; i < axes.size(); ++i) EXPECT_EQ(axes[i].size(), 1U);
}

TEST(Space, does_not_depend_on_the_order_of_keys_in_the_file) {
    auto const a = space::parse_space(head + "[parameters]\nlora_rank = [0, 8]\nmesh_rows = [16, 32]\n", "a", {});
    auto const b = space::parse_space(head + "[parameters]\nmesh_rows = [16, 32]\nlora_rank = [0, 8]\n", "b", {});
    EXPECT_EQ(a.canonical_text(), b.canonical_text());
}

TEST(Space, takes_overrides_from_the_command_line) {
    auto const space = testing::small_space({{"mesh_rows", "[16, 32]"}, {"llm", "llama-2-13b"}});
    EXPECT_EQ(space.size(), 3U * 2U * 2U);
}

TEST(Space, accepts_the_other_names_of_input_and_output) {
    auto const space = space::parse_space(head + "workload = { prefill = 256, decode = 32 }\n", "alias", {});
    std::vector<models::Value> point;
    space.decode(space::PointId{0}, point);
    int const input = models::find_parameter(space.machines()[0].parameters(), "input");
    EXPECT_EQ(point[static_cast<std::size_t>(input)].as_integer(), 256);
}

TEST(Space, reports_every_mistake_at_once_with_file_and_line) {
    auto const mistakes = mistakes_of(
        head + "[parameters]\nlora_rnk = [8]\nmesh_rows = []\nfrequency = \"4 GB\"\nlink_bits = [64, 64]\n");
    EXPECT_EQ(mistakes.size(), 4U);
    EXPECT_THAT(mistakes, Contains(AllOf(HasSubstr("bad.toml:5"), HasSubstr("lora_rnk"),
                                         HasSubstr("Did you mean 'lora_rank'?"))));
    EXPECT_THAT(mistakes, Contains(AllOf(HasSubstr("bad.toml:6"), HasSubstr("empty list"))));
    EXPECT_THAT(mistakes, Contains(AllOf(HasSubstr("bad.toml:7"), HasSubstr("data"), HasSubstr("frequency"))));
    EXPECT_THAT(mistakes, Contains(AllOf(HasSubstr("bad.toml:8"), HasSubstr("twice"))));
}

TEST(Space, refuses_an_unknown_key_with_the_nearest_one) {
    EXPECT_THAT(mistakes_of(head + "objectivs = 1\n"),
                Contains(AllOf(HasSubstr("objectivs"), HasSubstr("'objectives'"))));
}

TEST(Space, refuses_a_quantity_without_a_unit) {
    EXPECT_THAT(mistakes_of(head + "[parameters]\nfrequency = 1000000000\n"), Contains(HasSubstr("has no unit")));
}

TEST(Space, refuses_an_unknown_model_naming_one_that_is_near) {
    EXPECT_THAT(mistakes_of(head + "[parameters]\nllm = \"llama-2-13\"\n"),
                Contains(AllOf(HasSubstr("llama-2-13"), HasSubstr("llama-2-13b"))));
}

TEST(Space, refuses_a_permutation_of_what_cannot_be_permuted) {
    EXPECT_THAT(mistakes_of(head + "[parameters]\nlora_rank = { permute = [\"a\", \"b\"] }\n"),
                Contains(says("no-items-permute")));
}

TEST(Space, refuses_a_constraint_that_names_nothing) {
    EXPECT_THAT(mistakes_of(head + "[[constraint]]\nname = \"x\"\nexpr = \"latncy < 3 s\"\n"),
                Contains(AllOf(HasSubstr("latncy"), HasSubstr("latency"))));
}

TEST(Space, refuses_objectives_that_are_unknown_or_missing) {
    EXPECT_THAT(mistakes_of("schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"speed\"]\n"),
                Contains(HasSubstr("unknown metric")));
    EXPECT_THAT(mistakes_of("schema = 1\narchitecture = \"cim_mesh\"\n"), Contains(says("objectives-missing")));
}

TEST(Space, refuses_an_unknown_architecture) {
    EXPECT_THAT(mistakes_of("schema = 1\narchitecture = \"cimmesh\"\nobjectives = [\"latency\"]\n"),
                Contains(HasSubstr("cim_mesh")));
}

TEST(Space, refuses_strategies_and_fidelities_that_are_not_there) {
    EXPECT_THAT(mistakes_of(head + "[search]\nstrategy = \"nsga\"\n"), Contains(HasSubstr("nsga2")));
    EXPECT_THAT(mistakes_of(head + "[search]\nstrategy = \"swep\"\n"), Contains(HasSubstr("'sweep'")));
    EXPECT_THAT(mistakes_of(head + "[search]\nfidelity = \"exact\"\n"), Contains(HasSubstr("unknown fidelity")));
}

TEST(Space, of_fidelity_hybrid_is_searched_by_ladder) {
    auto const search = space::parse_space(head + "[search]\nfidelity = \"hybrid\"\n", "s.toml").search();
    EXPECT_EQ(search.strategy, "ladder");
    EXPECT_EQ(space::final_fidelity(search), models::Fidelity::cycle);
    EXPECT_TRUE(mistakes_of(head + "[search]\nstrategy = \"ladder\"\nfidelity = \"hybrid\"\n").empty());
    EXPECT_THAT(mistakes_of(head + "[search]\nstrategy = \"sweep\"\nfidelity = \"hybrid\"\n"),
                Contains(AllOf(HasSubstr("'ladder'"), HasSubstr("'sweep'"))));
}

TEST(Space, refuses_text_that_is_not_toml_with_its_line) {
    EXPECT_THAT(mistakes_of("schema = 1\narchitecture = \n"), Contains(HasSubstr("bad.toml:2")));
}

TEST(Space, says_when_the_file_is_not_there) {
    EXPECT_THROW((void)space::read_space_text("no/such/space.toml"), sim::MissingInput);
}

TEST(Space, refuses_more_points_than_ids) {
    std::string text = head + "[parameters]\n";
    for (char const* name : {"input", "output"}) text += std::string(name) + " = { from = 1, to = 1000000 }\n";
    for (char const* name : {"mesh_rows", "mesh_cols", "parallel_columns", "dmacs"})
        text += std::string(name) + " = { from = 1, to = 256 }\n";
    EXPECT_THAT(mistakes_of(text), Contains(HasSubstr("2^64")));
}

}  // namespace
}  // namespace pimdse::dse::space::space_test
