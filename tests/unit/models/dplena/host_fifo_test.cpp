// The FIFO to the host: its closed form against a walk word by word, and what it adds to a request.

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/host.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace host_fifo_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Settings;
using support::value;

TEST(DplenaFifo, takes_what_a_walk_word_by_word_takes) {
    support::Rng rng(31);
    int slow = 0;
    for (int i = 0; i < 2000; ++i) {
        auto d = support::design({});
        d.host_fifo = 1 + rng.below(rng.below(2) == 0 ? 64 : 4096);
        d.host_fifo_depth = 1 + rng.below(rng.below(2) == 0 ? 4 : 300);
        d.batch = 1 + rng.below(8);
        d.block_length = 1 + rng.below(64);
        d.frequency = rng.below(2) == 0 ? 0.0 : 1e6 * static_cast<double>(100 + rng.below(900));
        auto machine = support::machine();
        machine.sampling_host.link = machine.sampling_host.link * (0.003 + rng.unit());
        auto const closed = host_fifo(d, machine), walked = host_fifo_timeline(d, machine);
        EXPECT_EQ(closed.entering, walked.entering) << i;
        EXPECT_EQ(closed.leaving, walked.leaving) << i;
        double const tokens = fifo_tokens(d, machine).si, clock = unit_clock(d, machine).si;
        double const words = std::ceil(tokens * 8.0 / static_cast<double>(d.host_fifo));
        auto const& link = machine.sampling_host;
        EXPECT_GE(closed.entering, words);
        EXPECT_GE((closed.entering + closed.leaving) / clock * (1.0 + 1e-12),
                  tokens / link.link.si + link.link_latency.si);
        auto deeper = d;
        deeper.host_fifo_depth *= 2;
        auto const with_room = host_fifo(deeper, machine);
        EXPECT_LE(with_room.entering, closed.entering);
        EXPECT_LE(with_room.entering + with_room.leaving, closed.entering + closed.leaving);
        slow += closed.entering > words ? 1 : 0;
    }
    EXPECT_GT(slow, 100);
}

/// 512 tokens of 32 bits in as many cycles, a word on the link (26 GB/s), and its 5 us.
TEST(DplenaFifo, follows_the_sampling_of_table_iii) {
    EXPECT_EQ(value({}, "cycles_total", Fidelity::cycle), 991038.0);
    EXPECT_EQ(value({{"host_fifo", "32"}}, "cycles_total", Fidelity::cycle), 991038.0 + 512.0 + 5001.0);
    EXPECT_EQ(value({{"host_fifo", "64"}}, "cycles_total", Fidelity::cycle), 991038.0 + 256.0 + 5001.0);
}

/// Behind each block until the last word is in, and once until the host has the last one. All tokens come to the host
/// as much later as the first ones do.
TEST(DplenaFifo, leaves_behind_every_block_of_a_generation) {
    for (auto const* steps : {"1", "4"}) {
        Settings const without{{"scope", "end_to_end"}, {"steps", steps}, {"generation_length", "128"}};
        auto const with = support::with(without, "host_fifo", "8");
        auto const added = [&](char const* name) { return value(with, name) - value(without, name); };
        auto const fifo = host_fifo(support::design(with), support::machine());
        double const entering = fifo.entering * 1e-9, leaving = fifo.leaving * 1e-9;
        bool const first_ends = std::string(steps) == "1";
        EXPECT_NEAR(added("latency"), 4.0 * entering + leaving, 1e-10);
        EXPECT_NEAR(added("ttft"), first_ends ? entering + leaving : 0.0, 1e-10);
        EXPECT_NEAR(added("itl") * 127.0, first_ends ? 3.0 * entering : 4.0 * entering + leaving, 1e-10);
    }
    Settings const one{{"scope", "end_to_end"}, {"generation_length", "32"}};
    auto const with = support::with(one, "host_fifo", "8");
    auto const fifo = host_fifo(support::design(with), support::machine());
    EXPECT_NEAR(value(with, "ttft") - value(one, "ttft"), (fifo.entering + fifo.leaving) * 1e-9, 1e-10);
}

TEST(DplenaFifo, takes_area_energy_and_power) {
    auto const of = [](char const* width, char const* depth, char const* name) {
        return value({{"host_fifo", width}, {"host_fifo_depth", depth}}, name);
    };
    EXPECT_NEAR(of("64", "16", "area") - of("32", "16", "area"), 32.0 * 16.0 * 0.5e-12, 1e-15);
    EXPECT_NEAR(of("32", "64", "area") - of("32", "16", "area"), 32.0 * 48.0 * 0.5e-12, 1e-15);
    EXPECT_GT(of("64", "16", "idle_power"), of("32", "16", "idle_power"));
    EXPECT_EQ(of("0", "16", "area"), of("0", "64", "area"));
    // bits of 512 tokens, with a read of the SRAM, two of the FIFO, and the link; rows of 2048 elements for each word
    auto const separate = support::design({{"host_fifo", "32"}});
    EXPECT_NEAR(fifo_energy(separate, support::machine()).si, 512.0 * 32.0 * (0.1 + 2.0 * 0.01) * 1e-12, 1e-15);
    auto const unified = support::design({{"host_fifo", "32"}, {"memories", "unified"}});
    EXPECT_NEAR(fifo_energy(unified, support::machine()).si, 512.0 * (32768.0 * 0.1 + 32.0 * 0.02) * 1e-12, 1e-12);
}

TEST(DplenaFifo, is_refused_where_the_host_samples) {
    EXPECT_EQ(support::broken_rule({{"sampler", "host"}, {"host_fifo", "32"}}), "host_fifo");
    EXPECT_EQ(support::broken_rule({{"sampler", "host"}}), "");
}

}  // namespace
}  // namespace host_fifo_test
