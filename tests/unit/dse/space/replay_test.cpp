#include "dse/space/columns.hpp"

#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::replay_test {
namespace {

TEST(Replay, names_every_parameter_that_is_not_at_its_default) {
    auto const space = testing::small_space();
    auto const command = replay_command(space.columns(), {PointId{0}, models::Fidelity::cycle});
    EXPECT_TRUE(command.starts_with("pimdse evaluate cim_mesh --fidelity cycle")) << command;
    for (auto const* part : {"--set llm=llama-3.2-1b", "--set lora_rank=0", "--set mesh_rows=16"})
        EXPECT_NE(command.find(part), std::string::npos) << command;
    EXPECT_EQ(command.find("gating"), std::string::npos);
}

TEST(Replay, quotes_what_a_shell_would_take_apart) {
    Columns columns;
    columns.architecture = "any";
    models::Parameter text;
    text.name = "mapping";
    text.kind = models::Kind::choice;
    text.choices = {"plain", "R B1 C(3) it's"};
    text.default_value = models::Value::choice(0);
    columns.parameters = {text};
    columns.decode = [](PointId, std::vector<models::Value>& into) { into = {models::Value::choice(1)}; };
    EXPECT_EQ(replay_command(columns, {}),
              "pimdse evaluate any --fidelity analytic --set 'mapping=R B1 C(3) it'\\''s'");
}

}  // namespace
}  // namespace pimdse::dse::space::replay_test
