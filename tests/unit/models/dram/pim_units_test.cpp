#include "models/dram/pim_units.hpp"

#include "../contract/temporary_file.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/family.hpp"
#include "sim/pim/product_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <iterator>

#include "models/dram/dram_standard.hpp"
#include "tests/unit/refused.hpp"

namespace pimdse::models::pim_units_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TemporaryFile;

std::string shipped_set(std::string const& name) {
    std::ifstream file(data_directory() / "models" / "dram" / (name + ".toml"));
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> mistakes_in(std::string const& text) {
    TemporaryFile const file(text);
    return mistakes_by([&] { (void)load_pim_units(file.path().string()); });
}

std::string replaced(std::string text, std::string const& before, std::string const& after) {
    auto const at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
}

/// Bytes of weights that the units of a channel read in a second at their peak.
double inside(sim::pim::BankUnits const& u) {
    return sim::as_double(u.sizes.units() * u.sizes.word_bytes) /
           (sim::as_double(u.timing.mac_interval) * u.timing.clock.si);
}

TEST(PimUnits, have_the_rates_of_their_products) {
    auto const aim = load_pim_units("gddr6_aim");
    EXPECT_DOUBLE_EQ(inside(aim), 512e9) << "16 GB/s of each bank: 16 TB/s on 32 channels";
    auto const hbm = load_pim_units("hbm2_pim");
    auto const channels = sim::dram::data_ports(load_dram_standard("hbm2_pim"));
    EXPECT_EQ(channels * hbm.sizes.units(), 128);
    EXPECT_DOUBLE_EQ(channels * inside(hbm), 1.024e12) << "1.229 TB/s at 2.4 Gbit/s a pin";
    auto const lpddr = load_pim_units("lpddr5x_9600_pim");
    EXPECT_NEAR(4 * inside(lpddr), 614.4e9, 0.1e9);
    EXPECT_EQ(lpddr.timing.precharge, 26) << "all banks together";
    EXPECT_EQ(lpddr.timing.refresh_time, load_dram_standard("lpddr5x_9600_pim").timing.nRFC);
}

TEST(PimUnits, say_every_mistake_of_a_file_with_its_line) {
    auto const text = shipped_set("gddr6_aim");
    EXPECT_THAT(mistakes_in(text), SizeIs(0));
    auto wrong = replaced(text, "nMAC           = 2", "nMAC           = 0");
    wrong = replaced(wrong, "nCL      = 50", "nCL      = -1");
    wrong = replaced(wrong, "mac            = \"1.31 nJ\"", "mac            = \"1.31 W\"");
    wrong = replaced(wrong, "nMODE ", "nMOD  ");
    wrong = replaced(wrong, "\"carried\"", "\"carry\"");
    auto const found = mistakes_in(wrong);
    EXPECT_THAT(found, SizeIs(6));
    for (auto const& sentence : found) EXPECT_THAT(sentence, HasSubstr(".toml:"));
    EXPECT_THAT(found, ::testing::Contains(AllOf(HasSubstr("'mac' is"), HasSubstr("energy"))));
    EXPECT_THAT(found, ::testing::Contains(HasSubstr("nMODE")));
}

TEST(PimUnits, are_reviewed) {
    auto const text = replaced(shipped_set("gddr6_aim"), "banks_per_unit = 1", "banks_per_unit = 3");
    auto const found = mistakes_in(text);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found.front(), AllOf(HasSubstr(".toml:"), HasSubstr("16 banks cannot be shared by units of 3 banks")));
}

TEST(PimUnits, of_a_set_without_units_are_refused_with_those_that_have_some) {
    EXPECT_THAT(refusal_by([&] { (void)load_pim_units("L5J"); }), HasSubstr("gddr6_aim, hbm2_pim, lpddr5x_9600_pim"));
    EXPECT_THROW((void)load_pim_units("nothing"), sim::InputError);
}

TEST(PimUnits, wait_for_the_fence_of_the_host) {
    auto const fenced =
        replaced(shipped_set("lpddr5x_9600_pim"), "fence          = \"0 ns\"", "fence          = \"150 ns\"");
    TemporaryFile const file(fenced);
    EXPECT_EQ(load_pim_units(file.path().string()).timing.fence, 181);
}

}  // namespace
}  // namespace pimdse::models::pim_units_test
