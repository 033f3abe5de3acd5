#include "models/dram/dram_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pimdse::models {
namespace {

std::size_t check_all(sim::dram::FastForward fast_forward) {
    std::size_t rows = 0;
    for (auto const& row : read_reference_rows(std::filesystem::path(PIMDSE_TEST_DATA) / "dram_cycles.csv")) {
        auto const check = check_row(row, fast_forward);
        for (auto const& d : check.differences)
            ADD_FAILURE() << fmt::format("{}: {} is {}, reference {}", d.case_id, d.column, d.got, d.expected);
        ++rows;
    }
    return rows;
}

TEST(ReferenceCampaign, all_588_rows_are_identical_in_every_counter) {
    EXPECT_EQ(check_all(sim::dram::FastForward::off), 588U);
}
TEST(ReferenceCampaign, all_588_rows_are_identical_with_fast_forward) {
    EXPECT_EQ(check_all(sim::dram::FastForward::exact), 588U);
}

}  // namespace
}  // namespace pimdse::models
