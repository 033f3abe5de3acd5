// The table of conditions that the Python package and the page of the report are checked against as well.
#include "dse/space/expression_bounds.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/expression/expression.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <fstream>

namespace pimdse::dse::space::condition_table_test {
namespace {

using models::Estimate;
using models::Kind;
using models::Value;
using sim::Json;

Json const& table() {
    static Json const read = [] {
        std::ifstream file(PIMDSE_TEST_DATA "/conditions.json");
        return Json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
    }();
    return read;
}

models::Parameters parameters() {
    models::Parameters all;
    for (auto const& one : table()["parameters"]) {
        auto const kind = one["kind"] == "integer"    ? Kind::integer
                          : one["kind"] == "quantity" ? Kind::quantity
                          : one["kind"] == "choice"   ? Kind::choice
                                                      : Kind::flag;
        all.push_back({.name = one["name"].get<std::string>(), .kind = kind, .unit = one.value("unit", "")});
        if (kind == Kind::choice) all.back().choices = one["choices"].get<std::vector<std::string>>();
    }
    return all;
}

models::MetricList metrics() {
    models::MetricList all;
    for (auto const& one : table()["metrics"])
        all.push_back({.name = one["name"].get<std::string>(), .unit = one["unit"].get<std::string>()});
    return all;
}

struct Row {
    std::vector<Value> point;
    std::vector<Estimate> result;
    models::Expression::Absent absent;
};

Value value_of(models::Parameter const& parameter, Json const& text) {
    if (parameter.kind == Kind::integer) return Value::integer(text.is_null() ? 0 : text.get<std::int64_t>());
    if (parameter.kind == Kind::quantity) return Value::quantity(text.get<double>());
    if (parameter.kind == Kind::flag) return Value::flag(!text.is_null() && text.get<bool>());
    return Value::choice(text.is_null() ? 0 : models::find_choice(parameter.choices, text.get<std::string>()));
}

Row row_of(Json const& text) {
    Row row;
    for (auto const& parameter : parameters()) {
        row.point.push_back(value_of(parameter, text[parameter.name]));
        row.absent.push_back(text[parameter.name].is_null());
    }
    for (auto const& metric : metrics()) {
        auto const& value = text[metric.name];
        row.result.push_back(value.is_null() ? Estimate::unbounded(std::nan(""))
                                             : Estimate::exact(value.get<double>()));
        auto const* bounds = text["bounds"].member(metric.name);
        if (bounds == nullptr) continue;
        auto const kinds = std::ranges::find(sim::bound_names, (*bounds)[2].get<std::string>());
        EXPECT_TRUE(kinds != sim::bound_names.end());
        row.result.back() =
            Estimate::within(value.get<double>(), (*bounds)[0].get<double>(), (*bounds)[1].get<double>(),
                             sim::all_bound_kinds[static_cast<std::size_t>(kinds - sim::bound_names.begin())]);
    }
    return row;
}

TEST(ConditionTable, is_followed_by_expressions) {
    auto const all = parameters();
    auto const names = metrics();
    for (auto const& one : table()["cases"]) {
        auto const text = one["text"].get<std::string>();
        auto const condition = models::parse_condition(text, {all, names});
        std::string said;
        for (auto const& values : table()["rows"]) {
            auto const row = row_of(values);
            auto const truth = condition.truth(row.point, row.result, row.absent);
            said += truth == models::Truth::yes ? 'T' : truth == models::Truth::no ? 'F' : 'U';
            EXPECT_EQ(condition.holds(row.point, row.result, row.absent), truth == models::Truth::yes) << text;
        }
        EXPECT_EQ(said, one["truth"].get<std::string>()) << text;
    }
}

TEST(ConditionTable, has_the_trees_of_expressions) {
    auto const all = parameters();
    auto const names = metrics();
    for (auto const& one : table()["cases"]) {
        auto const text = one["text"].get<std::string>();
        auto const tree = Json::parse(tree_of(models::parse_condition(text, {all, names}), {all, names}).dump());
        EXPECT_EQ(tree, one["tree"]) << text;
    }
}

TEST(ConditionTable, lists_texts_that_are_refused) {
    auto const all = parameters();
    auto const names = metrics();
    for (auto const& text : table()["refused"])
        EXPECT_THROW((void)models::parse_condition(text.get<std::string>(), {all, names}), sim::InputError) << text;
}

/// What surely fails by its bounds does not hold; with exact metrics that apply, nothing else fails.
TEST(ConditionTable, agrees_with_bounds) {
    auto const all = parameters();
    auto const names = metrics();
    int failing = 0;
    for (auto const& one : table()["cases"]) {
        auto const text = one["text"].get<std::string>();
        auto const condition = models::parse_condition(text, {all, names});
        for (auto const& values : table()["rows"]) {
            auto const row = row_of(values);
            bool const anywhere = std::ranges::any_of(values, [](Json const& value) { return value.is_null(); }) ||
                                  !values["bounds"].empty();
            bool const fails = surely_fails(condition, row.point, row.result);
            failing += fails ? 1 : 0;
            EXPECT_FALSE(fails && condition.truth(row.point, row.result) == models::Truth::yes) << text;
            if (!anywhere) {
                auto const truth = condition.truth(row.point, row.result);
                EXPECT_TRUE(fails == (truth == models::Truth::no) || truth == models::Truth::unknown) << text;
            }
        }
    }
    EXPECT_GT(failing, 5);
}

}  // namespace
}  // namespace pimdse::dse::space::condition_table_test
