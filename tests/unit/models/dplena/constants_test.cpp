#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "tests/bench/dplena/prefetch_rows.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <fstream>

namespace constants_test {
namespace {

using namespace pimdse::models;
using Table = dplena::PrefetchTable;

std::vector<std::string> lines_of_constants() {
    std::ifstream file(data_directory() / "models/dplena/constants.toml");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Every third row, so that all widths, all counts, both buses and both generations are among them.
TEST(DplenaConstants, have_the_prefetch_rows_that_the_controller_gives) {
    auto const lines = lines_of_constants();
    std::size_t at = 0;
    for (auto const generation : {dplena::HbmGeneration::hbm2, dplena::HbmGeneration::hbm2e}) {
        for (std::size_t bus = 0; bus < Table::buses.size(); ++bus) {
            for (std::size_t width = 0; width < Table::widths.size(); ++width) {
                for (std::size_t count = 0; count < Table::vectors.size(); ++count) {
                    if (at++ % 3 != 2) continue;
                    auto const row = prefetch_rows::row(support::machine(), generation, bus, width, count);
                    EXPECT_EQ(std::count(lines.begin(), lines.end(), row), 1) << row;
                }
            }
        }
    }
}

TEST(DplenaConstants, say_of_every_allowance_what_for_and_how_one_looks_again) {
    auto const constants = Constants::load(std::string_view("dplena"));
    EXPECT_GT(constants.allowances().size(), 10U);
    for (auto const& [name, allowance] : constants.allowances()) {
        EXPECT_FALSE(allowance.allows_for.empty()) << name;
        EXPECT_FALSE(allowance.evidence.empty()) << name;
        EXPECT_FALSE(allowance.command.empty()) << name;
    }
}

}  // namespace
}  // namespace constants_test
