#include "models/dram/dram_standard.hpp"

#include "../contract/temporary_file.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <iterator>
#include <set>

namespace pimdse::models::dram_standard_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFile;

std::string shipped(std::string const& name) {
    std::ifstream file(data_directory() / "models" / "dram" / (name + ".toml"));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The mistakes in a timing set in which one text is replaced, without the path of the file.
std::vector<std::string> mistakes(std::string const& name, std::string const& before, std::string const& after,
                                  int density = 0) {
    auto text = shipped(name);
    auto const at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
    TemporaryFile const file(text);
    try {
        (void)load_dram_file(file.path(), density);
    } catch (sim::InputError const& error) {
        auto sentences = error.sentences();
        for (auto& sentence : sentences) {
            if (auto const path = sentence.find(file.path().string()); path != sentence.npos)
                sentence.erase(path, file.path().string().size());
        }
        return sentences;
    }
    return {};
}

TEST(DramSets, have_the_same_dies_at_every_density) {
    for (auto const& name : dram_standard_names()) {
        std::set<double> dies_of_a_rank;
        for (int const density : dram_densities(name)) {
            auto const set = load_dram_standard(name, density);
            EXPECT_EQ(set.density_gbit, density);
            double const rank = set.organisation.capacity_bytes() / set.organisation.channels / set.organisation.ranks;
            dies_of_a_rank.insert(rank * 8.0 / 0x1p30 / density);
        }
        EXPECT_EQ(dies_of_a_rank.size(), 1U) << name;
        auto const usual = load_dram_standard(name);
        EXPECT_EQ(usual.organisation, load_dram_standard(name, usual.density_gbit).organisation) << name;
    }
}

TEST(DramSets, refresh_longer_the_denser_they_are) {
    for (auto const& name : dram_standard_names()) {
        int shorter = 0;
        for (int const density : dram_densities(name)) {
            auto const set = load_dram_standard(name, density);
            EXPECT_GE(set.timing.nRFC, shorter) << name << " of " << density;
            EXPECT_LT(set.timing.nRFC, set.timing.nREFI) << name << " of " << density;
            shorter = set.timing.nRFC;
        }
    }
}

TEST(DramSets, have_densities_in_ascending_order_and_no_others) {
    EXPECT_THAT(dram_densities("L5J"), ElementsAre(8, 16, 32));
    EXPECT_THAT(mistakes("L5J", "gbit   = 8", "gbit   = 64"), ElementsAre(says("no-density-gbit")));
    EXPECT_THAT(mistakes("L5J", "name", "name", 12), ElementsAre(says("no-density-gbit-set")));
    EXPECT_THAT(mistakes("L5J", "gbit   = 16", "gbit   = 8"), ElementsAre(says("gbit-listed-twice")));
}

TEST(DramSets, are_refused_with_the_line_of_each_mistake) {
    EXPECT_THAT(mistakes("L5J", "nCL      = 17", "nCL      = -1"),
                ElementsAre(":26: 'nCL' = -1 is out of range (it must lie in 0..10000000)"));
    EXPECT_THAT(mistakes("L5J", "nCL      = 17", "nCLL      = 17"),
                ElementsAre(HasSubstr("'nCL' is missing"), HasSubstr("Did you mean 'nCL'?")));
    EXPECT_THAT(mistakes("L5J", "family    = \"LPDDR5\"", "family    = \"LPDDR6\""),
                ElementsAre(says("unknown-family-lpddr6-did")));
    EXPECT_THAT(mistakes("L5J", "\"1.25 ns\"", "\"1.25 nJ\""), ::testing::Contains(says("time")));
    EXPECT_THAT(mistakes("L5J", "\"1.25 ns\"", "\"-1.25 ns\""),
                ::testing::Contains(HasSubstr("'tCK' = -1.25 ns is negative")));
    EXPECT_THAT(mistakes("L5J", "banks        = 4 ", "banks        = 0 "), ElementsAre(HasSubstr("'banks' = 0")));
    EXPECT_THAT(mistakes("L5J", "[timing]", "[timings]"), ::testing::Contains(HasSubstr("[timing] is missing")));
    EXPECT_THAT(mistakes("D4_3200", "nCS      = 2", "nCS      = 2\nnRRD = 4"),
                ElementsAre(HasSubstr("unknown key 'nRRD'")))
        << "DDR4 has one for each distance";
}

TEST(DramSets, take_no_empty_text_for_no_energy) {
    EXPECT_THAT(mistakes("L5J", "activate = \"2.95 nJ\"", "activate = \"\""), ElementsAre(says("number-unit")));
    EXPECT_THAT(mistakes("L5J", "activate = \"2.95 nJ\"", "activate = \"0 nJ\""), IsEmpty());
    EXPECT_THAT(mistakes("L5J", "activate = ", "activates = "), ::testing::Not(IsEmpty()));
}

TEST(DramSets, know_their_energy_per_command) {
    auto const set = load_dram_standard("L5J");
    EXPECT_DOUBLE_EQ(set.energy.activate.si, 2.95e-9);
    EXPECT_DOUBLE_EQ(set.energy.read.si, 2.14e-12 * 256.0) << "32 bytes";
    EXPECT_DOUBLE_EQ(set.energy.transfer.si, 2.0e-12 * 256.0);
    EXPECT_EQ(set.energy.refresh.si, 0.0);
    EXPECT_DOUBLE_EQ(load_dram_standard("D4_3200").energy.refresh.si, 695e-9);
}

TEST(DramSets, are_found_by_name_or_by_path) {
    TemporaryFile const own(shipped("D4_3200"));
    EXPECT_EQ(load_dram_standard(own.path().string()).timing.nCL, 22);
    for (auto const* wrong : {"L5X", "", "/nowhere/own.toml"})
        EXPECT_THROW((void)load_dram_standard(wrong), sim::InputError) << wrong;
    try {
        (void)load_dram_standard("L5X");
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.what(), HasSubstr("L5J, gddr6_aim"));
    }
}

}  // namespace
}  // namespace pimdse::models::dram_standard_test
