#include "dse/cli/front_table.hpp"

#include "../made_up_space.hpp"
#include "dse/cli/scenario_table.hpp"
#include "dse/space/evaluation.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/json.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::dse::cli::front_tables_test {
namespace {

using models::Fidelity;
using models::Value;
using search::ResultStore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A space of which every second point is evaluated, and every tenth at cycle level, too.
struct Evaluated {
    explicit Evaluated(std::vector<space::Machine> machines) : space(testing::made_up_space(std::move(machines))) {
        for (std::uint64_t id = 0; id < space.size(); id += 2)
            store.insert(space::evaluate(space, {space::PointId{id}, Fidelity::analytic}));
        for (std::uint64_t id = 0; id < space.size(); id += 10)
            store.insert(space::evaluate(space, {space::PointId{id}, Fidelity::cycle}));
    }
    space::Space space;
    space::Columns columns = space.columns();
    ResultStore store{3};

    [[nodiscard]] FrontTable front(FrontQuery question = {}) const {
        question.objectives = columns.objectives;
        return make_front(columns, store, question);
    }
};

Evaluated one_machine() {
    return Evaluated({testing::made_up_machine({.rows = testing::up_to(40), .depth = {1, 2, 5, 20}, .modes = 3})});
}

/// Points that nobody is at least as good as and better than, by comparing each with each.
template <class Keep>
std::set<std::uint64_t> slow_front(ResultStore const& store, Fidelity fidelity, Keep const& keep) {
    std::vector<search::Row> rows;
    for (search::Row row = 0; row < store.size(); ++row) {
        if (store.status(row) == search::Status::ok && store.task(row).fidelity == fidelity && keep(row))
            rows.push_back(row);
    }
    std::set<std::uint64_t> front;
    for (auto const row : rows) {
        bool const beaten = std::ranges::any_of(rows, [&](auto other) {
            bool const as_good =
                store.value(other, 0) <= store.value(row, 0) && store.value(other, 1) <= store.value(row, 1);
            return as_good &&
                   (store.value(other, 0) < store.value(row, 0) || store.value(other, 1) < store.value(row, 1));
        });
        if (!beaten) front.insert(index_of(store.task(row).point));
    }
    return front;
}

std::set<std::uint64_t> ids_of(FrontTable const& front) {
    std::set<std::uint64_t> ids;
    for (auto const& task : front.tasks()) ids.insert(index_of(task.point));
    return ids;
}

TEST(FrontTables, have_whom_nobody_beats_at_the_finest_fidelity_or_the_one_that_is_asked) {
    auto const evaluated = one_machine();
    auto const all = [](auto) { return true; };
    EXPECT_EQ(ids_of(evaluated.front()), slow_front(evaluated.store, Fidelity::cycle, all));
    EXPECT_EQ(ids_of(evaluated.front({.fidelity = Fidelity::analytic})),
              slow_front(evaluated.store, Fidelity::analytic, all));
    EXPECT_EQ(evaluated.front({.fidelity = Fidelity::hybrid}).size(), 0U);
}

TEST(FrontTables, are_of_the_points_that_meet_a_condition) {
    auto const evaluated = one_machine();
    auto const& machine = evaluated.space.machines()[0];
    auto const where =
        models::parse_condition("rows >= 10 and energy <= 100 J", {machine.parameters(), machine.metrics()});
    auto const meets = [&](search::Row row) {
        std::vector<Value> point;
        evaluated.columns.decode(evaluated.store.task(row).point, point);
        return point[0].as_integer() >= 10 && evaluated.store.value(row, 1) <= 100.0;
    };
    auto const found = ids_of(evaluated.front({.where = &where, .fidelity = Fidelity::analytic}));
    EXPECT_FALSE(found.empty());
    EXPECT_EQ(found, slow_front(evaluated.store, Fidelity::analytic, meets));
    FrontQuery question{.objectives = evaluated.columns.objectives, .where = &where, .fidelity = Fidelity::analytic};
    for (auto const row : rows_of(evaluated.columns, evaluated.store, question)) EXPECT_TRUE(meets(row));
}

TEST(FrontTables, begin_with_the_best_of_the_first_objective) {
    auto const evaluated = one_machine();
    auto const designs = evaluated.front({.fidelity = Fidelity::analytic}).designs();
    ASSERT_GT(designs.size(), 3U);
    for (std::size_t i = 1; i < designs.size(); ++i)
        EXPECT_LE(designs[i - 1].metrics[0].value, designs[i].metrics[0].value);
    auto const speed = make_front(evaluated.columns, evaluated.store, {{{2, models::Sense::maximize}}}).designs();
    ASSERT_FALSE(speed.empty());
    for (search::Row row = 0; row < evaluated.store.size(); ++row) {
        if (evaluated.store.task(row).fidelity == Fidelity::cycle &&
            evaluated.store.status(row) == search::Status::ok) {
            EXPECT_LE(evaluated.store.value(row, 2), speed[0].metrics[2].value);
        }
    }
}

TEST(FrontTables, show_the_parameters_that_differ_and_no_others) {
    auto const evaluated = one_machine();
    auto const text = evaluated.front().text();
    EXPECT_THAT(text, says("front-latency-energy-cycle"));
    EXPECT_THAT(text, says("other-fidelities-shown"));
    EXPECT_THAT(evaluated.front().varying(), ElementsAre(0, 1, 2));
    for (auto const* name : {"rows", "depth", "mode"}) EXPECT_THAT(text, HasSubstr(name));
    for (auto const* name : {"clock", "order"}) EXPECT_THAT(text, ::testing::Not(HasSubstr(name)));
    auto const all = evaluated.front({.fidelity = Fidelity::analytic});
    EXPECT_THAT(all.text(2), HasSubstr(fmt::format("... and {} more on the front\n", all.size() - 2)));
    EXPECT_THAT(all.text(all.size()), ::testing::Not(HasSubstr("more on the front")));
    ResultStore const nothing(3);
    EXPECT_EQ(make_front(evaluated.columns, nothing, {evaluated.columns.objectives}).size(), 0U);
    EXPECT_NO_THROW((void)make_front(evaluated.columns, nothing, {evaluated.columns.objectives}).text());
}

TEST(FrontTables, have_every_bit_in_csv_and_json) {
    auto const evaluated = one_machine();
    auto const front = evaluated.front({.fidelity = Fidelity::analytic});
    auto const designs = front.designs();
    auto const rows = front.csv_rows();
    auto const json = front.json();
    ASSERT_EQ(rows.size(), designs.size());
    ASSERT_EQ(json["front"].size(), designs.size());
    auto const head = front.csv_head();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].size(), head.size());
        EXPECT_EQ(rows[i][0], std::to_string(index_of(designs[i].point)));
        EXPECT_EQ(rows[i][1], "analytic");
        EXPECT_EQ(std::stod(rows[i][7]), designs[i].metrics[0].value);
        auto const& entry = json["front"][i];
        EXPECT_EQ(entry["point"], index_of(designs[i].point));
        EXPECT_EQ(entry["metrics"]["energy"]["low"].get<double>(), designs[i].metrics[1].lower);
        std::vector<Value> point;
        evaluated.columns.decode(designs[i].point, point);
        EXPECT_EQ(entry["parameters"]["rows"], point[0].as_integer());
        EXPECT_EQ(rows[i][4], models::print_value(evaluated.columns.parameters[2], point[2]));
    }
}

TEST(FrontsPer, value_are_the_fronts_among_the_points_with_that_value) {
    auto evaluated = one_machine();
    evaluated.columns.metrics[1].assumed = true;
    FrontQuery const question{.objectives = evaluated.columns.objectives, .fidelity = Fidelity::analytic};
    auto const fronts = fronts_per(evaluated.columns, evaluated.store, question, "depth");
    ASSERT_EQ(fronts.size(), 4U);
    for (std::size_t i = 0; i < fronts.size(); ++i) {
        std::int64_t const depth = std::array{1, 2, 5, 20}[i];
        EXPECT_EQ(fronts[i].shown, std::to_string(depth)) << "in ascending order";
        auto const with = [&](search::Row row) {
            std::vector<Value> point;
            evaluated.columns.decode(evaluated.store.task(row).point, point);
            return point[1].as_integer() == depth;
        };
        EXPECT_EQ(ids_of(fronts[i].front), slow_front(evaluated.store, Fidelity::analytic, with)) << depth;
    }
    auto const json = sim::Json::parse(fronts_text(fronts, "depth", Format::json));
    EXPECT_EQ(json["per"], "depth");
    EXPECT_EQ(json["fronts"].size(), 4U);
    auto const csv = fronts_text(fronts, "depth", Format::csv);
    std::size_t members = 0;
    for (auto const& front : fronts) members += front.front.size();
    EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<std::ptrdiff_t>(members + 1));
    EXPECT_TRUE(csv.starts_with("per_depth,point,fidelity,rows,"));
    auto const text = fronts_text(fronts, "depth", Format::text), footing = fronts.front().front.footing();
    EXPECT_THAT(footing, HasSubstr("energy rests on assumed constants"));
    EXPECT_NE(text.find(footing), text.npos);
    EXPECT_EQ(text.find(footing), text.rfind(footing)) << "said once";
}

template <class Work>
std::string refusal(Work const& work) {
    return refusal_by(work, "accepted");
}

TEST(FrontsPer, nothing_that_is_not_there) {
    auto const evaluated = one_machine();
    auto const& objectives = evaluated.columns.objectives;
    EXPECT_EQ(refusal([&] { check_key(evaluated.columns, objectives, "depth"); }), "accepted");
    EXPECT_THAT(refusal([&] { check_key(evaluated.columns, objectives, "scenario"); }), says("file-no-scenarios"));
    EXPECT_THAT(refusal([&] { check_key(evaluated.columns, objectives, "deptj"); }), says("deptj-parameter-did-you"));
    EXPECT_TRUE(metrics_per(evaluated.columns, objectives, "depth").empty());
}

/// Metrics of the made-up machine in two scenarios: in the second one what is large in the first one is small.
struct InScenarios {
    InScenarios() {
        evaluated.columns.metrics = {{.name = "latency@a", .unit = "s"},
                                     {.name = "latency@b", .unit = "s"},
                                     {.name = "energy@a", .unit = "J"},
                                     {.name = "latency", .unit = "s"}};
        evaluated.columns.objectives = {{3, models::Sense::minimize}};
        for (std::uint64_t id = 0; id < 8; ++id) {
            auto const x = static_cast<double>(id);
            using models::Estimate;
            store.insert({{space::PointId{id}, Fidelity::analytic},
                          models::Metrics{Estimate::exact(1.0 + x), Estimate::exact(9.0 - x), Estimate::exact(x),
                                          Estimate::exact(10.0)}});
        }
    }
    Evaluated evaluated = one_machine();
    ResultStore store{4};
};

TEST(ScenarioTables, have_metrics_that_every_scenario_knows) {
    InScenarios const in;
    auto const& columns = in.evaluated.columns;
    EXPECT_THAT(scenarios_of(columns), ElementsAre("a", "b"));
    EXPECT_THAT(scenario_metrics(columns, {"latency@b", "latency"}), ElementsAre("latency"));
    EXPECT_THAT(refusal([&] { (void)scenario_metrics(columns, {"energy"}); }), says("energy-metric-scenario-known"));
    EXPECT_THAT(refusal([&] { (void)scenario_metrics(columns, {"latnecy"}); }), says("latnecy-metric-scenario-did"));
    EXPECT_THAT(refusal([&] { (void)scenario_metrics(columns, {}); }), says("no-metric-named"));
    EXPECT_THAT(refusal([&] { (void)scenario_metrics(one_machine().columns, {"latency"}); }),
                says("file-no-scenarios-2"));
}

TEST(ScenarioTables, have_a_row_per_scenario_and_a_column_per_metric_and_design) {
    InScenarios const in;
    std::vector<EvaluatedDesign> designs;
    for (std::uint64_t id : {0, 7})
        designs.push_back({space::PointId{id},
                           std::get<models::Metrics>(
                               in.store.result(*in.store.find({space::PointId{id}, Fidelity::analytic})).outcome)});
    EXPECT_EQ(scenario_table(in.evaluated.columns, designs, {"latency"}, false).csv(),
              "scenario,latency #0,latency #7\na,1,8\nb,9,2\n");
    designs.pop_back();
    EXPECT_EQ(scenario_table(in.evaluated.columns, designs, {"latency"}, true).csv(),
              "scenario,latency\na,1 s\nb,9 s\n");
    EXPECT_EQ(scenario_table(in.evaluated.columns, {}, {"latency"}, true).csv(), "scenario\na\nb\n");
}

TEST(ScenarioTables, of_many_designs_have_a_row_for_each_with_what_it_is) {
    InScenarios const in;
    FrontQuery question;
    question.objectives = {{0, models::Sense::minimize}, {1, models::Sense::minimize}};
    auto const front = make_front(in.evaluated.columns, in.store, question);
    auto const csv = by_design(in.evaluated.columns, in.store, front, {"latency"}).csv();
    std::string head = "point,latency@a,latency@b";
    for (auto const& word : front.design_head(front.varying())) head += "," + word;
    EXPECT_THAT(csv, ::testing::StartsWith(head + "\n"));
    EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<long>(front.size()) + 1);
    EXPECT_THAT(csv, HasSubstr("\n0,1 s,9 s,"));
}

TEST(BestByScenario, is_the_design_that_is_best_in_each) {
    InScenarios const in;
    auto const csv = best_by_scenario(in.evaluated.columns, in.store, {"latency"}, nullptr, false).csv();
    EXPECT_THAT(csv, HasSubstr("scenario,metric,best,point"));
    EXPECT_THAT(csv, HasSubstr("\na,latency,1,0,"));
    EXPECT_THAT(csv, HasSubstr("\nb,latency,2,7,"));
    ResultStore const nothing(4);
    auto const empty = best_by_scenario(in.evaluated.columns, nothing, {"latency"}, nullptr, true).csv();
    EXPECT_EQ(empty, "scenario,metric,best,point\na,latency,,\nb,latency,,\n");
}

TEST(FrontsPer, scenario_read_its_own_metrics) {
    InScenarios const in;
    FrontQuery const question{.objectives = in.evaluated.columns.objectives};
    EXPECT_THAT(metrics_per(in.evaluated.columns, question.objectives, "scenario"), ElementsAre(0, 1));
    auto const fronts = fronts_per(in.evaluated.columns, in.store, question, "scenario");
    ASSERT_EQ(fronts.size(), 2U);
    EXPECT_EQ(ids_of(fronts[0].front), std::set<std::uint64_t>{0});
    EXPECT_EQ(ids_of(fronts[1].front), std::set<std::uint64_t>{7});
    EXPECT_THAT(refusal([&] {
                    check_key(in.evaluated.columns, {{2, models::Sense::minimize}}, "scenario");
                }),
                says("energy-known-scenario"));
}

}  // namespace
}  // namespace pimdse::dse::cli::front_tables_test
