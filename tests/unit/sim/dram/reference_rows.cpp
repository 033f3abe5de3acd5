#include "models/dram/dram_check.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pimdse::models {
namespace {

std::filesystem::path table() { return std::filesystem::path(PIMDSE_TEST_DATA) / "dram_cycles.csv"; }

std::string told(RowCheck const& check) {
    std::string text;
    for (auto const& d : check.differences)
        text += fmt::format("{}: {} is {}, reference {}\n", d.case_id, d.column, d.got, d.expected);
    return text;
}

TEST(ReferenceRows, of_up_to_20000_requests_are_identical_in_every_counter) {
    std::size_t rows = 0;
    for (auto const& row : read_reference_rows(table())) {
        if (!selected(row, "n_requests<=20000")) continue;
        ++rows;
        auto const check = check_row(row, sim::dram::FastForward::off);
        EXPECT_TRUE(check.differences.empty()) << told(check);
    }
    EXPECT_GE(rows, 300U);
}

TEST(ReferenceRows, are_generated_from_their_formula_to_the_hash) {
    std::map<std::string, bool> seen;
    for (auto const& row : read_reference_rows(table())) {
        if (!selected(row, "n_requests<=140000") || seen[row.cell("stream") + row.cell("txn_bytes")]) continue;
        seen[row.cell("stream") + row.cell("txn_bytes")] = true;
        EXPECT_EQ(std::to_string(reference_case(row).stream.hash()), row.cell("stream_fnv1a64")) << row.case_id();
    }
    EXPECT_GE(seen.size(), 40U);
}

TEST(ReferenceRows, differ_when_a_counter_of_the_row_is_changed) {
    auto row = read_reference_rows(table()).front();
    row.cells["total_cycles"] = "280208";
    row.cells["row_misses"] = "5701";
    auto const check = check_row(row, sim::dram::FastForward::off);
    ASSERT_EQ(check.differences.size(), 2U);
    EXPECT_FALSE(check.cycles_identical);
    EXPECT_FALSE(check.counts_identical);
    EXPECT_NEAR(check.relative_error, 1.0 / 280208, 1e-12);
}

TEST(ReferenceRows, are_chosen_by_conditions) {
    auto const row = read_reference_rows(table()).front();  // r21.L5B.RoBaRaCoCh.seq_16777216
    EXPECT_TRUE(selected(row, ""));
    EXPECT_TRUE(selected(row, "L5B and stream~seq and n_requests>=524288 and refresh=AllBank"));
    EXPECT_FALSE(selected(row, "L5B and standard!=LPDDR5"));
    EXPECT_FALSE(selected(row, "L5J"));
    EXPECT_THROW((void)selected(row, "refersh=AllBank"), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models
