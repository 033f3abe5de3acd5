#include "dse/uncertain/flips.hpp"

#include "models/contract/assumptions.hpp"
#include "tests/unit/dse/report/two_machines.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace pimdse::dse::uncertain::variation_test {
namespace {

std::map<std::string, std::vector<Variation>> by_assumption(space::Space const& space) {
    std::map<std::string, std::vector<Variation>> all;
    for (auto const& variation : variations_of(space)) all[variation.assumption].push_back(variation);
    return all;
}

/// A mesh is not launched as an NPU is: each has a row of its own, and neither varies where nothing is launched.
TEST(FlipsVariations, have_launches_of_each_kind_of_machine) {
    auto const launches = [](auto const& all) {
        std::set<std::string> names;
        for (auto const& [name, _] : all)
            if (name.starts_with("layer_overhead")) names.insert(name);
        return names;
    };
    EXPECT_TRUE(launches(by_assumption(testing::two_machines())).empty());
    EXPECT_EQ(launches(by_assumption(testing::two_machines({{"assumptions.view", "deployed"}}))),
              (std::set<std::string>{"layer_overhead_dataflow", "layer_overhead_stream"}));
}

TEST(FlipsVariations, are_other_values_of_what_the_space_assumes) {
    auto const space = testing::two_machines();
    std::string const assumed = models::sentence_of(space.machines()[0].inputs.options.assumptions);
    auto const all = by_assumption(space);
    for (auto const* name :
         {"view", "constants", "host", "precision", "node", "batch", "attained_share", "sram_leakage"})
        EXPECT_TRUE(all.contains(name)) << name;
    for (auto const& [name, variations] : all) {
        std::set<std::string> values;
        for (auto const& variation : variations) {
            EXPECT_NE(variation.from, variation.to) << name;
            EXPECT_TRUE(values.insert(variation.to).second) << name;
            auto const other = testing::two_machines(variation.overrides);
            EXPECT_NE(other.canonical_text(), space.canonical_text()) << name << " " << variation.to;
            EXPECT_EQ(other.size(), space.size());
        }
    }
    EXPECT_EQ(models::sentence_of(testing::two_machines().machines()[0].inputs.options.assumptions), assumed);
}

TEST(FlipsVariations, leave_out_what_the_space_says_already) {
    auto const deployed = by_assumption(testing::two_machines({{"assumptions.view", "deployed"}}));
    ASSERT_EQ(deployed.at("view").size(), 1U);
    EXPECT_EQ(deployed.at("view")[0].to, "hardware");
    auto const papers = by_assumption(testing::two_machines({{"assumptions.constants", "papers"}}));
    EXPECT_FALSE(papers.contains("sram_leakage")) << "no constant is taken from the table";
}

TEST(FlipsVariations, of_numbers_have_values_between_their_ends) {
    for (auto const& variation : variations_of(testing::two_machines())) {
        if (!variation.numeric) continue;
        EXPECT_EQ(variation.overrides_at(variation.end), variation.overrides);
        auto const middle = variation.overrides_at(variation.start + (variation.end - variation.start) / 2.0);
        EXPECT_NE(testing::two_machines(middle).canonical_text(),
                  testing::two_machines(variation.overrides).canonical_text())
            << variation.assumption;
    }
}

TEST(FlipsVariations, have_batches_where_every_machine_has_one_batch) {
    auto const batches = by_assumption(testing::two_machines()).at("batch");
    ASSERT_EQ(batches.size(), 3U);
    EXPECT_EQ(batches[0].overrides.size(), 2U) << "of both machines";
    EXPECT_EQ(batches[0].from, "1");
    EXPECT_FALSE(by_assumption(testing::two_machines({{"mesh.batch", "[1, 2]"}})).contains("batch"));
}

}  // namespace
}  // namespace pimdse::dse::uncertain::variation_test
