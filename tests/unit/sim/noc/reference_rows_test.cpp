#include "sim/noc/reference_rows.hpp"
#include "sim/base/check.hpp"
#include "tests/support/campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <map>
#include <sstream>

namespace pimdse::sim::noc::test::reference_rows_test {
namespace {

std::string const header =
    "config,topology,k,n,routing,flow,num_vcs,vc_buf_flits,speculative,routing_delay,vc_alloc_delay,sw_alloc_delay,st_"
    "final_delay,credit_"
    "delay,"
    "link_delay,traffic,packet_flits,offered_flits_node_cycle,status,pkt_latency,accepted,avg_routers_per_path\n";

std::vector<ReferenceRow> read(std::string const& rows) {
    std::istringstream csv(header + rows);
    return read_reference_rows(csv, "rows.csv");
}

/// The row in the middle of those of one group that are alike stable or not.
std::vector<ReferenceRow> middle_of_each_kind(std::vector<ReferenceRow> const& all) {
    std::map<std::pair<std::string, bool>, std::vector<ReferenceRow>> kinds;
    for (auto const& row : all) kinds[{row.group, row.stable}].push_back(row);
    std::vector<ReferenceRow> rows;
    for (auto const& [kind, alike] : kinds) rows.push_back(alike[alike.size() / 2]);
    return rows;
}

TEST(ReferenceRows, of_configuration_A_are_all_within_their_bands) {
    std::ifstream csv(PIMDSE_TEST_DATA "/noc_latency.csv");
    ASSERT_TRUE(csv);
    auto const all = read_reference_rows(csv, "noc_latency.csv");
    EXPECT_EQ(all.size(), 67U);
    auto const rows = tests::in_campaign() ? all : middle_of_each_kind(all);
    auto const checks = check(rows, 40'000);
    int held = 0, skipped = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        skipped += rows[i].not_modelled.empty() ? 0 : 1;
        held += checks[i].band ? 1 : 0;
        EXPECT_TRUE(checks[i].within) << "line " << rows[i].line << " " << rows[i].group << ": latency "
                                      << checks[i].latency_error << ", throughput " << checks[i].throughput_error;
    }
    EXPECT_EQ(skipped, tests::in_campaign() ? 14 : 4);  // speculation and four virtual channels
    EXPECT_GE(held, tests::in_campaign() ? 44 : 8);
}

TEST(ReferenceRows, outside_their_band_are_seen) {
    auto const rows = read(
        "A,mesh,8,2,dor,wormhole,1,16,0,0,1,1,1,1,1,uniform,4,0.1,stable,33.0,0.1,6.25\n"
        "A,mesh,8,2,dor,wormhole,1,16,0,0,1,1,1,1,1,uniform,4,0.5,unstable,,0.35,\n");
    auto const checks = check(rows, 20'000);
    EXPECT_FALSE(checks[0].within);
    EXPECT_FALSE(checks[1].within);
}

TEST(ReferenceRows, say_why_they_are_not_modelled) {
    auto const rows = read(
        "V,mesh,8,2,dor,wormhole,2,16,0,0,1,1,1,1,1,uniform,1,0.1,stable,30,0.1,6.25\n"
        "T,torus,8,2,dor,wormhole,1,16,0,0,1,1,1,1,1,uniform,1,0.1,stable,30,0.1,6.25\n"
        "D,mesh,8,2,dor,wormhole,1,16,0,0,2,1,1,1,1,uniform,1,0.1,stable,30,0.1,6.25\n"
        "R,mesh,8,2,dor,wormhole,1,16,0,0,1,1,1,1,1,tornado,1,0.1,stable,30,0.1,6.25\n");
    EXPECT_EQ(rows[0].not_modelled, "more than one virtual channel");
    EXPECT_EQ(rows[1].not_modelled, "not a two-dimensional mesh");
    EXPECT_EQ(rows[2].not_modelled, "vc_alloc_delay is not 1");
    EXPECT_EQ(rows[3].not_modelled, "traffic 'tornado'");
    EXPECT_EQ(check(rows)[0].router_cycles, 0);
}

TEST(ReferenceRows, that_are_no_numbers_are_refused_with_their_line) {
    try {
        (void)read("A,mesh,8,2,dor,wormhole,1,16,0,0,1,1,1,1,1,uniform,1,lots,stable,30,0.1,6.25\n");
        FAIL();
    } catch (InputError const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("rows.csv:2"));
        EXPECT_THAT(error.what(), testing::HasSubstr("lots"));
    }
    std::istringstream nothing("a,b\n1,2\n");
    EXPECT_THROW((void)read_reference_rows(nothing, "x"), InputError);
}

}  // namespace
}  // namespace pimdse::sim::noc::test::reference_rows_test
