#include "models/contract/assumptions.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>
#include <string>
#include <vector>

namespace pimdse::models::assumption_texts_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string refusal_of(std::string_view key, std::string const& text) {
    Assumptions assumptions;
    try {
        set_assumption(assumptions, key, text);
    } catch (sim::InputError const& error) {
        EXPECT_EQ(assumptions, Assumptions{}) << "a refused assumption changes nothing";
        return error.what();
    }
    return "";
}

TEST(Assumptions, come_back_from_their_texts) {
    Assumptions a;
    for (auto const& [key, text] : AssumptionTexts{{"view", "deployed"},
                                                   {"constants", "technology"},
                                                   {"node", "5nm"},
                                                   {"host", "included"},
                                                   {"precision", "16"},
                                                   {"attained_share", "0.4"},
                                                   {"technology.sram_leakage", "5 mW/MiB"},
                                                   {"economy.electricity", "0.2 USD/kWh"}})
        set_assumption(a, key, text);
    Assumptions again;
    for (auto const& [key, text] : texts_of(a)) set_assumption(again, key, text);
    EXPECT_EQ(again, a);
    EXPECT_THAT(texts_of(Assumptions{}), IsEmpty());
    EXPECT_THAT(sentence_of(a), HasSubstr("sram_leakage 5 mW/MiB"));
    EXPECT_THAT(sentence_of(a), HasSubstr("economy.electricity 0.2 USD/kWh"));
}

TEST(Assumptions, say_that_a_node_is_not_read) {
    Assumptions a;
    set_assumption(a, "node", "5nm");
    EXPECT_THAT(sentence_of(a), HasSubstr("node 5nm is not read"));
    set_assumption(a, "constants", "technology");
    EXPECT_THAT(sentence_of(a), HasSubstr("constants technology (5nm), "));
}

/// Rows are read where their machines are: under constants of technology, of a view, or of a host.
TEST(Assumptions, say_which_rows_of_technology_are_not_read) {
    for (auto const& [row, key, value] :
         std::vector<std::array<std::string, 3>>{{"sram_leakage 5 mW/MiB", "constants", "technology"},
                                                 {"layer_overhead_stream 2 us", "view", "deployed"},
                                                 {"host_power 9 W", "host", "included"}}) {
        Assumptions a;
        auto const space = row.find(' ');
        set_assumption(a, "technology." + row.substr(0, space), row.substr(space + 1));
        EXPECT_THAT(sentence_of(a), HasSubstr(row + " (not read: it belongs to " + key + " " + value + ")"));
        set_assumption(a, key, value);
        EXPECT_THAT(sentence_of(a), Not(HasSubstr("not read")));
    }
}

TEST(Assumptions, refuse_what_is_unknown) {
    EXPECT_THAT(refusal_of("veiw", "hardware"), says("did-you-mean-view"));
    EXPECT_THAT(refusal_of("view", "hardwre"), says("did-you-mean-hardware"));
    EXPECT_THAT(refusal_of("node", "7 nm"), HasSubstr("Did you mean '7nm'"));
    EXPECT_THAT(refusal_of("precision", "sixteen"), HasSubstr("number of bits"));
    EXPECT_THAT(refusal_of("attained_share", "1.2"), HasSubstr("at most 1"));
    EXPECT_THAT(refusal_of("layer_overhead", "3 W"), HasSubstr("time"));
    EXPECT_THAT(refusal_of("technology.sram_leak", "1 W"), HasSubstr("no row 'sram_leak'"));
    EXPECT_THAT(refusal_of("technology.sram_leakage", "1 W"), HasSubstr("mW/MiB"));
    EXPECT_THAT(refusal_of("technology.sram_leakage", "-1 mW/MiB"), HasSubstr("above 0"));
    EXPECT_THAT(refusal_of("economy.electricty", "1 USD/kWh"), HasSubstr("Did you mean 'electricity'"));
    EXPECT_THAT(refusal_of("economy.electricity", "1 g"), HasSubstr("mass"));
}

TEST(Technology, scales_with_the_node) {
    Assumptions a;
    auto const at_7 = Technology::load(a);
    set_assumption(a, "node", "5nm");
    auto const at_5 = Technology::load(a);
    for (auto const& [name, row] : at_7.all()) {
        auto const& other = at_5.row(name);
        EXPECT_LE(row.lower, row.constant.si) << name;
        EXPECT_LE(row.constant.si, row.upper) << name;
        EXPECT_LE(other.constant.si, row.constant.si) << name;
        EXPECT_NEAR(other.upper * row.constant.si, other.constant.si * row.upper, 1e-12 * row.upper * row.constant.si)
            << name;
    }
    EXPECT_NEAR(at_5.row("mac_fp16").constant.si / at_7.row("mac_fp16").constant.si, 0.7, 1e-12);
}

TEST(Technology, stands_for_constants_that_name_it) {
    Assumptions a;
    set_assumption(a, "technology.sram_leakage", "7 mW/MiB");
    auto const name = std::string_view("umdam");
    double const papers = Constants::load(name, {"", a}).all().at("sram_leakage").si;
    set_assumption(a, "constants", "technology");
    auto const taken = Constants::load(name, {"", a}).all().at("sram_leakage");
    EXPECT_DOUBLE_EQ(taken.si, Technology::load(a).row("sram_leakage").constant.si);
    EXPECT_NE(taken.si, papers);
}

/// Every row that an architecture names exists and has the same dimension.
TEST(Technology, has_what_architectures_name) {
    Assumptions a;
    a.constants = ConstantSource::technology;
    for (auto const* architecture : {"umdam", "upmem", "dplena", "cim_mesh"})
        EXPECT_NO_THROW((void)Constants::load(std::string_view(architecture), {"", a})) << architecture;
}

TEST(CommonParameters, follow_the_view) {
    Parameters const own{attained_share(0.9, "here"), layer_overhead(5e-6, LaunchedBy::stream, "here")};
    auto const defaults = [&](Assumptions const& a, Parameters parameters) {
        set_common_defaults(parameters, a);
        return std::pair(parameters[0].default_value.as_quantity(), parameters[1].default_value.as_quantity());
    };
    Assumptions a;
    EXPECT_EQ(defaults(a, own), std::pair(0.9, 5e-6));
    set_assumption(a, "view", "hardware");
    EXPECT_EQ(defaults(a, own), std::pair(1.0, 0.0));
    set_assumption(a, "view", "deployed");
    auto const technology = Technology::load(a);
    double const share = technology.row("attained_share").constant.si,
                 launch = technology.row("layer_overhead_stream").constant.si;
    EXPECT_EQ(defaults(a, own), std::pair(share, launch));
    EXPECT_EQ(defaults(a, {attained_share(as_measured, "a product"), own[1]}), std::pair(as_measured, launch));
    set_assumption(a, "attained_share", "0.3");
    set_assumption(a, "layer_overhead", "2 us");
    EXPECT_EQ(defaults(a, own), std::pair(0.3, 2e-6));
}

}  // namespace
}  // namespace pimdse::models::assumption_texts_test
