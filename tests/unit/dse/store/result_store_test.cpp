#include "dse/result_store.hpp"

#include "sample.hpp"
#include "sim/check.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace pimdse::dse {
namespace {

using Insertion = ResultStore::Insertion;

TEST(ResultStore, remembers_every_answer_as_it_was) {
    auto answers = sample::answers(0, 3000);
    for (std::uint64_t id = 0; id < 300; id += 3) answers.push_back(sample::answer(id, models::Fidelity::cycle));
    std::mt19937 random(1);
    std::shuffle(answers.begin(), answers.end(), random);
    auto const store = sample::store(answers);
    ASSERT_EQ(store.size(), answers.size());
    for (auto const& answer : answers) {
        auto const row = store.find(answer.task);
        ASSERT_TRUE(row.has_value());
        EXPECT_TRUE(sample::identical(store.answer(*row), answer));
        EXPECT_TRUE(store.same(*row, answer));
    }
    EXPECT_FALSE(store.contains({PointId{5000}, models::Fidelity::analytic}));
    EXPECT_FALSE(store.contains({PointId{1}, models::Fidelity::hybrid}));
    EXPECT_FALSE(ResultStore(3).contains({}));
}

TEST(ResultStore, takes_many_as_it_takes_each) {
    auto answers = sample::answers(0, 3000);
    answers.insert(answers.end(), answers.begin() + 100, answers.begin() + 200);
    answers[3050].seconds = 99.0;
    ResultStore many(3), each(3);
    many.insert(std::span<Answer const>{});
    many.insert(answers);
    for (auto const& answer : answers) each.insert(answer);
    ASSERT_EQ(many.size(), 3000U);
    for (ResultStore::Row row = 0; row < 3000; ++row) EXPECT_TRUE(sample::identical(many.answer(row), each.answer(row)));
    EXPECT_EQ(many.evaluated(), each.evaluated());
}

TEST(ResultStore, keeps_the_first_answer_and_tells_same_from_conflict) {
    ResultStore store(3);
    Answer answer = sample::answer(0);
    EXPECT_EQ(store.insert(answer), Insertion::added);
    answer.seconds = 99.0;
    answer.rank = 99;
    EXPECT_EQ(store.insert(answer), Insertion::same);
    std::get<models::Metrics>(answer.outcome)[1].high *= 2.0;
    EXPECT_EQ(store.insert(answer), Insertion::conflict);
    answer.outcome = models::Infeasible{"fits", "too big"};
    EXPECT_EQ(store.insert(answer), Insertion::conflict);
    EXPECT_EQ(store.size(), 1U);
    EXPECT_TRUE(sample::identical(store.answer(0), sample::answer(0)));
}

TEST(ResultStore, tells_reasons_apart_but_not_the_wording_of_defects) {
    ResultStore store(0);
    store.insert({{PointId{1}, {}}, models::Infeasible{"fits", "a"}, 0.0, 0});
    store.insert({{PointId{2}, {}}, models::Defect{"a"}, 0.0, 0});
    EXPECT_EQ(store.insert({{PointId{1}, {}}, models::Infeasible{"fits", "b"}, 0.0, 0}), Insertion::conflict);
    EXPECT_EQ(store.insert({{PointId{2}, {}}, models::Defect{"b"}, 0.0, 0}), Insertion::same);
    EXPECT_EQ(store.insert({{PointId{2}, {}}, models::Defect{"a", models::DefectKind::crash}, 0.0, 0}), Insertion::conflict);
}

TEST(ResultStore, counts_points_by_status_and_rule) {
    auto const answers = sample::answers(0, 2000);
    auto const store = sample::store(answers);
    std::map<std::string, std::uint64_t> expected;
    std::uint64_t feasible = 0;
    for (auto const& answer : answers) {
        if (auto const* infeasible = std::get_if<models::Infeasible>(&answer.outcome)) ++expected[infeasible->rule];
        if (std::holds_alternative<models::Defect>(answer.outcome)) ++expected[std::string(name_of(status_of(answer.outcome)))];
        if (std::holds_alternative<models::Metrics>(answer.outcome)) ++feasible;
    }
    EXPECT_EQ(expected.size(), 6U);
    EXPECT_EQ(store.counts_per_rule(), expected);
    EXPECT_EQ(store.count(Status::ok), feasible);
    EXPECT_EQ(store.count(Status::infeasible), expected.at("fits") + expected.at("aligned"));
    EXPECT_EQ(store.count(Status::crash), expected.at("crash"));
    EXPECT_EQ(store.evaluated(), answers.size());
}

TEST(ResultStore, iterates_by_point_then_fidelity) {
    ResultStore store(3);
    store.insert(sample::answer(9));
    store.insert(sample::answer(4, models::Fidelity::cycle));
    store.insert(sample::answer(4, models::Fidelity::analytic));
    store.insert(sample::answer(1));
    EXPECT_EQ(store.sorted(), (std::vector<ResultStore::Row>{3, 2, 1, 0}));
    store.insert(sample::answer(0));
    EXPECT_EQ(store.sorted().front(), 4U);
}

TEST(ResultStore, adds_up_blocks_of_which_only_the_front_was_kept) {
    ResultStore store(3);
    BlockSummary const block{2, models::Fidelity::hybrid, {sample::answer(131072, models::Fidelity::hybrid)}, {{"fits", 1000}, {"", 500}}};
    store.insert(block);
    store.insert(block);
    EXPECT_EQ(store.size(), 1U);
    EXPECT_EQ(store.evaluated(), 1501U);
    EXPECT_EQ(store.counts_per_rule().at("fits"), 1000U);
    EXPECT_EQ(store.count(Status::infeasible), 1000U);
    EXPECT_TRUE(store.contains_block(2, models::Fidelity::hybrid));
    EXPECT_FALSE(store.contains_block(2, models::Fidelity::cycle));
}

TEST(ResultStore, refuses_an_answer_with_other_metrics) {
    ResultStore store(2);
    EXPECT_THROW(store.insert(sample::answer(0)), sim::ContractViolation);
    EXPECT_EQ(store.size(), 0U);
}

}  // namespace
}  // namespace pimdse::dse
