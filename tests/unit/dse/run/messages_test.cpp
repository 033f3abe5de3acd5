#include "dse/run/messages.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::run::messages_test {
namespace {

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

TEST(Messages, refuse_bytes_that_are_cut_off) {
    auto bytes =
        write_chunk({1, space::Batch::list({space::PointId{9}, space::PointId{3}}, models::Fidelity::analytic)});
    bytes.resize(bytes.size() - 1);
    EXPECT_THROW((void)read_chunk(bytes), space::CodecError);
    EXPECT_THROW((void)read_chunk({}), space::CodecError);
}

}  // namespace
}  // namespace pimdse::dse::run::messages_test
