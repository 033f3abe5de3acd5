#include "dse/cli/run_summary.hpp"

#include "../made_up_space.hpp"
#include "dse/space/evaluation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

namespace pimdse::dse::cli::remedies_test {
namespace {

using ::testing::HasSubstr;

search::ResultStore evaluated(space::Space const& space) {
    search::ResultStore store(3);
    for (std::uint64_t id = 0; id < space.size(); ++id)
        store.insert(space::evaluate(space, {space::PointId{id}, models::Fidelity::analytic}));
    return store;
}

std::string rules_of(std::vector<space::Machine> machines) {
    auto const space = testing::made_up_space(std::move(machines));
    return commonest_violated_rules(space, evaluated(space));
}

/// The id of the example in the text, and the suggested change.
struct Advice {
    explicit Advice(std::string const& text) {
        std::smatch found;
        if (!std::regex_search(text, found,
                               std::regex("point (\\d+): [^\\n]*\\. (rows|depth) = (\\d+) would make it feasible")))
            return;
        id = std::stoull(found[1]);
        parameter = found[2];
        value = std::stoll(found[3]);
    }
    std::uint64_t id = 0;
    std::string parameter;
    std::int64_t value = 0;
};

TEST(Remedies, would_do) {
    for (std::int64_t rows = 30; rows <= 1200; rows += 37) {
        for (std::int64_t const depth : {21, 64, 100, 512}) {
            auto const text = rules_of({testing::made_up_machine({.rows = {rows}, .depth = {depth}})});
            EXPECT_THAT(text, HasSubstr("fits: 1 of 1 point\n"));
            Advice const advice(text);
            std::int64_t const halved = std::min(rows * (depth / 2), depth * (rows / 2));
            std::smatch both;
            if (std::regex_search(text, both,
                                  std::regex("\\. rows = (\\d+) and depth = (\\d+) would make it feasible"))) {
                EXPECT_GT(std::min(halved, 8 * std::min(rows, depth)), 600) << "one change suffices: " << text;
                EXPECT_LE(std::stoll(both[1]) * std::stoll(both[2]), 600) << text;
            } else if (advice.parameter.empty()) {
                EXPECT_GT(std::min((rows / 2) * (depth / 2), 64L), 600) << text;
            } else {
                EXPECT_LE(advice.value * (advice.parameter == "rows" ? depth : rows), 600) << text;
            }
        }
    }
}

TEST(Remedies, are_none_where_every_change_breaks_another_rule) {
    auto const machine = testing::made_up_machine({.rows = {64}, .depth = {16}}, {"rows >= 60", "depth >= 16"});
    EXPECT_THAT(rules_of({machine}), HasSubstr("no tried change of one or two parameters"));
}

TEST(Remedies, are_of_the_three_commonest_violated_rules) {
    auto const machine = testing::made_up_machine({.rows = testing::up_to(10)},
                                                  {"rows >= 9", "rows <= 7", "rows != 9 and rows != 10", "rows >= 11"});
    auto const text = rules_of({machine});
    EXPECT_TRUE(text.starts_with(
        "no design is feasible. The rules that most of them break:\n  rule rows >= 9: 8 of 10 points\n"))
        << text;
    EXPECT_THAT(text, HasSubstr("  rule rows <= 7: 2 of 10 points\n"));
}

TEST(Remedies, of_several_machines_look_at_the_one_of_the_point) {
    auto const one = testing::made_up_machine({.rows = {64}, .depth = {16}}, {}, "one");
    auto const two = testing::made_up_machine({.rows = {700}, .depth = {1}}, {}, "two");
    auto const text = rules_of({one, two});
    EXPECT_THAT(text, HasSubstr("fits: 2 of 2 points"));
    EXPECT_FALSE(Advice(text).parameter.empty()) << text;
}

}  // namespace
}  // namespace pimdse::dse::cli::remedies_test
