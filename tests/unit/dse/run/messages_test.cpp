#include "dse/run/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace pimdse::dse::run::messages_test {
namespace {

Chunk some_chunk(std::mt19937_64& random) {
    auto const fidelity = static_cast<models::Fidelity>(random() % models::fidelity_names.size());
    std::vector<space::PointId> points;
    for (auto many = random() % 4; many > 0; --many) points.push_back(space::PointId{random()});
    auto batch = points.empty() ? space::Batch::range(space::PointId{random() / 2}, random() % 1000, fidelity)
                                : space::Batch::list(std::move(points), fidelity);
    return {random(), random() % 2 == 0 ? batch.quarantined() : batch};
}

TEST(Messages, carry_a_range_in_a_few_bytes) {
    auto const bytes =
        write_chunk({7, space::Batch::range(space::PointId{1'000'000}, 5'000'000, models::Fidelity::hybrid)});
    EXPECT_LE(bytes.size(), 32U);
    auto const chunk = read_chunk(bytes);
    EXPECT_EQ(chunk.sequence, 7U);
    EXPECT_EQ(chunk.tasks.size(), 5'000'000U);
    EXPECT_EQ(chunk.tasks.task(4'999'999), (space::Task{space::PointId{5'999'999}, models::Fidelity::hybrid}));
}

TEST(Messages, carry_a_list_of_points) {
    auto const chunk = read_chunk(
        write_chunk({1, space::Batch::list({space::PointId{9}, space::PointId{3}}, models::Fidelity::analytic)}));
    EXPECT_EQ(chunk.tasks.task(0).point, space::PointId{9});
    EXPECT_EQ(chunk.tasks.task(1).point, space::PointId{3});
}

TEST(Messages, carry_results_of_every_kind) {
    constexpr auto analytic = models::Fidelity::analytic;
    FinishedChunk finished{5, {}, 0.25, false, 3};
    ChunkResult result{{space::PointId{1}, analytic}, 3, {}, {}};
    result.kept.push_back({{space::PointId{1}, analytic}, models::Metrics{models::Estimate::exact(2.0)}, 0.1, 0});
    result.kept.push_back({{space::PointId{2}, analytic}, models::Infeasible{"fits", "it does not"}, 0.1, 0});
    result.kept.push_back({{space::PointId{3}, analytic}, models::Defect{"ours"}, 0.1, 0});
    finished.results = {result, {{space::PointId{70}, models::Fidelity::cycle}, 9, {}, {{"fits", 4}, {"", 5}}}};
    auto const read = read_finished(write_finished(finished));
    EXPECT_EQ(read.sequence, 5U);
    EXPECT_DOUBLE_EQ(read.seconds, 0.25);
    EXPECT_FALSE(read.whole);
    EXPECT_EQ(read.evaluated, 3U);
    ASSERT_EQ(read.results.size(), 2U);
    auto const& kept = read.results[0].kept;
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_DOUBLE_EQ(std::get<models::Metrics>(kept[0].outcome)[0].value, 2.0);
    EXPECT_EQ(std::get<models::Infeasible>(kept[1].outcome).rule, "fits");
    EXPECT_EQ(std::get<models::Defect>(kept[2].outcome).what, "ours");
    EXPECT_EQ(read.results[1].first, (space::Task{space::PointId{70}, models::Fidelity::cycle}));
    EXPECT_EQ(read.results[1].points, 9U);
    EXPECT_EQ(read.results[1].left_out, finished.results[1].left_out);
}

TEST(Messages, of_any_points_are_read_as_they_were_written) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 500; ++round) {
        auto const sent = some_chunk(random), read = read_chunk(write_chunk(sent));
        EXPECT_EQ(read.sequence, sent.sequence);
        EXPECT_EQ(read.tasks.is_quarantined(), sent.tasks.is_quarantined());
        EXPECT_EQ(read.tasks.fidelity(), sent.tasks.fidelity());
        ASSERT_EQ(read.tasks.size(), sent.tasks.size());
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(sent.tasks.size(), 20); ++i)
            EXPECT_EQ(read.tasks.task(i), sent.tasks.task(i));
    }
}

TEST(Messages, that_are_cut_off_or_longer_than_they_say_are_none) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 200; ++round) {
        auto bytes = write_chunk(some_chunk(random));
        for (std::size_t length = 0; length < bytes.size(); ++length)
            EXPECT_THROW((void)read_chunk(std::span(bytes).first(length)), space::CodecError) << length;
        bytes.push_back(std::byte{0});
        EXPECT_THROW((void)read_chunk(bytes), space::CodecError);
    }
}

TEST(Messages, of_no_fidelity_or_more_points_than_there_are_numbers_are_none) {
    auto const bytes = write_chunk({1, space::Batch::list({space::PointId{9}}, models::Fidelity::cycle)});
    auto other = bytes;
    other[8] = static_cast<std::byte>(models::fidelity_names.size());
    EXPECT_THROW((void)read_chunk(other), space::CodecError);
    // 2^61 + 1 points of 8 bytes are 8 bytes, modulo 2^64.
    other = bytes;
    other[17] = std::byte{0x20};
    EXPECT_THROW((void)read_chunk(other), space::CodecError);
}

}  // namespace
}  // namespace pimdse::dse::run::messages_test
