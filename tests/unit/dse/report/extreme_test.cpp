#include "dse/report/standing.hpp"

#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <limits>
#include <optional>

namespace pimdse::dse::report::extreme_test {
namespace {

using models::Fidelity;

/// Points of the made-up space under one objective; energy, a common metric, is none.
struct Looked {
    space::Space space = dse::testing::made_up_space(
        {dse::testing::made_up_machine({.rows = dse::testing::up_to(50), .depth = {1, 4, 10}})}, 1);
    search::ResultStore store{space.metrics().size()};
    Looked() {
        for (std::uint64_t id = 0; id < space.size(); ++id)
            store.insert(space::evaluate(space, {space::PointId{id}, Fidelity::analytic}));
    }
};

TEST(Extremes, are_common_metrics_among_the_worst_or_far_behind_the_front) {
    Looked const looked;
    FrontView const front_view(looked.store, looked.space.objectives(), Fidelity::analytic);
    std::size_t found = 0, clean = 0;
    for (auto const row : looked.store.sorted()) {
        if (looked.store.status(row) != search::Status::ok) continue;
        auto const result = looked.store.result(row);
        auto const extremes = extremes_of(looked.space, looked.store, front_view, looked.store.task(row).point,
                                          std::get<models::Metrics>(result.outcome));
        std::size_t all = 0, as_bad = 0;
        double best = std::numeric_limits<double>::infinity();
        for (auto const other : looked.store.sorted()) {
            if (looked.store.status(other) != search::Status::ok) continue;
            ++all;
            as_bad += looked.store.value(other, 1) >= looked.store.value(row, 1) ? 1 : 0;
            auto const at = front_view.find(looked.store.task(other).point);
            if (std::ranges::find(front_view.front(), *at) != front_view.front().end())
                best = std::min(best, looked.store.value(other, 1));
        }
        double const share = static_cast<double>(as_bad) / static_cast<double>(all);
        bool const is_extreme = share <= worst_share || looked.store.value(row, 1) > far_behind_front * best;
        ASSERT_EQ(extremes.size(), is_extreme ? 1U : 0U) << "latency is an objective, speed is no common metric";
        (is_extreme ? found : clean) += 1;
        if (!is_extreme) continue;
        EXPECT_EQ(extremes[0].metric, 1U);
        EXPECT_DOUBLE_EQ(extremes[0].share_as_bad, share);
        EXPECT_DOUBLE_EQ(extremes[0].times_best, looked.store.value(row, 1) / best);
    }
    EXPECT_GT(found, 0U);
    EXPECT_GT(clean, 100U);
}

TEST(Extremes, count_a_point_that_the_store_does_not_have) {
    Looked const looked;
    search::ResultStore others(looked.space.metrics().size());
    std::optional<search::Row> worst;
    for (auto const row : looked.store.sorted()) {
        if (looked.store.status(row) != search::Status::ok) continue;
        if (!worst || looked.store.value(row, 1) > looked.store.value(*worst, 1)) worst = row;
    }
    for (auto const row : looked.store.sorted())
        if (row != *worst) others.insert(looked.store.result(row));
    FrontView const all(looked.store, looked.space.objectives(), Fidelity::analytic),
        without(others, looked.space.objectives(), Fidelity::analytic);
    auto const result = looked.store.result(*worst);
    auto const share_of = [&](search::ResultStore const& store, FrontView const& front_view) {
        auto const extremes =
            extremes_of(looked.space, store, front_view, result.task.point, std::get<models::Metrics>(result.outcome));
        return extremes.empty() ? 0.0 : extremes[0].share_as_bad;
    };
    EXPECT_DOUBLE_EQ(share_of(looked.store, all), 1.0 / static_cast<double>(all.size()));
    EXPECT_DOUBLE_EQ(share_of(others, without), 1.0 / static_cast<double>(all.size()));
}

TEST(Extremes, are_not_told_of_what_formulas_look_at) {
    auto space = dse::testing::made_up_space(
        {dse::testing::made_up_machine({.rows = dse::testing::up_to(50), .depth = {1, 4, 10}})});
    space.set_objectives(
        {{{3, models::Sense::minimize}}, {space::MetricFormula(space.plain_metrics(), "latency * energy")}});
    search::ResultStore store(space.metrics().size());
    for (std::uint64_t id = 0; id < space.size(); ++id)
        store.insert(space::evaluate(space, {space::PointId{id}, Fidelity::analytic}));
    FrontView const front_view(store, space.objectives(), Fidelity::analytic);
    for (auto const row : store.sorted()) {
        if (store.status(row) != search::Status::ok) continue;
        auto const result = store.result(row);
        EXPECT_TRUE(
            extremes_of(space, store, front_view, store.task(row).point, std::get<models::Metrics>(result.outcome))
                .empty());
    }
}

}  // namespace
}  // namespace pimdse::dse::report::extreme_test
