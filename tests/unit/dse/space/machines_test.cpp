#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/dse/small_space.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <bit>
#include <cmath>

namespace pimdse::dse::space::machines_test {
namespace {

using dse::testing::mistakes_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string const requested =
    "objectives = [\"latency\", \"energy\"]\n[[scenario]]\nname = \"chat\"\n"
    "llm = \"llama-3.2-1b\"\ninput = 64\noutput = 8\n"
    "[[scenario]]\nname = \"draft\"\nllm = \"llama-3.2-1b\"\ninput = 16\noutput = 32\n";
std::string const umdam = "channels = [2, 4]\nranks = [1, 2]\n";
std::string const mesh = "mesh_rows = [16, 32, 64]\n";
std::string const soon = "[[constraint]]\nname = \"soon\"\nexpr = \"latency <= 1 s\"\n";

Space several(std::string const& more = "") {
    return space::parse_space("schema = 2\n" + requested +
                                  "[[machine]]\narchitecture = \"umdam\"\n[machine.parameters]\n" + umdam +
                                  "[[machine]]\nname = \"small\"\narchitecture = \"cim_mesh\"\n"
                                  "[machine.parameters]\n" +
                                  mesh + "[[machine]]\narchitecture = \"cim_mesh\"\n" + more,
                              "several.toml", {});
}

/// What several machines stand on unless they say otherwise, for one machine.
std::string const joint_footing =
    "[assumptions]\nview = \"hardware\"\nconstants = \"technology\"\nhost = \"excluded\"\n";

Space single(std::string const& architecture, std::string const& parameters, std::string const& more = "") {
    return space::parse_space("schema = 2\narchitecture = \"" + architecture + "\"\n" + requested + "[parameters]\n" +
                                  parameters + more + joint_footing,
                              "one", {});
}

models::Outcome outcome_of(Space const& space, std::uint64_t id) {
    return space::evaluate(space, {space::PointId{id}, models::Fidelity::analytic}).outcome;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Results of a machine in a joint space are those of its own space, each metric where its name is.
void expect_same(Space const& joint, std::uint64_t first, std::string const& machine, Space const& alone) {
    for (std::uint64_t id = 0; id < alone.size(); ++id) {
        auto const in_joint = outcome_of(joint, first + id), in_own = outcome_of(alone, id);
        ASSERT_EQ(in_joint.index(), in_own.index()) << machine << " " << id;
        auto const* own = std::get_if<models::Metrics>(&in_own);
        if (own == nullptr) continue;
        auto const& all = std::get<models::Metrics>(in_joint);
        for (std::size_t m = 0; m < joint.metrics().size(); ++m) {
            auto const [owner, name] = space::machine_and_name(joint.metrics()[m].name);
            int const at = models::find_metric(alone.metrics(), name);
            if (owner.empty() || owner == machine) {
                ASSERT_GE(at, 0) << name;
                auto const& mine = (*own)[static_cast<std::size_t>(at)];
                EXPECT_TRUE(same_bits(all[m].value, mine.value)) << joint.metrics()[m].name;
                EXPECT_TRUE(same_bits(all[m].lower, mine.lower)) << joint.metrics()[m].name;
                EXPECT_TRUE(same_bits(all[m].upper, mine.upper)) << joint.metrics()[m].name;
            } else {
                EXPECT_TRUE(std::isnan(all[m].value)) << joint.metrics()[m].name;
            }
        }
    }
}

TEST(Machines, follow_each_other_with_the_results_that_they_have_alone) {
    auto const joint = several(soon);
    ASSERT_EQ(joint.size(), 4U + 3U + 1U);
    EXPECT_EQ(joint.machine_of(space::PointId{3}), 0U);
    EXPECT_EQ(joint.machine_of(space::PointId{4}), 1U);
    EXPECT_EQ(joint.machine_of(space::PointId{7}), 2U);
    expect_same(joint, 0, "umdam", single("umdam", umdam, soon));
    expect_same(joint, 4, "small", single("cim_mesh", mesh, soon));
    expect_same(joint, 7, "cim_mesh", single("cim_mesh", "", soon));
}

TEST(Machines, have_the_metrics_of_all_first_and_their_own_under_their_names) {
    auto const joint = several();
    auto const& metrics = joint.metrics();
    EXPECT_GE(models::find_metric(joint.common_metrics(), "latency"), 0);
    EXPECT_GE(models::find_metric(joint.common_metrics(), "energy@draft"), 0);
    EXPECT_LT(models::find_metric(joint.common_metrics(), "umdam.split_factor"), 0);
    EXPECT_GE(models::find_metric(metrics, "umdam.split_factor@chat"), 0);
    EXPECT_GE(models::find_metric(metrics, "small.tiles"), 0);
    EXPECT_GE(models::find_metric(metrics, "cim_mesh.tiles"), 0);
    EXPECT_LT(models::find_metric(metrics, "umdam.latency"), 0);
}

TEST(Machines, come_back_from_their_canonical_text) {
    auto const joint =
        several("[[constraint]]\nname = \"wide\"\nmachine = \"umdam\"\nexpr = \"channels >= 4\"\n" + soon);
    auto const again = space_of_columns(joint.columns());
    EXPECT_EQ(again.canonical_text(), joint.canonical_text());
    for (std::uint64_t id = 0; id < joint.size(); ++id)
        EXPECT_EQ(outcome_of(again, id).index(), outcome_of(joint, id).index());
}

TEST(Machines, are_told_apart_in_columns_and_commands) {
    auto const joint = several();
    auto const columns = joint.columns();
    EXPECT_EQ(columns.architecture, "umdam+small+cim_mesh");
    EXPECT_EQ(columns.parameters[space::at_machine_parameter].name, "machine");
    std::vector<models::Value> point;
    columns.decode(space::PointId{5}, point);
    EXPECT_EQ(point[space::at_machine_parameter], models::Value::choice(1));
    int const rows = models::find_parameter(columns.parameters, "small.mesh_rows");
    ASSERT_GE(rows, 0);
    EXPECT_EQ(point[static_cast<std::size_t>(rows)].as_integer(), 32);
    auto const command = space::replay_command(columns, {space::PointId{6}, models::Fidelity::analytic});
    EXPECT_THAT(command,
                HasSubstr("evaluate cim_mesh --fidelity analytic --set mesh_rows=64 --assume view=hardware --assume "
                          "constants=technology --assume host=excluded --scenario chat="));
}

TEST(Machines, conditions_are_of_one_or_of_all) {
    auto const joint = several("[[constraint]]\nname = \"wide\"\nmachine = \"umdam\"\nexpr = \"channels >= 4\"\n");
    for (std::uint64_t id = 0; id < joint.size(); ++id) {
        auto const outcome = outcome_of(joint, id);
        auto const* infeasible = std::get_if<models::Infeasible>(&outcome);
        EXPECT_EQ(infeasible != nullptr && infeasible->rule == "wide", id < 2) << id;
    }
}

TEST(Machines, are_sealed_and_read_back_with_their_own_columns_apart) {
    auto const joint = several();
    auto const columns = joint.columns();
    search::ResultStore store(joint.metrics().size());
    for (std::uint64_t id = 0; id < joint.size(); ++id)
        store.insert(space::evaluate(joint, {space::PointId{id}, models::Fidelity::analytic}));
    for (std::uint64_t const rows_per_part : {1000, 3}) {
        store::sample::TemporaryDirectory const directory;
        auto const digest = store::seal(directory / "j.h5", columns, store, {}, 1, rows_per_part);
        auto const file = store::load_result_file(directory / "j.h5");
        EXPECT_EQ(file.digest, digest);
        ASSERT_EQ(file.store.size(), store.size());
        ASSERT_EQ(file.columns.metrics.size(), columns.metrics.size());
        std::vector<models::Value> here, there;
        for (search::Row row = 0; row < file.store.size(); ++row) {
            EXPECT_TRUE(store.same(*store.find(file.store.task(row)), file.store.result(row)));
            columns.decode(file.store.task(row).point, here);
            file.columns.decode(file.store.task(row).point, there);
            for (std::size_t p = 0; p < here.size(); ++p) {
                EXPECT_EQ(models::print_value(columns.parameters[p], here[p]),
                          models::print_value(file.columns.parameters[p], there[p]))
                    << columns.parameters[p].name;
            }
        }
    }
}

TEST(Machines, mistakes_are_sentences_with_a_place) {
    std::string const two =
        "schema = 2\n[[machine]]\narchitecture = \"umdam\"\n[[machine]]\narchitecture = \"cim_mesh\"\n";
    std::string const goal = "objectives = [\"latency\"]\n";
    auto const with = [&](std::string const& root, std::string const& end = "") {
        return mistakes_of("schema = 2\n" + root + two.substr(two.find('\n') + 1) + end);
    };
    EXPECT_THAT(with("objectives = [\"split_factor\"]\n"), ElementsAre(says("split_factor-metric-umdam-cim_mesh")));
    EXPECT_THAT(with(goal + "architecture = \"umdam\"\n"),
                Contains(HasSubstr("'architecture' belongs in a [[machine]]")));
    EXPECT_THAT(with(goal, "[[machine]]\narchitecture = \"umdam\"\n"), Contains(says("two-machines-umdam")));
    EXPECT_THAT(with(goal, "[[machine]]\nname = \"a.b\"\narchitecture = \"umdam\"\n"),
                Contains(says("valid-machine-name")));
    EXPECT_THAT(with(goal, "[[constraint]]\nname = \"c\"\nexpr = \"channels > 2\"\n"),
                ElementsAre(says("channels-of-one-machine")));
    EXPECT_THAT(with(goal, "[[constraint]]\nname = \"c\"\nmachine = \"umdm\"\nexpr = \"channels > 2\"\n"),
                ElementsAre(says("did-you-mean-umdam")));
    EXPECT_THAT(with(goal, "[search]\nfidelity = \"cycl\"\n"), ElementsAre(HasSubstr("unknown fidelity")));
    EXPECT_THAT(mistakes_of(two + goal), Contains(HasSubstr("Move it above [[machine]]?")));
    EXPECT_THAT(mistakes_of("schema = 1\n" + goal + two.substr(two.find('\n') + 1)),
                Contains(HasSubstr("[[machine]] tables need schema 2")));
    EXPECT_THAT(mistakes_of("schema = 2\n" + goal + two.substr(two.find('\n') + 1), {{"channels", "4"}}),
                ElementsAre(HasSubstr("--set umdam.channels=")));
}

TEST(Machines, that_are_known_are_read_beside_one_that_is_not) {
    auto const mistakes = mistakes_of(
        "schema = 2\nobjectives = [\"latency\"]\n[[machine]]\narchitecture = \"gpuu\"\n[[machine]]\n"
        "architecture = \"umdam\"\n[machine.parameters]\nbanks = \"x\"\nchanels = 4\n");
    EXPECT_THAT(mistakes, ElementsAre(HasSubstr("'gpu'"), HasSubstr(":8: banks"), HasSubstr("'channels'")));
}

TEST(Machines, take_overrides_under_their_names) {
    auto const joint = space::parse_space(
        "schema = 2\nobjectives = [\"latency\"]\n[[machine]]\narchitecture = \"umdam\"\n"
        "[[machine]]\narchitecture = \"cim_mesh\"\n",
        "set.toml", {{"umdam.channels", "[2, 4]"}, {"cim_mesh.mesh_rows", "[16, 32, 64]"}});
    EXPECT_EQ(joint.size(), 5U);
}

}  // namespace
}  // namespace pimdse::dse::space::machines_test
