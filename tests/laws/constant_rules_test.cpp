#include "models/catalogue.hpp"
#include "models/cim_mesh/constants.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "models/dplena/constants.hpp"
#include "models/find_architecture.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/prepared.hpp"
#include "models/text/source_files.hpp"
#include "models/umdam/constants.hpp"
#include "models/upmem/constants.hpp"
#include "sim/base/check.hpp"
#include "tests/support/campaign.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <map>
#include <set>

namespace pimdse::laws::constant_rules_test {
namespace {

using namespace models;  // all of it is about them

using ::testing::HasSubstr;

struct Table {
    std::string architecture;
    ConstantRules rules;
};

/// Rules of a machine file of models/machines.
ConstantRules rules_of_machine(std::string const& name) {
    static std::map<std::string, text::CompiledMachine> compiled;
    text::SourceFiles sources;
    if (!compiled.contains(name))
        compiled.emplace(name,
                         text::read_machine(data_directory() / "models" / "machines" / (name + ".toml"), sources));
    return text::constant_rules_of(compiled.at(name));
}

std::vector<Table> tables() {
    return {{"umdam", umdam::constant_rules()},
            {"upmem", upmem::constant_rules()},
            {"dplena", dplena::constant_rules()},
            {"cim_mesh", cim_mesh::constant_rules()},
            {"gpu", rules_of_machine("gpu")}};
}

std::string own(Constant const& shipped, std::string const& name, double value) {
    return fmt::format("# mine\n[{}]\nvalue = {:.17g}\nunit = \"{}\"\nsource = \"mine\"\n", name, value, shipped.unit);
}

/// What preparing the architecture with this file of one's own says; empty where it is accepted.
std::string refusal(std::string const& architecture, std::string const& text) {
    WrittenFile const file("constants", text);
    auto const& row = find_architecture(architecture);
    try {
        (void)prepare(row, row.parameters(), file.path());
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.what(), HasSubstr(file.path() + ":2: constant '")) << text;
        return error.what();
    }
    return "";
}

TEST(ConstantRules, of_every_architecture_are_tested) {
    std::vector<std::string> tested;
    for (auto const& [architecture, rules] : tables()) tested.push_back(architecture);
    std::vector<std::string> all;
    for (auto const& row : catalogue()) all.emplace_back(row.name);
    EXPECT_THAT(tested, testing::UnorderedElementsAreArray(all));
}

TEST(ConstantRules, hold_with_the_shipped_constants_and_name_constants_that_there_are) {
    for (auto const& [architecture, rules] : tables()) {
        auto const& row = find_architecture(architecture);
        EXPECT_NO_THROW((void)prepare(row, row.parameters())) << architecture;
        auto const all = constants_of(row);
        for (auto const& rule : rules) {
            for (auto const& name : rule.names) {
                bool const is_allowance = name.starts_with("allowance.");
                EXPECT_TRUE(is_allowance ? all.allowances().contains(name.substr(10)) : all.all().contains(name))
                    << name;
            }
        }
    }
}

/// Each rule is broken by one of its constants alone, a ten-thousandth or ten thousand times the shipped one, a half
/// more of a count, or below 0; the file, the line and the relation are named.
TEST(ConstantRules, refuse_what_breaks_them_with_file_line_and_relation) {
    for (auto const& [architecture, rules] : tables()) {
        auto const all = constants_of(find_architecture(architecture)).all();
        std::set<std::string> checked;
        for (auto const& rule : rules) {
            int broken = 0;
            for (auto const& name : rule.names) {
                if (!all.contains(name)) continue;
                checked.insert(name);
                auto const& shipped = all.at(name);
                double const unit = sim::parse_unit(shipped.unit.empty() ? "1" : shipped.unit).in_si;
                for (double const changed : {shipped.si * 1e-4, shipped.si * 1e4, shipped.si + 0.5, -1.0}) {
                    if (broken > 0 && !tests::in_campaign()) break;  // one constant that breaks the rule will do
                    auto const said = refusal(architecture, own(shipped, name, changed / unit));
                    broken += said.find(rule.relation) != std::string::npos ? 1 : 0;
                }
            }
            bool const of_an_allowance = rule.names.front().starts_with("allowance.");
            EXPECT_TRUE(broken > 0 || of_an_allowance || rule.relation.find("multiple") != std::string::npos)
                << architecture << ": " << rule.relation;
        }
        RecordProperty(architecture, fmt::format("{} of {} constants", checked.size(), all.size()));
        fmt::print("{}: {} rules about {} of {} constants\n", architecture, rules.size(), checked.size(), all.size());
    }
}

TEST(ConstantRules, say_up_to_where_a_constant_is_accepted) {
    auto const said = refusal("upmem", "# mine\n[chip_power]\nvalue = 0.4\nunit = \"W\"\nsource = \"mine\"\n");
    EXPECT_THAT(said, HasSubstr("at least 0.411137 W"));
    EXPECT_EQ(refusal("upmem", "# mine\n[chip_power]\nvalue = 0.41114\nunit = \"W\"\nsource = \"mine\"\n"), "");
    auto const shares = refusal("cim_mesh", "# mine\n[router_fifo_share]\nvalue = 0.9\nunit = \"1\"\nsource = \"m\"\n");
    EXPECT_THAT(shares, HasSubstr("at most 0.7"));
}

/// A request more takes pairs from waiting to work, which never draws less: energy rises with the batch whatever a user
/// says of retention and arrays at work.
TEST(ConstantRules, leave_the_directions_of_the_mesh_as_they_are) {
    auto const& mesh = find_architecture("cim_mesh");
    EXPECT_EQ(mesh.not_known, nullptr);
    auto const knows = [&](std::string const& text) {
        WrittenFile const file("constants", text);
        auto const inputs = prepare(mesh, mesh.parameters(), text.empty() ? "" : file.path());
        for (auto const& law : mesh.proofs.monotone_lower_bounds(inputs))
            if (law.parameter == "batch" && law.metric == "energy") return true;
        return false;
    };
    EXPECT_TRUE(knows(""));
    EXPECT_TRUE(knows("[logic_static]\nvalue = 100\nunit = \"mW/mm2\"\nsource = \"mine\"\n"));
    EXPECT_TRUE(knows("[scratchpad_leakage]\nvalue = 900\nunit = \"mW/MiB\"\nsource = \"mine\"\n"));
}

}  // namespace
}  // namespace pimdse::laws::constant_rules_test
