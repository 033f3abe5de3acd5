#include "sim/dram/channel_partition.hpp"
#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::sim::dram::test::channel_partition_test {
namespace {

/// A memory with one front end per channel, and a stream of runs.
struct RunsCase {
    Standard standard;
    Mapping mapping;
    Stream stream;
    Options options;
    std::string what;
};

Stream drawn_runs(std::uint64_t capacity, int burst, std::mt19937& random) {
    auto const bytes = static_cast<std::uint64_t>(burst);
    std::uint64_t const capacity_bursts = capacity / bytes, length = 3000 + random() % 9000;
    std::uint64_t const used = capacity_bursts / 2 + random() % (capacity_bursts / 2);
    auto const kind = random() % 4;
    if (kind < 2)
        return Stream::sequential(kind == 0 ? Access::write : Access::read, 0, std::min(used, length) * bytes, burst);
    std::uint64_t const engines = kind == 2 ? 1 + random() % 6 : std::uint64_t{1} << random() % 4;
    std::uint64_t const each = (kind == 2 ? used : capacity_bursts / 2) / engines;
    return Stream::nest({{engines, static_cast<std::int64_t>(each * bytes), 0}, {each, burst, 0}}, Stream::Kinds::reads,
                        std::min(engines * each, length), 0, 0, burst);
}

RunsCase drawn_case(unsigned seed) {
    auto const names = std::array{"D4_2400", "HBM2_2000", "L5J", "L5A"};
    auto drawn = random_case(names[seed % names.size()], seed, seed % 3 == 0 ? Timings::drawn : Timings::as_given, 1);
    std::mt19937 random(seed + 77);
    auto& o = drawn.standard.organisation;
    o.channels = 1 << (1 + random() % 3);
    o.rows = 64;
    drawn.mapping = random_mapping(o, random);
    auto stream = drawn_runs(std::uint64_t{1} << drawn.mapping.address_bits(), o.burst_bytes, random);
    drawn.options.front_end = FrontEndMode::independent;
    drawn.options.observe = Observe::everything;
    return {std::move(drawn.standard), std::move(drawn.mapping), std::move(stream), drawn.options, drawn.what};
}

/// The first requests as a list without structure, for comparison.
Stream listed(Stream const& stream, std::uint64_t length) {
    std::vector<Transaction> first(length);
    stream.fill(0, first);
    return Stream::list(first, stream.transaction_bytes());
}

TEST(ChannelPartition, lists_the_requests_of_a_channel_in_order_from_any_number_on) {
    std::mt19937 random(3);
    for (unsigned seed = 0; seed < 120; ++seed) {
        auto const c = drawn_case(seed);
        std::array<NumberedRequest, ChannelPartition::max_requests> found;
        for (std::size_t channel = 0; channel < static_cast<std::size_t>(c.standard.organisation.channels); ++channel) {
            ChannelPartition const partition(c.mapping, c.stream, channel, 1);
            for (std::uint64_t from = random() % 300; from < c.stream.size();) {
                auto const chunk = partition.fill(from, std::span(found).first(1 + random() % found.size()));
                ASSERT_GT(chunk.end, from);
                auto next = chunk.requests.begin();
                for (; from < chunk.end; ++from) {
                    auto const transaction = c.stream.at(from);
                    auto const place = c.mapping.place(transaction.address);
                    if (place.channel != channel) continue;
                    ASSERT_NE(next, chunk.requests.end()) << c.what;
                    ASSERT_EQ(next->number, from);
                    ASSERT_EQ(next->transaction, transaction);
                    ASSERT_EQ(next++->place, place);
                }
                ASSERT_EQ(next, chunk.requests.end());
            }
        }
    }
}

TEST(EquivalentChannels, have_the_counters_that_each_has_on_its_own) {
    std::size_t equivalent = 0;
    for (unsigned seed = 0; seed < tests::draws(200U); ++seed) {
        auto const c = drawn_case(seed);
        auto const of = EquivalentChannels(c.standard, c.mapping, c.stream, c.options).representatives(c.stream.size());
        equivalent += of.size() - std::set(of.begin(), of.end()).size();
        auto const fast = simulate(c.standard, c.mapping, c.stream, c.options);
        auto slow = simulate(c.standard, c.mapping, listed(c.stream, c.stream.size()), c.options);
        slow.simulated = fast.simulated;
        ASSERT_EQ(fast, slow) << c.what;
    }
    EXPECT_GT(equivalent, tests::draws(100U, 1));
}

TEST(EquivalentChannels, end_prefixes_as_if_each_were_simulated_alone) {
    std::mt19937 random(11);
    for (unsigned seed = 0; seed < tests::draws(100U); ++seed) {
        auto c = drawn_case(seed);
        c.options.window = 0;
        std::set<std::uint64_t> drawn{c.stream.size()};
        for (int i = 0; i < 6; ++i) drawn.insert(1 + random() % c.stream.size());
        std::vector<std::uint64_t> const lengths(drawn.begin(), drawn.end());
        auto const ends = simulate_prefixes(c.standard, c.mapping, c.stream, c.options, lengths);
        ASSERT_EQ(ends.size(), lengths.size());
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            auto const alone = simulate(c.standard, c.mapping, listed(c.stream, lengths[i]), c.options);
            ASSERT_EQ(ends[i].cycles, alone.cycles) << c.what << " cut at " << lengths[i];
            ASSERT_EQ(ends[i].row_activations, alone.row_activations) << c.what << " cut at " << lengths[i];
        }
    }
}

TEST(EquivalentChannels, are_all_channels_of_an_interleaving_mapping_whatever_is_hashed_into_banks) {
    auto const standard = models::load_dram_standard("L5J");
    Options options;
    options.front_end = FrontEndMode::independent;
    std::vector<std::size_t> const all(4, 0);
    for (auto const* text : {"umdam", "conventional", "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2"}) {
        auto const mapping = parse_mapping(text, standard.organisation);
        for (std::uint64_t const engines : {1, 4}) {
            auto const stream = make_stream(EngineStreams{engines, 1 << 20}, standard.organisation.burst_bytes);
            EXPECT_EQ(EquivalentChannels(standard, mapping, stream, options).representatives(stream.size()), all)
                << text;
        }
    }
    // Half a block of bursts: some channels receive none.
    auto const mapping = parse_mapping("umdam", standard.organisation);
    auto const stream = make_stream(SequentialStream{Access::read, (1 << 20) + 512}, standard.organisation.burst_bytes);
    EXPECT_EQ(EquivalentChannels(standard, mapping, stream, options).representatives(stream.size()),
              (std::vector<std::size_t>{0, 0, 2, 2}));
}

TEST(EquivalentChannels, exclude_channels_with_other_rank_numbers_if_refresh_depends_on_them) {
    auto standard = models::load_dram_standard("L5J");
    standard.organisation.ranks = 2;
    auto const mapping = parse_mapping("of5 co3 ch2 bg2 ba2 ra1 co3 ro15 x.ra.ch.0.1", standard.organisation);
    auto const stream = make_stream(SequentialStream{Access::read, 1 << 20}, standard.organisation.burst_bytes);
    Options options;
    options.front_end = FrontEndMode::independent;
    EXPECT_EQ(EquivalentChannels(standard, mapping, stream, options).representatives(stream.size()),
              (std::vector<std::size_t>{0, 1, 0, 1}));
    options.refresh = RefreshMode::none;
    EXPECT_EQ(EquivalentChannels(standard, mapping, stream, options).representatives(stream.size()),
              (std::vector<std::size_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace pimdse::sim::dram::test::channel_partition_test
