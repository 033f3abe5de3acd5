#include "dse/search/table_bounds.hpp"

#include "box_walks.hpp"
#include "dse/search/bounded_search_strategy.hpp"
#include "dse/search/certificate_check.hpp"
#include "dse/search/front.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/search_settings.hpp"
#include "tests/unit/dse/table_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::search::table_bounds_test {
namespace {

using dse::testing::machine_with_tables;
using dse::testing::up_to;
using models::Fidelity;
using testing::collect;
using testing::expect_bounds;
using testing::walk_down;

space::Space with_objectives(space::Machine machine, std::vector<std::string> const& names) {
    auto space = dse::testing::made_up_space({std::move(machine)});
    space.set_objectives(space::parse_objectives(space.plain_metrics(), names));
    return space;
}

/// The values that a metric has at points with all rows, found point by point.
std::optional<TableBounds::Ends> slow_ends(space::Machine const& machine, std::string const& metric,
                                           std::vector<std::vector<models::Value>> const& points) {
    auto const at = static_cast<std::size_t>(models::find_metric(machine.metrics(), metric));
    auto const value_in = [&](auto const& point, std::size_t mode) {
        return metric.starts_with("accuracy") ? dse::testing::made_up_accuracy(point[0].as_integer(), mode)
                                              : dse::testing::made_up_loss(point[1].as_integer());
    };
    std::optional<TableBounds::Ends> ends;
    for (auto const& point : points) {
        std::vector<std::size_t> modes{point[2].as_choice()};
        if (!machine.scenarios.empty()) modes.clear();
        for (auto const& scenario : machine.scenarios.list()) modes.push_back(scenario.asks.front().second.as_choice());
        double sum = 0.0, weights = 0.0, of_scenario = 0.0;
        bool missing = false;
        for (std::size_t s = 0; s < modes.size(); ++s) {
            auto const value = value_in(point, modes[s]);
            missing = missing || !value;
            double const weight = machine.scenarios.empty() ? 1.0 : machine.scenarios.list()[s].written.weight;
            sum += weight * value.value_or(0.0);
            weights += weight;
            if (metric.ends_with(fmt::format("@s{}", s))) of_scenario = value.value_or(0.0);
        }
        if (missing) continue;
        double const value = metric.find('@') == metric.npos ? sum / weights : of_scenario;
        ends = ends ? TableBounds::Ends{std::min(ends->min, value), std::max(ends->max, value)}
                    : TableBounds::Ends{value, value};
    }
    EXPECT_LT(at, machine.metrics().size());
    return ends;
}

TEST(TableBounds, are_the_extremes_of_the_rows_in_a_box) {
    std::mt19937_64 random(5);
    int boxes = 0, without_rows = 0;
    for (std::vector<std::size_t> const& asked : {std::vector<std::size_t>{}, {1}, {0, 2}, {2, 1, 1}}) {
        auto const space = with_objectives(
            machine_with_tables({.rows = {12, 3, 40, 7, 7 * 3, 1}, .depth = up_to(9), .modes = asked.empty() ? 3U : 1U},
                                {}, asked),
            {"accuracy", "loss"});
        auto const& machine = space.machines().front();
        SpaceGrids grids(space);
        TableBounds const tables(machine);
        std::vector<std::string> names{"accuracy", "loss"};
        for (std::size_t s = 0; s < asked.size(); ++s) {
            names.push_back(fmt::format("accuracy@s{}", s));
            names.push_back(fmt::format("loss@s{}", s));
        }
        EXPECT_EQ(tables.metrics().size(), names.size());
        for (int walk = 0; walk < 40; ++walk)
            walk_down(grids, grids.whole().front(), random, [&](Box const& box) {
                std::vector<space::PointId> ids;
                collect(grids, box, ids);
                std::vector<std::vector<models::Value>> points(ids.size());
                for (std::size_t i = 0; i < ids.size(); ++i) space.decode(ids[i], points[i]);
                bool lacks = false;
                for (auto const& name : names) {
                    auto const metric = static_cast<std::size_t>(models::find_metric(machine.metrics(), name));
                    ASSERT_TRUE(tables.gives(metric)) << name;
                    auto const found = tables.ends(metric, grids.axes().runs_of(box));
                    auto const slow = slow_ends(machine, name, points);
                    ASSERT_EQ(found.has_value(), slow.has_value()) << name;
                    lacks = lacks || !slow;
                    if (!slow) continue;
                    ASSERT_DOUBLE_EQ(found->min, slow->min) << name;
                    ASSERT_DOUBLE_EQ(found->max, slow->max) << name;
                }
                ASSERT_EQ(tables.lack_all_of(grids.axes().runs_of(box)), lacks);
                ++boxes;
                without_rows += lacks ? 1 : 0;
            });
    }
    EXPECT_GT(boxes, 500);
    EXPECT_GT(without_rows, 20);
}

TEST(TableBounds, are_bounds_of_every_point_of_every_box_and_of_formulas) {
    std::mt19937_64 random(6);
    int refused = 0, tight = 0;
    for (std::vector<std::size_t> const& asked : {std::vector<std::size_t>{}, {0, 2}}) {
        for (auto const& objectives : std::vector<std::vector<std::string>>{
                 {"accuracy", "latency"}, {"latency / accuracy", "loss"}, {"minimize latency - accuracy * 3 s"}}) {
            for (std::vector<std::string> const& conditions : {std::vector<std::string>{},
                                                               {"accuracy >= 2.0", "loss < 6.0"},
                                                               {"energy < 60 J or accuracy == 0.25"}}) {
                auto const space = with_objectives(
                    machine_with_tables({.rows = up_to(30), .depth = up_to(24), .modes = asked.empty() ? 3U : 1U},
                                        conditions, asked),
                    objectives);
                SpaceGrids grids(space);
                for (int walk = 0; walk < 12; ++walk)
                    walk_down(grids, grids.whole().front(), random, [&](Box const& box) {
                        expect_bounds(grids, space, box, refused);
                        auto const bound = grids.bound(box);
                        tight += bound && std::isfinite((*bound)[0]) ? 1 : 0;
                    });
            }
        }
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(tight, 500);
}

/// The front of a sweep at cycle level.
std::vector<space::PointId> swept(space::Space const& space) {
    ResultStore store(space.metrics().size());
    for (std::uint64_t id = 0; id < space.size(); ++id)
        store.insert(space::evaluate(space, {space::PointId{id}, Fidelity::cycle}));
    return front_of(store, space.objectives(), Fidelity::cycle).ids();
}

TEST(TableBounds, lead_bounded_searches_to_the_front_of_a_sweep) {
    std::uint64_t points = 0, runs = 0;
    for (std::vector<std::size_t> const& asked : {std::vector<std::size_t>{}, {0, 2}}) {
        for (auto const& objectives : std::vector<std::vector<std::string>>{
                 {"accuracy", "latency"}, {"loss", "accuracy", "energy"}, {"latency / accuracy"}, {"accuracy"}}) {
            for (std::vector<std::string> const& conditions :
                 {std::vector<std::string>{}, {"accuracy >= 1.0", "rows * depth < 300"}}) {
                auto space = with_objectives(machine_with_tables({.rows = up_to(25),
                                                                  .depth = {1, 2, 3, 4, 8, 16, 24},
                                                                  .modes = asked.empty() ? 3U : 1U,
                                                                  .clocks = {1e9, 2e9}},
                                                                 conditions, asked),
                                             objectives);
                auto const front = swept(space);
                EXPECT_FALSE(front.empty());
                space.set_search({.strategy = "ladder"});
                for (bool const boxes : {false, true}) {
                    SCOPED_TRACE(fmt::format("{}, {} scenarios, {} conditions, boxes {}", objectives.front(),
                                             asked.size(), conditions.size(), boxes));
                    ResultStore store(space.metrics().size());
                    auto const strategy = boxes ? make_box_search(space) : make_strategy(space);
                    while (true) {
                        auto const batch = strategy->ask(1 << 20);
                        if (batch.empty()) break;
                        for (std::uint64_t i = 0; i < batch.size(); ++i) {
                            auto const result = space::evaluate(space, batch.task(i));
                            store.insert(result);
                            strategy->tell(result);
                            runs += result.task.fidelity == Fidelity::cycle ? 1 : 0;
                        }
                    }
                    EXPECT_EQ(front_of(store, space.objectives(), Fidelity::cycle).ids(), front);
                    EXPECT_EQ(wrong_in_certificate(*strategy->certificate(), store, space), std::vector<std::string>{});
                    points += space.size();
                }
            }
        }
    }
    EXPECT_LT(runs, points / 4) << "most points are pruned";
}

TEST(TableBounds, tell_points_with_equal_designs_and_other_rows_apart) {
    // The key of a design leaves out its clock.
    auto machine = machine_with_tables({.rows = {1}, .depth = {1}, .modes = 1, .clocks = {1e9, 2e9}});
    auto const table = dse::testing::made_up_table({"clock"}, "fit", "lower", "clock,fit\n1 GHz,1\n2 GHz,2\n");
    machine.table_metrics.push_back(table->head.columns.front().metric);
    machine.tables.emplace_back(table, machine.name, false, machine.parameters());
    auto const space = with_objectives(std::move(machine), {"latency"});
    EXPECT_NE(space::cycle_key(space, space::PointId{0}), space::cycle_key(space, space::PointId{1}));
}

}  // namespace
}  // namespace pimdse::dse::search::table_bounds_test
