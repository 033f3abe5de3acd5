#include "sim/dram/alike.hpp"
#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::sim::dram::test {
namespace {

/// A machine whose channels have front ends of their own, and a stream of runs.
struct RunsCase {
    Standard standard;
    Mapping mapping;
    Stream stream;
    Options options;
    std::string what;
};

Stream drawn_runs(std::uint64_t capacity, int burst, std::mt19937& random) {
    std::uint64_t const bytes = capacity / 2 + random() % (capacity / 2);
    auto const kind = random() % 4;
    auto stream = kind == 0   ? make_stream(SequentialStream{Access::write, bytes}, burst)
                  : kind == 1 ? make_stream(SequentialStream{Access::read, bytes}, burst)
                  : kind == 2 ? make_stream(EngineStreams{1 + random() % 6, bytes}, burst)
                              : make_stream(EngineStreams{std::uint64_t{1} << random() % 4, capacity / 2}, burst);
    std::uint64_t const first = random() % 2 * (random() % 100);
    return stream.slice(first, std::min<std::uint64_t>(stream.size() - first, 3000 + random() % 9000));
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
    drawn.options.front_end = FrontEnd::independent;
    drawn.options.observe = Observe::everything;
    return {std::move(drawn.standard), std::move(drawn.mapping), std::move(stream), drawn.options, drawn.what};
}

/// The same requests, in which nothing is recognised.
Stream listed(Stream const& stream) {
    std::vector<Transaction> all(stream.size());
    stream.fill(0, all);
    return Stream::list(all, stream.transaction_bytes());
}

TEST(Share, of_a_channel_are_its_requests_in_order_from_wherever_one_looks) {
    std::mt19937 random(3);
    for (unsigned seed = 0; seed < 120; ++seed) {
        auto const c = drawn_case(seed);
        std::array<Numbered, Share::most_requests> found;
        for (std::size_t channel = 0; channel < static_cast<std::size_t>(c.standard.organisation.channels); ++channel) {
            Share const share(c.mapping, c.stream, channel, 1);
            for (std::uint64_t from = random() % 300; from < c.stream.size();) {
                auto const part = share.fill(from, std::span(found).first(1 + random() % found.size()));
                ASSERT_GT(part.behind, from);
                auto next = part.requests.begin();
                for (; from < part.behind; ++from) {
                    auto const transaction = c.stream.at(from);
                    auto const place = c.mapping.place(transaction.address);
                    if (place.channel != channel) continue;
                    ASSERT_NE(next, part.requests.end()) << c.what;
                    ASSERT_EQ(next->number, from);
                    ASSERT_EQ(next->transaction, transaction);
                    ASSERT_EQ(next++->place, place);
                }
                ASSERT_EQ(next, part.requests.end());
            }
        }
    }
}

TEST(Alike, channels_count_what_each_would_count_on_its_own) {
    std::size_t spared = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        auto const c = drawn_case(seed);
        auto const of = Alike(c.standard, c.mapping, c.stream, c.options).same(c.stream.size());
        spared += of.size() - std::set(of.begin(), of.end()).size();
        auto const fast = simulate(c.standard, c.mapping, c.stream, c.options);
        auto slow = simulate(c.standard, c.mapping, listed(c.stream), c.options);
        slow.simulated = fast.simulated;
        ASSERT_EQ(fast, slow) << c.what;
    }
    EXPECT_GT(spared, 100U);
}

TEST(Alike, beginnings_end_as_they_would_end_alone) {
    std::mt19937 random(11);
    for (unsigned seed = 0; seed < 100; ++seed) {
        auto c = drawn_case(seed);
        c.options.window = 0;
        std::set<std::uint64_t> drawn{c.stream.size()};
        for (int i = 0; i < 6; ++i) drawn.insert(1 + random() % c.stream.size());
        std::vector<std::uint64_t> const lengths(drawn.begin(), drawn.end());
        auto const ends = simulate_prefixes(c.standard, c.mapping, c.stream, c.options, lengths);
        ASSERT_EQ(ends.size(), lengths.size());
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            auto const alone = simulate(c.standard, c.mapping, listed(c.stream.slice(0, lengths[i])), c.options);
            ASSERT_EQ(ends[i].cycles, alone.cycles) << c.what << " cut at " << lengths[i];
            ASSERT_EQ(ends[i].activates, alone.activates) << c.what << " cut at " << lengths[i];
        }
    }
}

TEST(Alike, is_every_channel_of_a_mapping_that_interleaves_them_whatever_is_hashed_into_banks) {
    auto const standard = models::load_dram_standard("L5J");
    Options options;
    options.front_end = FrontEnd::independent;
    std::vector<std::size_t> const all(4, 0);
    for (auto const* text : {"umdam", "conventional", "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2"}) {
        auto const mapping = parse_mapping(text, standard.organisation);
        for (std::uint64_t const engines : {1, 4}) {
            auto const stream = make_stream(EngineStreams{engines, 1 << 20}, standard.organisation.burst_bytes);
            EXPECT_EQ(Alike(standard, mapping, stream, options).same(stream.size()), all) << text;
        }
    }
    // Half a block of bursts: some channels get none.
    auto const mapping = parse_mapping("umdam", standard.organisation);
    auto const stream = make_stream(SequentialStream{Access::read, (1 << 20) + 512}, standard.organisation.burst_bytes);
    EXPECT_EQ(Alike(standard, mapping, stream, options).same(stream.size()), (std::vector<std::size_t>{0, 0, 2, 2}));
}

TEST(Alike, is_no_channel_that_names_its_ranks_otherwise_where_refresh_sees_them) {
    auto standard = models::load_dram_standard("L5J");
    standard.organisation.ranks = 2;
    auto const mapping = parse_mapping("of5 co3 ch2 bg2 ba2 ra1 co3 ro15 x.ra.ch.0.1", standard.organisation);
    auto const stream = make_stream(SequentialStream{Access::read, 1 << 20}, standard.organisation.burst_bytes);
    Options options;
    options.front_end = FrontEnd::independent;
    EXPECT_EQ(Alike(standard, mapping, stream, options).same(stream.size()), (std::vector<std::size_t>{0, 1, 0, 1}));
    options.refresh = RefreshMode::none;
    EXPECT_EQ(Alike(standard, mapping, stream, options).same(stream.size()), (std::vector<std::size_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace pimdse::sim::dram::test
