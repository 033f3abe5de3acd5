#include "models/contract/constants.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "temporary_file.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::models::constants_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFile;
using ::testing::UnorderedElementsAre;

std::string refusal(std::string const& content) {
    TemporaryFile const file(content);
    return refusal_by([&] { (void)Constants::load(file.path()); });
}

TEST(Constants, are_numbers_with_units_in_si) {
    TemporaryFile const file(
        "[read_energy]\nvalue = 2.0\nunit = \"pJ/bit\"\nsource = \"a table\"\n[depth]\nvalue = 11\nunit = "
        "\"cycles\"\nsource = \"a "
        "manual\"\nassumed = true\n");
    auto const constants = Constants::load(file.path());
    EXPECT_DOUBLE_EQ(constants.get<sim::EnergyPerByte>("read_energy").si, 16e-12);
    EXPECT_DOUBLE_EQ(constants.number("depth"), 11.0);
    EXPECT_TRUE(constants.all().at("depth").assumed);
}

/// Mistakes reported when the constants of a machine are loaded with this file of the user.
std::vector<std::string> mistakes_in_own(std::string const& content) {
    TemporaryFile const own(content);
    return mistakes_by([&] { (void)Constants::load(std::string_view("dplena"), own.path()); });
}

TEST(Constants, of_ones_own_stand_for_those_of_the_same_name) {
    TemporaryFile const own("[frequency]\nvalue = 2\nunit = \"GHz\"\nsource = \"a guess\"\n");
    auto const shipped = Constants::load(std::string_view("dplena")),
               changed = Constants::load(std::string_view("dplena"), own.path());
    EXPECT_EQ(changed.get<sim::Frequency>("frequency").si, 2e9);
    EXPECT_EQ(changed.all().size(), shipped.all().size());
    for (auto const& [name, constant] : shipped.all()) {
        if (name == "frequency") continue;
        EXPECT_EQ(changed.all().at(name).si, constant.si) << name;
    }
    EXPECT_EQ(
        Constants::load(std::string_view("dplena"), data_directory() / "models/dplena/constants.toml").all().size(),
        shipped.all().size());
    TemporaryFile const share("[waiting_share]\nvalue = 0.3\nunit = \"1\"\nsource = \"a guess\"\n");
    EXPECT_EQ(Constants::load(std::string_view("dplena"), share.path()).all().at("waiting_share").acts_as, "W");
}

TEST(Constants, of_ones_own_must_be_ones_that_there_are) {
    auto const one = [](std::string const& name, std::string const& value, std::string const& unit) {
        return fmt::format("[{}]\nvalue = {}\nunit = \"{}\"\nsource = \"y\"\n", name, value, unit);
    };
    EXPECT_THAT(mistakes_in_own(one("frequncy", "2", "GHz")), ElementsAre(says("unknown-constant-frequncy")));
    EXPECT_THAT(mistakes_in_own(one("frequency", "2", "ns")), ElementsAre(says("frequency-time-frequency-ghz")));
    EXPECT_THAT(mistakes_in_own(one("frequency", "0", "GHz")), ElementsAre(says("above")));
    EXPECT_THAT(mistakes_in_own(one("frequncy", "2", "GHz") + one("frequency", "-1", "GHz")),
                UnorderedElementsAre(HasSubstr(":1:"), HasSubstr(":5:")));
    EXPECT_THAT(mistakes_in_own("[broken]\nvalue = 1\n" + one("frequncy", "2", "GHz")), list("three-mistakes"));
    EXPECT_THAT(mistakes_in_own(one("hbm_row", "-1", "KiB")), ElementsAre(says("above-2")));
}

TEST(Constants, of_ones_own_have_no_allowances) {
    for (std::string const name : {"estimate_line_high", "none"}) {
        auto const text =
            fmt::format("[allowance.{}]\nvalue = 1\nallows_for = \"x\"\nevidence = \"x\"\ncommand = \"x\"\n", name);
        EXPECT_THAT(mistakes_in_own(text), ElementsAre(HasSubstr(fmt::format(":1: allowance '{}'", name))));
    }
}

TEST(Constants, of_ones_own_may_have_former_names) {
    TemporaryFile const own("[tasklets_most]\nvalue = 20\nunit = \"1\"\nsource = \"a guess\"\n");
    auto const shipped = Constants::load(std::string_view("upmem")),
               changed = Constants::load(std::string_view("upmem"), own.path());
    EXPECT_EQ(changed.number("tasklets_max"), 20.0);
    EXPECT_EQ(changed.all().size(), shipped.all().size());
    // the name of today is the row's, also in messages of rules
    TemporaryFile const broken("[tasklets_most]\nvalue = 25\nunit = \"1\"\nsource = \"a guess\"\n");
    EXPECT_THAT(refusal_by([&] {
                    (void)Constants::load(std::string_view("upmem"), broken.path(),
                                          whole_numbers({"tasklets_max"}, 1, 24, "x"));
                }),
                HasSubstr("'tasklets_max' = 25"));
    auto const allowance = [](double value) {
        return fmt::format(
            "[allowance.bound_high]\nvalue = {}\nallows_for = \"x\"\nevidence = \"x\"\ncommand = \"x\"\n", value);
    };
    double const same = shipped.allowances().at("bound_upper").value;
    TemporaryFile const copied(allowance(same)), replaced(allowance(2.0 * same));
    EXPECT_NO_THROW((void)Constants::load(std::string_view("upmem"), copied.path()));
    EXPECT_THROW((void)Constants::load(std::string_view("upmem"), replaced.path()), sim::InputError);
}

TEST(Constants, without_unit_or_source_are_refused_with_their_line) {
    EXPECT_THAT(refusal("[x]\nvalue = 1\nunit = \"s\"\n"), says("source-missing-2"));
    EXPECT_THAT(refusal("[x]\nvalue = 1\nsource = \"y\"\n"), says("unit-missing-2"));
    EXPECT_THAT(refusal("[x]\nvalue = 1\nunit = \"s\"\nsource = \"\"\n"), says("source-empty"));
    EXPECT_THAT(refusal("[x]\nvalue = 1\nunit = \"parsec\"\nsource = \"y\"\n"), says("unknown-unit-parsec"));
    EXPECT_THAT(refusal("a = 1\nx = 3\n"), HasSubstr(":2:"));
}

TEST(Constants, that_are_assumed_may_say_in_which_range) {
    std::string const head = "[leakage]\nvalue = 20\nunit = \"mW\"\nsource = \"a guess\"\n";
    TemporaryFile const file(head + "assumed = true\nrange = [10, 50]\n");
    auto const leakage = Constants::load(file.path()).all().at("leakage");
    EXPECT_DOUBLE_EQ(leakage.range_lower, 0.01);
    EXPECT_DOUBLE_EQ(leakage.range_upper, 0.05);
    EXPECT_THAT(refusal(head + "range = [10, 50]\n"), HasSubstr("(assumed = true)"));
    EXPECT_THAT(refusal(head + "assumed = true\nrange = [30, 50]\n"),
                HasSubstr(":6: 'range' = [30, 50] does not contain 'value'"));
    EXPECT_THAT(refusal(head + "assumed = true\nrange = [30]\n"), says("pair-numbers"));
    EXPECT_THAT(refusal(head + "assumed = true\nrange = 30\n"), says("pair-numbers-2"));
}

TEST(Constants, that_are_plain_numbers_may_say_what_they_act_as) {
    std::string const share = "[leakage]\nvalue = 0.3\nunit = \"1\"\nsource = \"ours\"\n";
    TemporaryFile const file(share + "acts_as = \"1/mm2\"\n");
    EXPECT_EQ(Constants::load(file.path()).all().at("leakage").acts_as, "1/mm2");
    EXPECT_THAT(refusal(share + "acts_as = \"GB/s\"\n"), HasSubstr(":5: 'acts_as' = 'GB/s' tells nothing"));
    EXPECT_THAT(refusal(share + "acts_as = \"parrot\"\n"), HasSubstr(":5: "));
    auto energy = share;
    energy.replace(energy.find("\"1\""), 3, "\"pJ\"");
    EXPECT_THAT(refusal(energy + "acts_as = \"W\"\n"), HasSubstr("only for a plain number"));
}

TEST(Constants, are_finite_and_counts_are_counts) {
    EXPECT_THAT(refusal("[x]\nvalue = nan\nunit = \"s\"\nsource = \"y\"\n"), HasSubstr("'value' is nan"));
    EXPECT_THAT(refusal("[x]\nvalue = -inf\nunit = \"s\"\nsource = \"y\"\n"), says("value-inf"));
    EXPECT_THAT(refusal("[x]\nvalue = 1e305\nunit = \"TB\"\nsource = \"y\"\n"), says("value-inf-si"));
    TemporaryFile const file(
        "[half]\nvalue = 0.5\nunit = \"1\"\nsource = "
        "\"y\"\n[less]\nvalue = -1\nunit = "
        "\"1\"\nsource = \"y\"\n[three]\nvalue = 3.0\nunit = \"cycles\"\nsource = \"y\"\n");
    auto const constants = Constants::load(file.path());
    EXPECT_EQ(constants.whole("three"), 3);
    for (auto const* wrong : {"half", "less"}) EXPECT_THROW((void)constants.whole(wrong), sim::InputError) << wrong;
}

TEST(Constants, of_the_wrong_dimension_are_refused) {
    TemporaryFile const file("[delay]\nvalue = 2.0\nunit = \"ns\"\nsource = \"a table\"\n");
    auto const constants = Constants::load(file.path());
    EXPECT_THROW((void)constants.get<sim::Energy>("delay"), sim::InputError);
    EXPECT_THROW((void)constants.number("delay"), sim::InputError);
    EXPECT_THROW((void)constants.get<sim::Time>("delays"), sim::InputError);
}

TEST(Constants, of_every_architecture_are_complete) {
    int found = 0;
    for (auto const& folder : std::filesystem::directory_iterator(data_directory() / "models")) {
        auto const file = folder.path() / "constants.toml";
        if (!std::filesystem::exists(file)) continue;
        EXPECT_FALSE(Constants::load(file).all().empty()) << file;
        ++found;
    }
    EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace pimdse::models::constants_test
