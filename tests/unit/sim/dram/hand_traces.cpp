#include "models/dram/dram_standard.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"
#include "slow_channel.hpp"

#include <gtest/gtest.h>

/// Traces that were derived by hand and are equal in the reference simulator.
namespace pimdse::sim::dram::test {
namespace {

struct Trace {
    char const *standard, *mapping, *stream;
    Tick cycles;
    std::vector<std::pair<Tick, char const*>> commands;  ///< of channel 0
    double latency = 0.0;                                ///< 0: not given
};

std::vector<Trace> const traces{
    {"L5B", "of5 ch2 co6 bg2 ba2 ro15", "seq:32", 39, {{1, "ACT"}, {2, "ACT2"}, {16, "CAS"}, {17, "RD"}}, 39},
    {"L5B",
     "of5 ch2 co6 bg2 ba2 ro15",
     "stride:128:3",
     43,
     {{1, "ACT"}, {2, "ACT2"}, {16, "CAS"}, {17, "RD"}, {19, "RD"}, {21, "RD"}}},
    {"L5B",
     "of5 co6 ro15 ba2 bg2 ch2",
     "stride:2048:3",
     137,
     {{1, "ACT"},
      {2, "ACT2"},
      {16, "CAS"},
      {17, "RD"},
      {35, "PRE"},
      {50, "ACT"},
      {51, "ACT2"},
      {65, "CAS"},
      {66, "RD"},
      {84, "PRE"},
      {99, "ACT"},
      {100, "ACT2"},
      {114, "CAS"},
      {115, "RD"}}},
    {"L5J",
     "of5 ch2 bg2 ba2 co6 ro15",
     "stride:128:6",
     56,
     {{1, "ACT"},
      {2, "ACT2"},
      {5, "ACT"},
      {6, "ACT2"},
      {9, "ACT"},
      {10, "ACT2"},
      {13, "ACT"},
      {14, "ACT2"},
      {16, "CAS"},
      {17, "RD"},
      {18, "ACT"},
      {19, "ACT2"},
      {20, "RD"},
      {22, "ACT"},
      {23, "ACT2"},
      {24, "RD"},
      {28, "RD"},
      {33, "RD"},
      {37, "RD"}}},
    {"L5B",
     "of5 co6 ro15 ba2 bg2 ch2",
     "copy:96:32:0",
     39,
     {{1, "ACT"}, {2, "ACT2"}, {16, "CAS"}, {17, "RD"}, {30, "WR"}, {32, "WR"}, {34, "WR"}},
     41.0 / 3.0},
    {"L5A",
     "of5 co6 ro15 ba2 bg2 ch2",
     "copy:64:268435456:0",
     45,
     {{1, "ACT"}, {2, "ACT2"}, {16, "CAS"}, {17, "RD"}, {21, "RD"}, {22, "ACT"}, {23, "ACT2"}, {37, "WR"}, {41, "WR"}}},
    {"D4_2400",
     "of6 ra1 bg2 ba2 co7 ro16",
     "seq:256",
     51,
     {{1, "ACT"}, {2, "ACT"}, {5, "ACT"}, {6, "ACT"}, {17, "RD"}, {21, "RD"}, {27, "RD"}, {31, "RD"}}},
    {"D4_2400", "of6 co7 ra1 bg2 ba2 ro16", "copy:64:8192:0", 37, {{1, "ACT"}, {2, "ACT"}, {17, "RD"}, {23, "WR"}}},
    {"HBM2_2000",
     "of5 co5 ro15 ba2 bg2 pc1 ch3",
     "stride:1024:2",
     80,
     {{1, "ACT"}, {16, "RD"}, {36, "PRE"}, {49, "ACT"}, {64, "RD"}}},
    {"HBM2_2000",
     "of5 pc1 bg2 ba2 co5 ro15 ch3",
     "stride:32:4",
     38,
     {{1, "ACT"}, {3, "ACT"}, {5, "ACT"}, {7, "ACT"}, {16, "RD"}, {18, "RD"}, {20, "RD"}, {22, "RD"}}},
};

class HandTrace : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HandTrace, issues_every_command_at_its_tick) {
    auto const& trace = traces[GetParam()];
    auto const standard = models::load_dram_standard(trace.standard);
    auto const mapping = parse_mapping(trace.mapping, standard.organisation);
    auto const stream = parse_stream(trace.stream, standard.organisation.burst_bytes);
    std::vector<Transaction> transactions(stream.size());
    stream.fill(0, transactions);
    SlowSystem slow(standard, mapping, {});
    auto const slow_counters = slow.run(transactions);
    std::vector<std::pair<Tick, std::string>> commands, expected(trace.commands.begin(), trace.commands.end());
    for (auto const& issued : slow.log(0)) commands.emplace_back(issued.tick, issued.command);
    EXPECT_EQ(commands, expected);
    EXPECT_EQ(slow_counters.cycles, trace.cycles);
    auto const fast = simulate(standard, mapping, stream);
    EXPECT_EQ(fast.cycles, trace.cycles);
    if (trace.latency > 0.0) {
        EXPECT_NEAR(fast.average_read_latency().value(), trace.latency, 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(Section29, HandTrace, ::testing::Range(std::size_t{0}, std::size_t{10}));

}  // namespace
}  // namespace pimdse::sim::dram::test
