#include "models/dram/dram_check.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <random>

namespace pimdse::models::dram_check_test {
namespace {

using ::testing::HasSubstr;

using Cells = std::map<std::string, std::string, std::less<>>;

ReferenceRow row_of(Cells const& more) {
    Cells cells{{"case_id", "r21k8.L5J.conventional.seq"},
                {"mapping_lsb_to_msb", "of5 ch2 bg2 ba2 co6 ro15"},
                {"stream", "seq:65536"},
                {"txn_bytes", "32"},
                {"total_cycles", "1"}};
    for (auto const& [name, cell] : more) cells[name] = cell;
    return {cells, 7};
}

template <class Call>
std::string said_by(Call call) {
    return refusal_by(call, "nothing");
}

TEST(Selection, takes_the_first_operation_of_a_condition_for_its_own) {
    auto const row = row_of({{"frontend", "32 tries/cycle;window=16"}, {"note", "a<=b~c"}});
    EXPECT_TRUE(selected(row, "frontend~window=16"));
    EXPECT_FALSE(selected(row, "frontend~window=17"));
    EXPECT_TRUE(selected(row, "note=a<=b~c"));
    EXPECT_TRUE(selected(row, "note~<=b"));
    EXPECT_FALSE(selected(row, "note!=a<=b~c"));
    EXPECT_TRUE(selected(row, "stream!=seq:1 and note~b~"));
}

TEST(Selection, of_joined_conditions_is_that_of_each) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        auto const a = static_cast<int>(random() % 6), b = static_cast<int>(random() % 6);
        auto const row = row_of({{"a", std::to_string(a)}, {"b", std::to_string(b)}});
        std::string expression;
        bool wanted = true;
        for (auto conditions = random() % 4; conditions > 0; --conditions) {
            bool const of_a = random() % 2 == 0;
            int const own = of_a ? a : b, value = static_cast<int>(random() % 6);
            std::array const operations{std::pair{"=", own == value}, std::pair{"!=", own != value},
                                        std::pair{"<=", own <= value}, std::pair{">=", own >= value},
                                        std::pair{"~", own == value}};
            auto const& [operation, holds] = operations[random() % operations.size()];
            expression +=
                (expression.empty() ? "" : " and ") + std::string(of_a ? "a" : "b") + operation + std::to_string(value);
            wanted = wanted && holds;
        }
        EXPECT_EQ(selected(row, expression), wanted) << expression << " of a = " << a << ", b = " << b;
    }
}

TEST(Selection, by_a_bare_word_is_by_the_case_and_by_an_unknown_column_is_refused) {
    EXPECT_TRUE(selected(row_of({}), "conventional"));
    EXPECT_FALSE(selected(row_of({}), "umdam"));
    EXPECT_TRUE(selected(row_of({}), ""));
    EXPECT_THAT(said_by([] { (void)selected(row_of({}), "strean=seq"); }), says("column-strean-table-did"));
    EXPECT_THAT(said_by([] { (void)selected(row_of({}), "stream<=3"); }), says("seq-number"));
}

TEST(ReferenceCase, reads_the_controller_from_columns_and_else_from_the_case) {
    using sim::dram::RefreshMode;
    using sim::dram::Scheduler;
    auto const options = [](std::string const& id, Cells cells = {}) {
        cells["case_id"] = id;
        return reference_case(row_of(cells)).options;
    };
    EXPECT_EQ(options("r21.L5J.m.s").refresh, RefreshMode::all_bank);
    EXPECT_EQ(options("r21.L5J_nr.m.s").refresh, RefreshMode::none);
    EXPECT_EQ(options("r21.L5J_pb.m.s").refresh, RefreshMode::per_bank);
    EXPECT_EQ(options("r21.L5J_nr.m.s", {{"refresh", "AllBank"}}).refresh, RefreshMode::all_bank);
    EXPECT_EQ(options("r21.L5J.m.s", {{"refresh", "NoRefresh"}}).refresh, RefreshMode::none);
    EXPECT_EQ(options("r21.L5J_rh.m.s").scheduler, Scheduler::frfcfs_row_hit);
    EXPECT_EQ(options("r21.L5J_rh.m.s", {{"scheduler", "FRFCFS"}}).scheduler, Scheduler::frfcfs);
    EXPECT_EQ(options("r21k32.L5J.m.s").tries, 32);
    EXPECT_EQ(options("r21.L5J.m.s").tries, 8);
    EXPECT_EQ(options("r21w16.L5J.m.s").window, 16);
    auto const both = options("r21k32.L5J.m.s", {{"frontend", "4 tries/cycle;window=24"}});
    EXPECT_EQ(both.tries, 4);
    EXPECT_EQ(both.window, 24);
}

TEST(ReferenceCase, says_what_it_does_not_understand) {
    auto const said = [](Cells const& cells) { return said_by([&] { (void)reference_case(row_of(cells)); }); };
    EXPECT_THAT(said({{"case_id", "r21"}}), says("line-case-id-r21"));
    EXPECT_THAT(said({{"case_id", "r21.L5K.m.s"}}), HasSubstr("unknown DRAM 'L5K'"));
    EXPECT_THAT(said({{"refresh", "Never"}}), says("refresh-never-allbank-perbankrefresh"));
    EXPECT_THAT(said({{"scheduler", "FCFS"}}), says("scheduler-fcfs-frfcfs-frfcfs"));
    EXPECT_THAT(said({{"txn_bytes", "32.5"}}), says("txn_bytes-whole-number-bytes"));
    EXPECT_THAT(said({{"txn_bytes", "many"}}), says("many-number"));
    EXPECT_THAT(said({{"stream", "sek:64"}}), says("unknown-kind-sek"));
    for (auto const* cycles : {"0", "-5", "nan", "inf", ""}) {
        auto const row = row_of({{"total_cycles", cycles}});
        EXPECT_NE(said_by([&] { (void)check_row(row, sim::dram::FastForward::exact); }), "nothing") << cycles;
    }
}

TEST(RowCheck, names_every_counter_that_came_out_differently) {
    auto const wanted = reference_case(row_of({}));
    auto const counted = simulate(wanted.standard, wanted.mapping, wanted.stream, wanted.options);
    Cells right{{"total_cycles", std::to_string(counted.cycles)},
                {"row_hits", std::to_string(counted.hits)},
                {"row_misses", std::to_string(counted.misses)},
                {"row_conflicts", std::to_string(counted.conflicts)},
                {"refresh_cmds_all_channels", std::to_string(counted.refreshes)},
                {"wck_cas_cmds", std::to_string(counted.clock_syncs)},
                {"n_requests", std::to_string(counted.requests)}};
    auto const same = check_row(row_of(right), sim::dram::FastForward::exact);
    EXPECT_TRUE(same.differences.empty() && same.cycles_identical && same.counts_identical);
    EXPECT_EQ(same.relative_error, 0.0);
    EXPECT_EQ(same.stream_kind, "seq");
    for (auto const& [column, cell] : right) {
        auto wrong = right;
        wrong[column] = std::to_string(std::stoll(cell) + 1);
        auto const check = check_row(row_of(wrong), sim::dram::FastForward::exact);
        ASSERT_EQ(check.differences.size(), 1U) << column;
        EXPECT_EQ(check.differences[0].column, column);
        EXPECT_EQ(check.differences[0].expected, wrong[column]);
        EXPECT_EQ(check.differences[0].got, cell);
        EXPECT_EQ(check.cycles_identical, column != "total_cycles");
        EXPECT_EQ(check.counts_identical, !column.starts_with("row_"));
    }
    right["total_cycles"] = std::to_string(2 * counted.cycles);
    EXPECT_EQ(check_row(row_of(right), sim::dram::FastForward::exact).relative_error, 0.5);
}

/// A table on disk that exists while it is read.
std::vector<ReferenceRow> read(std::string const& text) {
    auto const file = std::filesystem::temp_directory_path() / ("pimdse_rows_" + std::to_string(::getpid()) + ".csv");
    std::ofstream(file) << text;
    struct Removed {
        std::filesystem::path file;
        ~Removed() { std::filesystem::remove(file); }
    } const removed{file};
    return read_reference_rows(file);
}

TEST(ReferenceRows, are_read_whatever_the_order_of_columns_and_the_ends_of_lines) {
    auto const rows = read(
        "stream,total_cycles,note,case_id,txn_bytes,mapping_lsb_to_msb\r\n"
        "seq:64,5,\"a, b\",r21.A.b.c,32,umdam\r\n\r\n\nseq:96,6,,x.A.b.c,32,umdam\n");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].cell("note"), "a, b");
    EXPECT_EQ(rows[0].cell("mapping_lsb_to_msb"), "umdam");
    EXPECT_EQ(rows[0].line, 2);
    EXPECT_EQ(rows[1].line, 5);
    EXPECT_EQ(rows[1].cell("nothing"), "");
    EXPECT_TRUE(is_modelled(rows[0]));
    EXPECT_FALSE(is_modelled(rows[1]));
}

TEST(ReferenceRows, are_refused_with_the_line_where_they_are_short) {
    std::string const head = "case_id,stream,total_cycles,txn_bytes,mapping_lsb_to_msb\n";
    EXPECT_THAT(said_by([&] { (void)read(head + "a,b,c,d,e\na,b,c\n"); }), says("cells-where-head"));
    EXPECT_THAT(said_by([&] { (void)read(head + "a,b,c,d,e,f\n"); }), says("cells-where-head-2"));
    EXPECT_THAT(said_by([&] { (void)read("case_id,stream\n"); }), says("column-mapping_lsb_to_msb-missing"));
    EXPECT_THAT(said_by([&] { (void)read(""); }), says("cannot-read-empty"));
    EXPECT_TRUE(read(head).empty());
}

}  // namespace
}  // namespace pimdse::models::dram_check_test
