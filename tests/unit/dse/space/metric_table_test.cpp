#include "dse/space/metric_table.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::space::metric_table_test {
namespace {

using models::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TableHead head(std::vector<std::string> keys, std::string const& unit = "1") {
    TableHead head{"/there/t.csv", "", std::move(keys), {}};
    head.columns.push_back(table_column("accuracy", "higher", unit, head.file));
    return head;
}

std::vector<std::string> mistakes_in(std::vector<std::string> const& keys, std::string const& text,
                                     std::string const& machine = "made_up", bool names_machines = false) {
    try {
        auto const table = std::make_shared<MetricTable const>(read_metric_table(head(keys), text));
        (void)MachineTable(table, machine, names_machines, testing::made_up_parameters());
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return {};
}

MachineTable bound(std::vector<std::string> const& keys, std::string const& text,
                   std::string const& machine = "made_up", bool names_machines = false) {
    return {std::make_shared<MetricTable const>(read_metric_table(head(keys), text)), machine, names_machines,
            testing::made_up_parameters()};
}

std::vector<Value> point(std::int64_t rows, std::size_t mode, double clock = 1e9) {
    return {Value::integer(rows), Value::integer(8), Value::choice(mode), Value::quantity(clock),
            Value::permutation(0)};
}

TEST(MetricTable, has_the_rows_of_its_file_in_si) {
    auto const table = read_metric_table(head({"rows"}, "ms"), "# ours\naccuracy,note,rows\n1.5,\"a, b\",4\n2,c,8\n");
    ASSERT_THAT(table.rows, SizeIs(2));
    EXPECT_THAT(table.rows[0].keys, ElementsAre("4"));
    EXPECT_THAT(table.rows[0].metrics, ElementsAre(1.5e-3));
    EXPECT_EQ(table.rows[1].line, 4);
    EXPECT_EQ(table.name(), "t.csv");
    EXPECT_EQ(metrics_of(table.head).front().unit, "s");
    EXPECT_EQ(metrics_of(table.head).front().better, models::Sense::maximize);
}

TEST(MetricTable, finds_the_row_of_a_point) {
    auto const table = bound({"mode", "rows", "clock"},
                             "rows,mode,clock,accuracy\n4,wide,1 GHz,1\n4.0,plain,1000 MHz,2\n4,wide,2 GHz,3\n");
    EXPECT_THAT(table.keys(), ElementsAre(2U, 0U, 3U));
    EXPECT_EQ(table.row_of(point(4, 1))->metrics.front(), 1.0);
    EXPECT_EQ(table.row_of(point(4, 0))->metrics.front(), 2.0);
    EXPECT_EQ(table.row_of(point(4, 1, 2e9))->metrics.front(), 3.0);
    EXPECT_EQ(table.row_of(point(5, 1)), nullptr);
    EXPECT_EQ(table.why_missing(testing::made_up_parameters(), point(4, 2)),
              "t.csv has no row with mode = deep, rows = 4, clock = 1 GHz");
}

TEST(MetricTable, takes_the_rows_of_a_machine) {
    std::string const text = "machine,rows,accuracy\none,4,1\ntwo,4,2\n";
    auto const two = bound({"machine", "rows"}, text, "two", true);
    EXPECT_THAT(two.rows(), SizeIs(1));
    EXPECT_EQ(two.row_of(point(4, 0))->metrics.front(), 2.0);
    EXPECT_EQ(two.why_missing(testing::made_up_parameters(), point(5, 0)),
              "t.csv has no row with machine = two, rows = 5");
    EXPECT_THAT(bound({"machine", "rows"}, text, "three").rows(), IsEmpty()) << "no parameter is called machine";
}

TEST(MetricTable, reports_all_mistakes_of_a_file) {
    EXPECT_THAT(mistakes_in({"rows"}, "rows,accuracy\n1,x\n2,-1\n3\n4,1\n4,2\n5,inf\n"), list("cells-of-a-table"));
    EXPECT_THAT(mistakes_in({"rows"}, "rows,accuracy\n"), ElementsAre(says("table-without-rows")));
    EXPECT_THAT(mistakes_in({"rows"}, ""), ElementsAre(says("table-empty")));
    EXPECT_THAT(mistakes_in({"rows"}, "rows,accurancy\n1,1\n"), ElementsAre(says("table-column-missing")));
    std::string many = "rows,accuracy\n";
    for (int i = 0; i < 100; ++i) many += fmt::format("{},x\n", i);
    EXPECT_THAT(mistakes_in({"rows"}, many), SizeIs(20)) << "of a file that is something else";
}

TEST(MetricTable, reports_keys_that_no_parameter_can_have) {
    EXPECT_THAT(mistakes_in({"rowss"}, "rowss,accuracy\n1,1\n"), ElementsAre(says("table-unknown-key")));
    EXPECT_THAT(mistakes_in({"mode", "rows", "clock"}, "mode,rows,clock,accuracy\nwyde,1.5,3 s,1\n"),
                ElementsAre(says("table-value-of-a-key")));
    EXPECT_THAT(mistakes_in({"rows"}, "rows,accuracy\n4,1\n5,1\n4.0,2\n"), ElementsAre(says("table-same-values")));
}

TEST(MetricTable, has_columns_with_a_direction_and_a_unit) {
    EXPECT_EQ(table_column("a", "lower", "pJ/bit", "t.csv").metric.unit, "J/B");
    EXPECT_EQ(name_of_better(table_column("a", "lower", "1", "t.csv").metric.better), "lower");
    auto const error = [](std::string const& better, std::string const& unit) -> std::string {
        return refusal_by([&] { (void)table_column("a", better, unit, "t.csv"); });
    };
    EXPECT_THAT(error("bigger", "1"), says("table-better"));
    EXPECT_THAT(error("lower", "points"), says("table-unit"));
}

}  // namespace
}  // namespace pimdse::dse::space::metric_table_test
