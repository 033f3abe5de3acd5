#include "dse/run/chunk_result.hpp"

#include "sim/base/random.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::run::chunk_result_test {
namespace {

space::Space front_space() {
    auto space = testing::small_space();
    space.set_search({.keep = space::Keep::front});
    return space;
}

/// A result whose two objectives are small numbers, so that many points dominate or equal each other.
space::Result made_up(space::Space const& space, std::uint64_t id) {
    space::Task const task{space::PointId{id}, models::Fidelity::analytic};
    std::uint64_t const bits = sim::mixed_bits(id);
    if (bits % 11 == 0) return {task, models::Infeasible{bits % 2 == 0 ? "fits" : "exists", "made up"}, 0.0, 0};
    if (bits % 97 == 0) return {task, models::Defect{"made up"}, 0.0, 0};
    models::Metrics metrics(space.metrics().size(), models::Estimate::exact(1.0));
    for (auto const& objective : space.objectives())
        metrics[objective.metric] =
            models::Estimate::exact(static_cast<double>(sim::mixed_bits(id + 1000 * objective.metric) % 50));
    return {task, metrics, 0.0, 0};
}

std::vector<space::Result> made_up(space::Space const& space, std::uint64_t first, std::uint64_t count) {
    std::vector<space::Result> results;
    for (std::uint64_t i = 0; i < count; ++i) results.push_back(made_up(space, first + i));
    return results;
}

std::vector<std::uint64_t> ids_of(std::vector<space::Result> const& results) {
    std::vector<std::uint64_t> ids;
    for (auto const& result : results) ids.push_back(index_of(result.task.point));
    return ids;
}

/// Who survives, the slow way: failures, and what nobody dominates or equals with a smaller id.
std::vector<std::uint64_t> kept_the_slow_way(space::Space const& space, std::vector<space::Result> const& results) {
    auto const values = [&](space::Result const& result) {
        std::vector<double> list;
        for (auto const& objective : space.objectives())
            list.push_back(std::get<models::Metrics>(result.outcome)[objective.metric].value);
        return list;
    };
    std::vector<std::uint64_t> ids;
    for (auto const& a : results) {
        if (std::holds_alternative<models::Infeasible>(a.outcome)) continue;
        bool beaten = false;
        for (auto const& b : results) {
            if (!std::holds_alternative<models::Metrics>(a.outcome) ||
                !std::holds_alternative<models::Metrics>(b.outcome))
                continue;
            auto const mine = values(a), theirs = values(b);
            bool better = false, worse = false;
            for (std::size_t i = 0; i < mine.size(); ++i) {
                better |= theirs[i] < mine[i];
                worse |= theirs[i] > mine[i];
            }
            beaten |= !worse && (better || b.task.point < a.task.point);
        }
        if (!beaten) ids.push_back(index_of(a.task.point));
    }
    return ids;
}

TEST(ChunkResult, of_a_whole_keep_failures_and_what_nobody_dominates_and_count_the_rest) {
    auto const space = front_space();
    auto const results = made_up(space, 0, 700);
    auto const result = filter_dominated(space, results);
    EXPECT_EQ(ids_of(result.kept), kept_the_slow_way(space, results));
    std::uint64_t counted = result.kept.size();
    for (auto const& count : result.left_out) counted += count.points;
    EXPECT_EQ(result.points, 700U);
    EXPECT_EQ(counted, 700U);
}

TEST(ChunkResult, keep_everything_where_everything_is_kept) {
    auto const space = testing::small_space();
    EXPECT_EQ(filter_dominated(space, made_up(space, 0, 300)).kept.size(), 300U);
}

TEST(ChunkResult, of_a_block_do_not_depend_on_how_it_was_cut) {
    auto const space = front_space();
    constexpr std::uint64_t points = 3000;
    auto const whole = filter_dominated(space, made_up(space, 0, points));
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        std::map<std::uint64_t, space::BlockPart> parts;
        std::uint64_t at = 0;
        for (std::uint64_t cut = 0; at < points; ++cut) {
            std::uint64_t const count =
                std::min(points - at, 1 + sim::mixed_bits(seed * 1000 + cut) % (seed < 5 ? 7 : 900));
            auto part = filter_dominated(space, made_up(space, at, count));
            EXPECT_EQ(part.first.point, space::PointId{at});
            parts.emplace(at, space::BlockPart{at, part.points, part.first.fidelity, std::move(part.kept),
                                               std::move(part.left_out)});
            at += count;
        }
        auto const block = joined(space, 0, models::Fidelity::analytic, parts);
        EXPECT_EQ(ids_of(block.kept), ids_of(whole.kept));
        EXPECT_EQ(block.left_out, whole.left_out);
        EXPECT_EQ(block.points(), points);
    }
}

}  // namespace
}  // namespace pimdse::dse::run::chunk_result_test
