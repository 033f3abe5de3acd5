#include "models/contract/toml_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace pimdse::sim::dram::test::standard_test {
namespace {

using ::testing::HasSubstr;

TEST(Standards, report_row_cycle_peak_and_refresh_ceiling) {
    auto const b = models::review_dram_standard("L5B");
    EXPECT_EQ(b.effective_row_cycle, 49);
    EXPECT_NEAR(b.peak.si, 51.2e9, 1e6);
    // Measured 47.9 GB/s of 51.2.
    EXPECT_NEAR(b.refresh_ceiling.si, 47.9e9, 0.2e9);
    EXPECT_NEAR(models::review_dram_standard("L5A").peak.si, 25.6e9, 1e6);
    EXPECT_NEAR(models::review_dram_standard("D4_2400").peak.si, 19.2e9, 1e7);
    EXPECT_NEAR(models::review_dram_standard("D4_3200").peak.si, 25.6e9, 1e6);
    EXPECT_NEAR(models::review_dram_standard("HBM2_2000").peak.si, 256e9, 1e6);
}

TEST(Standards, warn_of_the_traps_of_table_1) {
    auto const a = models::review_dram_standard("L5A").warnings;
    EXPECT_THAT(a, ::testing::Contains(HasSubstr("nRC = 30 is shorter than nRAS + nRP = 34 + 15 = 49. 49 is used")));
    EXPECT_THAT(a, ::testing::Contains(HasSubstr("nBL = 4 (peak 25.6 GB/s of the pins' 51.2)")));
    EXPECT_THAT(models::review_dram_standard("L5B").warnings, ::testing::Contains(HasSubstr("bank groups")));
    for (auto const* clean : {"L5J", "D4_2400", "D4_3200", "HBM2_2000", "lpddr5x_8533"})
        EXPECT_THAT(models::review_dram_standard(clean).warnings, ::testing::IsEmpty()) << clean;
    EXPECT_EQ(models::load_dram_standard("L5A").timing.nRC, 49);
}

TEST(Standards, take_rows_and_refresh_time_from_the_density) {
    EXPECT_EQ(models::dram_densities("L5J"), (std::vector<int>{8, 16, 32}));
    auto const small = models::load_dram_standard("L5J"), large = models::load_dram_standard("L5J", 32);
    EXPECT_EQ(small.organisation.rows, 32768);
    EXPECT_EQ(small.timing.nRFC, 168);
    EXPECT_DOUBLE_EQ(small.organisation.capacity_bytes(), 4.0 * (1ULL << 30));
    EXPECT_EQ(large.timing.nRFC, 304);  // 380 ns
    EXPECT_DOUBLE_EQ(large.organisation.capacity_bytes(), 16.0 * (1ULL << 30));
    EXPECT_THROW((void)models::load_dram_standard("L5J", 12), InputError);
    EXPECT_THROW((void)models::load_dram_standard("L5K"), InputError);
    EXPECT_THROW((void)models::load_dram_standard(std::string(5000, 'x')), InputError);
}

TEST(Standards, say_which_have_reference_rows) {
    std::set<std::string> const without{"gddr6_aim", "hbm2_pim", "lpddr5x_8533", "lpddr5x_9600_pim"};
    for (auto const& name : models::dram_standard_names())
        EXPECT_EQ(models::load_dram_standard(name).has_reference_rows, !without.contains(name)) << name;
}

TEST(Standards, carry_energies_per_command) {
    auto const s = models::load_dram_standard("L5J");
    EXPECT_NEAR(s.energy.activate.si, 2.95e-9, 1e-15);
    EXPECT_NEAR(s.energy.read.si, 2.14e-12 * 256, 1e-15);
    EXPECT_NEAR(s.energy.transfer.si, 2.0e-12 * 256, 1e-15);
}

TEST(Standards, take_the_energies_of_ddr4_from_currents) {
    auto const s = models::load_dram_standard("D4_2400");
    double const volt = 1.2, devices = 8, cycle = s.clock.si;
    double const idd0 = 48e-3, idd2n = 34e-3, idd3n = 43e-3, idd4r = 135e-3, idd4w = 123e-3, idd5 = 250e-3;
    double const open = s.timing.nRAS * cycle, whole = s.timing.nRC * cycle;
    EXPECT_NEAR(s.energy.activate.si, volt * devices * (idd0 * whole - idd3n * open - idd2n * (whole - open)), 0.03e-9);
    EXPECT_NEAR(s.energy.read.si, volt * devices * (idd4r - idd3n) * 4 * cycle, 0.01e-9);
    EXPECT_NEAR(s.energy.write.si, volt * devices * (idd4w - idd3n) * 4 * cycle, 0.01e-9);
    EXPECT_NEAR(s.energy.refresh.si, volt * devices * (idd5 - idd3n) * 350e-9, 1e-9);
}

std::string refusal_of(std::string const& change_from, std::string const& change_to) {
    std::ifstream original(std::filesystem::path(PIMDSE_TEST_DATA) / "../../models/dram/L5J.toml");
    std::string text((std::istreambuf_iterator<char>(original)), std::istreambuf_iterator<char>());
    text.replace(text.find(change_from), change_from.size(), change_to);
    auto const file = std::filesystem::temp_directory_path() /
                      ("pimdse_standard_" + std::to_string(std::hash<std::string>{}(change_to)) + ".toml");
    std::ofstream(file) << text;
    try {
        (void)models::load_dram_file(file);
    } catch (InputError const& error) {
        std::filesystem::remove(file);
        return error.what();
    }
    std::filesystem::remove(file);
    return "accepted";
}

TEST(Standards, refuse_broken_files_with_file_and_line) {
    EXPECT_THAT(refusal_of("nFAW     = 16", "nFAV     = 16"),
                ::testing::AllOf(HasSubstr("'nFAW' is missing"), HasSubstr("unknown key 'nFAV'"), HasSubstr(".toml:")));
    EXPECT_THAT(refusal_of("tCK       = \"1.25 ns\"", "tCK       = \"1.25 GB\""), HasSubstr("must be a time"));
    EXPECT_THAT(refusal_of("density   = 8", "density   = 7"), says("no-density-gbit-set"));
    EXPECT_THAT(refusal_of("nREFI    = 3125", "nREFI    = 100"), says("refresh-would-never-end"));
    EXPECT_THAT(refusal_of("LPDDR5\"", "LPDDR6\""), HasSubstr("unknown family 'LPDDR6'"));
}

std::string content_of(std::string const& name) {
    std::ifstream file(models::data_directory() / "models" / "dram" / (name + ".toml"));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Messages for L5J with its first line that begins with `key` replaced, once for the standard and once for its
/// densities.
std::string refusal_of_line(std::string const& key, std::string const& line) {
    auto content = content_of("L5J");
    auto const at = content.find("\n" + key) + 1;
    content.replace(at, content.find('\n', at) - at, line);
    auto const file = std::filesystem::temp_directory_path() /
                      ("pimdse_dram_" + std::to_string(std::hash<std::string>{}(line)) + ".toml");
    std::ofstream(file) << content;
    std::string said;
    try {
        (void)models::load_dram_file(file);
    } catch (InputError const& error) {
        said = error.what();
    }
    std::filesystem::remove(file);
    return said;
}

TEST(Standards, are_refused_where_a_number_is_none_of_a_memory) {
    EXPECT_EQ(refusal_of_line("nRP ", "nRP = 15"), "");
    for (auto const* value : {"1e308", "inf", "-1e308", "4294967312", "-3"})
        EXPECT_THAT(refusal_of_line("nRP ", std::string("nRP = ") + value), HasSubstr("'nRP'")) << value;
    EXPECT_THAT(refusal_of_line("banks ", "banks = 1e9"), HasSubstr("out of range"));
    EXPECT_THAT(refusal_of_line("rows ", "rows = 4503599627370496"), HasSubstr("out of range"));
    EXPECT_THAT(refusal_of_line("activate ", "activate = \"-3 nJ\""), HasSubstr("negative"));
    EXPECT_THAT(refusal_of_line("gbit ", "# no gbit"), says("gbit-missing"));
    EXPECT_THAT(refusal_of_line("tCK ", "tCK = \"0 ns\""), HasSubstr("'tCK'"));
    EXPECT_THAT(refusal_of_line("density ", "density = 8\nenergy = 5"), ::testing::Not(::testing::IsEmpty()));
}

TEST(Standards, are_refused_where_tables_are_something_else) {
    auto content = content_of("L5J");
    auto const energy = content.find("[energy]"), densities = content.find("[[densities]]");
    auto const head = content.substr(0, std::min(energy, densities));
    for (auto const* rest :
         {"energy = 5\n", "densities = [5]\n", "densities = [{ rows = 3 }]\n", "densities = 5\nenergy = []\n"}) {
        auto const file = std::filesystem::temp_directory_path() / "pimdse_dram_tables.toml";
        std::ofstream(file) << rest << head;
        EXPECT_THROW((void)models::load_dram_file(file), InputError) << rest;
        std::filesystem::remove(file);
    }
}

}  // namespace
}  // namespace pimdse::sim::dram::test::standard_test
