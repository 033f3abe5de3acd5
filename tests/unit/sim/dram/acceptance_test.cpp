#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"
#include "slow_channel.hpp"

#include <gtest/gtest.h>

/// Forwarding and coalescing, which do not occur in any reference row.
namespace pimdse::sim::dram::test::acceptance_test {
namespace {

struct Bench {
    Standard standard = models::load_dram_standard("L5B");
    Mapping mapping = parse_mapping("of5 co6 ro15 ba2 bg2 ch2", standard.organisation);

    [[nodiscard]] Counters run(std::vector<Transaction> const& transactions, Options const& options = {}) const {
        return simulate(standard, mapping, Stream::list(transactions, 32), options);
    }
};

constexpr Transaction read(std::uint64_t address) { return {address, Access::read}; }
constexpr Transaction write(std::uint64_t address) { return {address, Access::write}; }

TEST(Acceptance, serves_a_read_from_the_queued_write_of_its_address) {
    auto const c = Bench{}.run({write(64), read(64), read(96)});
    EXPECT_EQ(c.forwarded, 1U);
    EXPECT_EQ(c.reads, 2U);
    EXPECT_EQ(c.hits + c.misses + c.conflicts, 2U);  // the forwarded read is not classified
    EXPECT_EQ(c.read_commands, 1U);
}

TEST(Acceptance, merges_a_write_into_the_queued_write_of_its_address) {
    auto const c = Bench{}.run({write(64), write(64), write(64)});
    EXPECT_EQ(c.coalesced, 2U);
    EXPECT_EQ(c.writes, 3U);
    EXPECT_EQ(c.write_commands, 1U);
}

TEST(Acceptance, forwards_even_when_the_read_queue_is_full) {
    // 32 reads fill the queue in four cycles; the 33rd must wait, but a forwarded one need not.
    std::vector<Transaction> transactions{write(32ULL << 20)};
    for (std::uint64_t i = 0; i < 32; ++i) transactions.push_back(read((i + 1) * 131072));
    auto blocked = transactions;
    transactions.push_back(read(32ULL << 20));
    blocked.push_back(read(33ULL << 20));
    Options options;
    options.tries = 40;
    auto const with = Bench{}.run(transactions, options), without = Bench{}.run(blocked, options);
    EXPECT_EQ(with.forwarded, 1U);
    EXPECT_EQ(without.forwarded, 0U);
    EXPECT_EQ(with.latency_sum - 1, Bench{}.run({transactions.begin(), transactions.end() - 1}, options).latency_sum);
}

TEST(Acceptance, does_not_see_a_write_whose_activation_has_begun) {
    // After its ACT1 the write has left the queue: the read goes to the array.
    Options options;
    options.window = 1;
    options.tries = 1;
    auto const c = Bench{}.run({write(64), read(64)}, options);
    EXPECT_EQ(c.forwarded, 0U);
    EXPECT_EQ(c.read_commands, 1U);
}

TEST(FrontEnd, lets_a_full_channel_stop_all_others_only_when_in_order) {
    auto const standard = models::load_dram_standard("L5B");
    auto const mapping = parse_mapping("RoBaRaChCo", standard.organisation);
    // 2 KiB per channel in turn: one full queue at a time (19.4 GB/s).
    auto const stream = parse_stream("seq:4194304", 32);
    Options options;
    auto const in_order = simulate(standard, mapping, stream, options);
    options.front_end = FrontEndMode::independent;
    auto const apart = simulate(standard, mapping, stream, options);
    EXPECT_NEAR(bandwidth(in_order, standard).si, 19.4e9, 0.3e9);
    EXPECT_GT(bandwidth(apart, standard).si, 40e9);
}

TEST(FrontEnd, runs_independent_channels_as_if_each_were_alone) {
    auto standard = models::load_dram_standard("L5J");
    auto const mapping = parse_mapping("umdam", standard.organisation);
    auto const stream = parse_stream("copy:1048576:268435456:512", 32);
    Options options;
    options.front_end = FrontEndMode::independent;
    auto const together = simulate(standard, mapping, stream, options);
    Tick slowest = 0;
    std::uint64_t hits = 0, conflicts = 0;
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
        std::vector<Transaction> mine;
        for (std::uint64_t i = 0; i < stream.size(); ++i) {
            if (mapping.place(stream.at(i).address).channel == channel) mine.push_back(stream.at(i));
        }
        auto const alone = simulate(standard, mapping, Stream::list(mine, 32), Options{});
        slowest = std::max(slowest, alone.cycles);
        hits += alone.hits;
        conflicts += alone.conflicts;
    }
    EXPECT_EQ(together.cycles, slowest);
    EXPECT_EQ(together.hits, hits);
    EXPECT_EQ(together.conflicts, conflicts);
}

TEST(BankRefresh, of_hbm2_takes_the_banks_of_both_pseudo_channels_in_turn) {
    auto const standard = models::load_dram_standard("HBM2_2000");
    auto const mapping = parse_mapping("of5 co5 ro15 ba2 bg2 pc1 ch3", standard.organisation);
    Options options;
    options.refresh = RefreshMode::per_bank;
    // Row conflicts of one bank keep one channel busy for forty refresh deadlines; the other channels refresh
    // nevertheless.
    auto const stream = parse_stream("stride:1024:100", 32);
    auto const counters = simulate(standard, mapping, stream, options);
    ASSERT_GT(counters.cycles, 4000);
    EXPECT_EQ(counters.refreshes, static_cast<std::uint64_t>(8 * (counters.cycles / 122)));
    std::vector<Transaction> transactions(stream.size());
    stream.fill(0, transactions);
    SlowSystem slow(standard, mapping, options);
    EXPECT_EQ(slow.run(transactions).cycles, counters.cycles);
    // Channel 7 is idle, so each refresh is issued at its deadline: pseudo channel 0, bank 0 first, again after 32
    // refreshes.
    int expected = 0;
    for (auto const& issued : slow.log(7)) {
        EXPECT_EQ(issued, (Issued{Tick{122} * (expected + 1), "REFpb", expected % 32}));
        ++expected;
    }
    EXPECT_GT(expected, 32);
}

TEST(Simulate, refuses_what_does_not_fit_in_one_sentence) {
    Bench const bench;
    EXPECT_THROW((void)bench.run({}), InputError);
    EXPECT_THROW((void)bench.run({read(1ULL << 40)}), InputError);
    EXPECT_THROW((void)simulate(bench.standard, bench.mapping, parse_stream("seq:6400", 64)), InputError);
    Options options;
    options.queue_depth = 0;
    EXPECT_THROW((void)bench.run({read(0)}, options), InputError);
    auto const d4 = models::load_dram_standard("D4_2400");
    options = {};
    options.refresh = RefreshMode::per_bank;
    EXPECT_THROW((void)simulate(d4, parse_mapping("umdam", d4.organisation), parse_stream("seq:6400", 64), options),
                 InputError);
}

}  // namespace
}  // namespace pimdse::sim::dram::test::acceptance_test
