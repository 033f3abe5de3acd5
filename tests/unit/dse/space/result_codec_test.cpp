#include "dse/space/result.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>

namespace pimdse::dse::space::result_codec_test {
namespace {

TEST(ResultCodec, gives_back_every_bit) {
    auto const sent = store::sample::results(0, 2000);
    Bytes bytes;
    encode(sent, bytes);
    auto const got = decode(bytes);
    ASSERT_EQ(got.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i)
        ASSERT_TRUE(store::sample::identical(sent[i], got[i])) << "result " << i;
}

TEST(ResultCodec, keeps_the_sign_of_zero_and_the_payload_of_NaN) {
    double const odd_nan = std::bit_cast<double>(0xFFF8000000000123ULL);
    Result const sent{
        {PointId{~0ULL}, models::Fidelity::cycle},
        models::Metrics{{-0.0, 0.0, -0.0, models::Bound::proved}, {odd_nan, 1.0, INFINITY, models::Bound::none}},
        std::numeric_limits<double>::denorm_min(),
        -1};
    Bytes bytes;
    encode(sent, bytes);
    EXPECT_TRUE(store::sample::identical(decode(bytes).front(), sent));
}

TEST(ResultCodec, takes_eight_bytes_for_an_exact_estimate) {
    auto const size_of = [](models::Metrics metrics) {
        Bytes bytes;
        encode(Result{{}, std::move(metrics), 0.0, 0}, bytes);
        return bytes.size();
    };
    models::Metrics const exact(10, models::Estimate::exact(1.5));
    EXPECT_EQ(size_of(exact) - size_of({}), 80U);
    EXPECT_EQ(size_of({models::Estimate::within(1.0, 0.5, 2.0, models::Bound::proved)}) - size_of({}), 24U);
}

TEST(ResultCodec, lays_bytes_out_as_documented) {
    Bytes bytes;
    encode(Result{{PointId{0x0102030405060708}, models::Fidelity::hybrid}, models::Infeasible{"r", "why"}, 1.0, 3},
           bytes);
    std::vector<unsigned> const expected{8, 7, 6,    5,    4, 3, 2, 1, 1, 3,   0, 0, 0, 0, 0,   0,   0,
                                         0, 0, 0xF0, 0x3F, 1, 1, 0, 0, 0, 'r', 3, 0, 0, 0, 'w', 'h', 'y'};
    ASSERT_EQ(bytes.size(), expected.size());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << "byte " << i;
}

TEST(ResultCodec, notices_every_cut) {
    for (std::uint64_t id : {0ULL, 1ULL, 3ULL, 7ULL}) {
        Bytes bytes;
        encode(store::sample::result(id), bytes);
        for (std::size_t length = 1; length < bytes.size(); ++length) {
            EXPECT_THROW(static_cast<void>(decode(std::span(bytes).first(length))), CodecError)
                << "result " << id << " cut to " << length;
        }
    }
}

/// Estimates of every pair of kinds, with and without a range, each beside others of another form.
TEST(ResultCodec, gives_back_every_mixture_of_kinds_and_ranges) {
    std::mt19937_64 random(8);
    for (int round = 0; round < 300; ++round) {
        models::Metrics metrics;
        bool const alike = round % 3 == 0;
        std::uint64_t const first = random();
        for (std::uint64_t left = random() % 12; left > 0; --left) {
            std::uint64_t const dice = alike ? first : random();
            auto const kinds = sim::all_bound_kinds[dice % sim::all_bound_kinds.size()];
            double const value = std::bit_cast<double>(random());
            models::Estimate estimate{value, value, value, kinds};
            if (dice / 16 % 3 == 1) estimate.lower = std::bit_cast<double>(random());
            if (dice / 16 % 3 == 2) estimate.upper = std::bit_cast<double>(random());
            metrics.push_back(estimate);
        }
        Result const sent{{PointId{random()}, models::Fidelity::cycle}, std::move(metrics), 1.0, 2};
        Bytes bytes;
        encode(sent, bytes);
        ASSERT_TRUE(store::sample::identical(decode(bytes).front(), sent)) << "round " << round;
    }
}

/// What reads as a result is one: it is written and read again as the same.
TEST(ResultCodec, makes_of_damaged_bytes_an_error_or_results_that_stay_what_they_are) {
    std::mt19937_64 random(9);
    std::size_t read = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes;
        encode(store::sample::results(random() % 2000, 1 + random() % 3), bytes);
        for (std::uint64_t hits = 1 + random() % 4; hits > 0; --hits)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        try {
            auto const results = decode(bytes);
            Bytes again;
            encode(results, again);
            auto const back = decode(again);
            ASSERT_EQ(back.size(), results.size());
            for (std::size_t i = 0; i < results.size(); ++i) ASSERT_TRUE(store::sample::identical(results[i], back[i]));
            ++read;
        } catch (CodecError const&) {
            ++refused;
        }
    }
    EXPECT_GT(read, 1000U);
    EXPECT_GT(refused, 1000U);
}

TEST(ResultCodec, refuses_what_it_does_not_know) {
    Bytes bytes;
    encode(store::sample::result(0), bytes);
    auto const broken = [&](std::size_t at) {
        Bytes copy = bytes;
        copy[at] = std::byte{0x77};
        return copy;
    };
    EXPECT_THROW(static_cast<void>(decode(broken(8))), CodecError) << "fidelity";
    EXPECT_THROW(static_cast<void>(decode(broken(21))), CodecError) << "kind of outcome";
    EXPECT_THROW(static_cast<void>(decode(broken(24))), CodecError) << "tag of estimates";
}

TEST(ResultCodec, carries_a_block_with_its_counts) {
    BlockSummary const sent{
        12, models::Fidelity::hybrid, store::sample::results(12 * BlockSummary::ids, 9), {{"fits", 60000}, {"", 5527}}};
    Bytes bytes;
    encode(sent, bytes);
    auto const got = decode_block(bytes);
    EXPECT_EQ(got.block, 12U);
    EXPECT_EQ(got.fidelity, models::Fidelity::hybrid);
    EXPECT_EQ(got.left_out, sent.left_out);
    ASSERT_EQ(got.kept.size(), sent.kept.size());
    for (std::size_t i = 0; i < sent.kept.size(); ++i) EXPECT_TRUE(store::sample::identical(sent.kept[i], got.kept[i]));
    bytes.resize(15);
    EXPECT_THROW(static_cast<void>(decode_block(bytes)), CodecError);
}

TEST(ResultCodec, carries_a_part_of_a_block) {
    BlockPart const sent{
        70000, 100, models::Fidelity::cycle, store::sample::results(70000, 9), {{"fits", 50}, {"", 41}}};
    Bytes bytes;
    encode(sent, bytes);
    auto const got = decode_part(bytes);
    EXPECT_EQ(got.first, 70000U);
    EXPECT_EQ(got.points, 100U);
    EXPECT_EQ(got.fidelity, models::Fidelity::cycle);
    EXPECT_EQ(got.left_out, sent.left_out);
    ASSERT_EQ(got.kept.size(), sent.kept.size());
    for (std::size_t i = 0; i < sent.kept.size(); ++i) EXPECT_TRUE(store::sample::identical(sent.kept[i], got.kept[i]));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(static_cast<void>(decode_part(std::span(bytes).first(length))), CodecError) << "cut to " << length;
    }
}

TEST(ResultCodec, refuses_parts_whose_points_do_not_add_up) {
    auto const carried = [](BlockPart const& part) {
        Bytes bytes;
        encode(part, bytes);
        return decode_part(bytes);
    };
    auto const part = [](std::uint64_t points, std::vector<BlockSummary::Count> left_out) {
        return BlockPart{0, points, models::Fidelity::analytic, store::sample::results(0, 3), std::move(left_out)};
    };
    EXPECT_NO_THROW(carried(part(10, {{"fits", 7}})));
    EXPECT_THROW(carried(part(11, {{"fits", 7}})), CodecError);
    EXPECT_THROW(carried(part(2, {})), CodecError);
    EXPECT_THROW(carried(part(5, {{"fits", ~0ULL}, {"", 3}})), CodecError) << "a sum that wraps round to 5";
    EXPECT_THROW(carried(part(BlockSummary::ids + 1, {{"", BlockSummary::ids - 2}})), CodecError)
        << "more than a block";
    EXPECT_THROW(carried({1, 3, {}, store::sample::results(0, 3), {}}), CodecError) << "a result that is not in it";
    EXPECT_THROW(carried({~0ULL - 10, 100, {}, {}, {{"", 100}}}), CodecError) << "ids that wrap round";
}

TEST(ResultCodec, refuses_blocks_with_more_points_than_ids_or_results_from_elsewhere) {
    auto const carried = [](BlockSummary const& block) {
        Bytes bytes;
        encode(block, bytes);
        return decode_block(bytes);
    };
    EXPECT_NO_THROW(carried({1, {}, store::sample::results(BlockSummary::ids, 3), {{"", BlockSummary::ids - 3}}}));
    EXPECT_THROW(carried({1, {}, store::sample::results(BlockSummary::ids, 3), {{"", BlockSummary::ids - 2}}}),
                 CodecError);
    EXPECT_THROW(carried({1, {}, {}, {{"", ~0ULL}, {"fits", 2}}}), CodecError);
    EXPECT_THROW(carried({1, {}, store::sample::results(BlockSummary::ids - 1, 3), {}}), CodecError);
    EXPECT_THROW(carried({1ULL << 48, {}, {}, {}}), CodecError);
}

}  // namespace
}  // namespace pimdse::dse::space::result_codec_test
