#include "models/dram/dram_standard.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/timers.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace pimdse::sim::dram::review_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Standard sound() { return models::load_dram_standard("L5J"); }

std::vector<std::string> refusals(Standard const& standard) {
    return mistakes_by([&] { (void)review(standard); });
}

TEST(Review, names_every_mistake_at_once) {
    auto standard = sound();
    standard.organisation.rows = 0;
    standard.timing.nRP = -1;
    standard.timing.nRFC = standard.timing.nREFI;
    standard.clock = Time{0.0};
    auto const said = refusals(standard);
    EXPECT_EQ(said.size(), 4U);
    EXPECT_THAT(said, Contains("L5J: rows = 0 (it must be at least 1)"));
    EXPECT_THAT(said, Contains("L5J: nRP = -1 (it must be at least 1)"));
    EXPECT_THAT(said, Contains(says("refresh-would-never-end")));
    EXPECT_THAT(said, Contains(says("positive")));
}

TEST(Review, wants_each_of_its_numbers_to_be_one_at_least) {
    for (auto const field :
         {&Organisation::channels, &Organisation::ranks, &Organisation::bank_groups, &Organisation::banks,
          &Organisation::rows, &Organisation::row_bytes, &Organisation::burst_bytes, &Organisation::channel_bits}) {
        auto standard = sound();
        standard.organisation.*field = 0;
        EXPECT_THAT(refusals(standard), Contains(HasSubstr("= 0 (it must be at least 1)")));
    }
    for (auto const field :
         {&Timing::nBL, &Timing::nCL, &Timing::nCWL, &Timing::nRCDRD, &Timing::nRP, &Timing::nRAS, &Timing::nREFI}) {
        auto standard = sound();
        standard.timing.*field = 0;
        EXPECT_THAT(refusals(standard), Contains(HasSubstr("= 0 (it must be at least 1)")));
    }
}

TEST(Review, refuses_a_clock_that_is_no_number) {
    auto standard = sound();
    for (double const period : {0.0, -1e-9, std::numeric_limits<double>::quiet_NaN()}) {
        standard.clock = Time{period};
        EXPECT_THAT(refusals(standard), Contains(says("clock-period"))) << period;
    }
}

TEST(Review, lets_pass_only_what_timers_can_hold) {
    std::mt19937 random(1);
    int passed = 0;
    for (int i = 0; i < 400; ++i) {
        auto standard = sound();
        auto& o = standard.organisation;
        o.ranks = 1 << random() % 8, o.bank_groups = 1 << random() % 6, o.banks = 1 << random() % 6;
        if (!refusals(standard).empty()) continue;
        ++passed;
        EXPECT_NO_THROW((void)Timers(standard)) << o.ranks << " ranks";
    }
    EXPECT_GT(passed, 50);
}

TEST(Review, counts_banks_beyond_32_bits) {
    auto standard = sound();
    standard.organisation.ranks = 4, standard.organisation.bank_groups = 1 << 15, standard.organisation.banks = 1 << 15;
    EXPECT_THAT(refusals(standard), Contains(says("most-supported")));
}

TEST(Review, refuses_refreshes_of_banks_that_never_end) {
    auto standard = sound();
    auto& t = standard.timing;
    t.nPBR2PBR = t.nREFIpb;
    EXPECT_THAT(refusals(standard), Contains(HasSubstr("nPBR2PBR")));
    t.nPBR2PBR = t.nREFIpb - 1;
    EXPECT_TRUE(refusals(standard).empty());
    t.nRFCpb = 16 * t.nREFIpb;
    EXPECT_THAT(refusals(standard), Contains(says("all-banks")));
    --t.nRFCpb;
    EXPECT_TRUE(refusals(standard).empty());
}

TEST(Review, rates_what_a_bus_that_is_never_idle_moves) {
    for (auto const& name : models::dram_standard_names()) {
        auto standard = models::load_dram_standard(name);
        auto const& o = standard.organisation;
        auto const said = review(standard);
        int const ports = o.channels * (standard.family == Family::hbm2 ? o.ranks : 1);
        double const step = std::max(standard.timing.nBL, standard.timing.nCCDS) * standard.clock.si;
        EXPECT_NEAR(said.peak.si, ports * o.burst_bytes / step, 1.0) << name;
        EXPECT_NEAR(said.pins.si, ports * o.channel_bits / 8.0 * standard.mega_transfers * 1e6, 1e3) << name;
        EXPECT_LT(said.refresh_ceiling, said.peak) << name;
        standard.mega_transfers = 0.0;
        EXPECT_EQ(review(standard).pins, said.peak) << "no data rate is given";
    }
}

TEST(Review, warns_of_what_contradicts_itself_and_of_nothing_after_correction) {
    auto standard = sound();
    auto& t = standard.timing;
    t.nRC = t.nRAS + t.nRP - 1;
    EXPECT_THAT(review(standard).warnings, Contains(says("shorter-nras-nrp")));
    EXPECT_EQ(review(standard).effective_row_cycle, t.nRAS + t.nRP);
    EXPECT_EQ(corrected(standard).timing.nRC, t.nRAS + t.nRP);
    t.nRC = t.nRAS + t.nRP;
    EXPECT_TRUE(review(standard).warnings.empty());
    t.nRAS = t.nRCDRD - 1;
    EXPECT_THAT(review(standard).warnings, Contains(says("shorter-nrcd")));
    t = sound().timing;
    t.nCCDS = t.nBL - 1;
    EXPECT_THAT(review(standard).warnings, Contains(says("shorter-burst")));
}

TEST(Review, tells_a_rate_that_needs_bank_groups_to_the_transfer) {
    auto standard = sound();
    auto const warned = [&] {
        auto const warnings = review(standard).warnings;
        return std::any_of(warnings.begin(), warnings.end(),
                           [](auto const& w) { return w.find("needs bank groups") != std::string::npos; });
    };
    standard.timing.nCCDL = standard.timing.nCCDS;
    standard.mega_transfers = 3200;
    EXPECT_FALSE(warned());
    standard.mega_transfers = 3201;
    EXPECT_TRUE(warned());
    standard.timing.nCCDL = standard.timing.nCCDS + 1;
    EXPECT_FALSE(warned());
    standard.timing.nCCDL = standard.timing.nCCDS;
    standard.family = Family::ddr4;
    EXPECT_FALSE(warned());
}

}  // namespace
}  // namespace pimdse::sim::dram::review_test
