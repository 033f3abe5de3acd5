#include "dse/search/result_store.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <thread>

namespace pimdse::dse::search::result_store_test {
namespace {

using Insertion = ResultStore::Insertion;

TEST(ResultStore, remembers_every_result_as_it_was) {
    auto results = store::sample::results(0, 3000);
    for (std::uint64_t id = 0; id < 300; id += 3) results.push_back(store::sample::result(id, models::Fidelity::cycle));
    std::mt19937 random(1);
    std::shuffle(results.begin(), results.end(), random);
    auto const store = store::sample::store(results);
    ASSERT_EQ(store.size(), results.size());
    for (auto const& result : results) {
        auto const row = store.find(result.task);
        ASSERT_TRUE(row.has_value());
        EXPECT_TRUE(store::sample::identical(store.result(*row), result));
        EXPECT_TRUE(store.same(*row, result));
    }
    EXPECT_FALSE(store.contains({space::PointId{5000}, models::Fidelity::analytic}));
    EXPECT_FALSE(store.contains({space::PointId{1}, models::Fidelity::hybrid}));
    EXPECT_FALSE(ResultStore(3).contains({}));
}

TEST(ResultStore, remembers_blocks_of_rows_that_are_full_as_they_were) {
    constexpr std::uint64_t count = 3 * ResultColumns::block_rows + 5;
    auto const results = store::sample::results(1000000, count);
    auto const store = store::sample::store(results);
    for (std::uint64_t k = 0; k < count; ++k) {
        auto const row = static_cast<Row>(k);
        ASSERT_TRUE(store::sample::identical(store.result(row), results[k])) << "row " << k;
        ASSERT_EQ(store.find(results[k].task), row);
        ASSERT_TRUE(store.same(row, results[k]));
    }
    EXPECT_FALSE(store.exact(0));
    EXPECT_TRUE(store.exact(1));
}

TEST(ResultStore, takes_a_hundred_bytes_for_a_result_with_ten_exact_metrics) {
    ResultStore store(10);
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> any(1.0, 2.0);
    constexpr std::uint64_t count = 100000;
    for (std::uint64_t id = 0; id < count; ++id) {
        models::Metrics metrics;
        for (int m = 0; m < 10; ++m) metrics.push_back(models::Estimate::exact(any(random)));
        store.insert({{space::PointId{id}, models::Fidelity::analytic},
                      std::move(metrics),
                      1e-6 * any(random),
                      static_cast<int>(id / 100 % 40)});
    }
    EXPECT_LT(store.bytes(), 100 * count);
}

TEST(ResultStore, keeps_a_reason_once) {
    ResultStore store(3);
    constexpr std::uint64_t count = 20 * ResultColumns::block_rows;
    std::string const reason(1000, 'x');
    for (std::uint64_t id = 0; id < count; ++id)
        store.insert({{space::PointId{id}, {}}, models::Infeasible{"fits", reason}, 0.0, 0});
    EXPECT_EQ(store.reason(count - 1).data(), store.reason(0).data());
    EXPECT_LT(store.bytes(), 4 * count);
}

TEST(ResultStore, gives_snapshots_to_another_thread_while_it_grows) {
    auto const results = store::sample::results(0, 5 * ResultColumns::block_rows);
    ResultStore store(3);
    std::jthread const reader([&](std::stop_token const& over) {
        while (!over.stop_requested()) {
            auto const now = store.snapshot();
            std::uint64_t seen = 0;
            for (std::size_t status = 0; status < status_names.size(); ++status)
                seen += now.count(static_cast<Status>(status));
            ASSERT_EQ(seen, now.size());
            ASSERT_EQ(now.evaluated(), now.size());
            if (now.size() == 0) continue;
            auto const last = static_cast<Row>(now.size() - 1);
            ASSERT_TRUE(store::sample::identical(now.result(last), results[last]));
            ASSERT_EQ(now.find(results[last].task), last);
        }
    });
    for (std::size_t at = 0; at < results.size(); at += 64) store.insert(std::span(results).subspan(at, 64));
    EXPECT_EQ(store.snapshot().size(), results.size());
}

TEST(ResultStore, copies_that_go_their_own_way) {
    ResultStore store = store::sample::store(store::sample::results(0, 5000));
    ResultStore copy = store.snapshot();
    EXPECT_EQ(copy.insert(store::sample::result(3)), Insertion::same);
    EXPECT_EQ(copy.insert(store::sample::result(6000)), Insertion::added);
    EXPECT_EQ(store.insert(store::sample::result(7000)), Insertion::added);
    EXPECT_FALSE(store.contains(store::sample::result(6000).task));
    EXPECT_FALSE(copy.contains(store::sample::result(7000).task));
    EXPECT_EQ(copy.reason(3), store.reason(3));
    store = copy;
    EXPECT_TRUE(store.contains(store::sample::result(6000).task));
    EXPECT_EQ(store.sorted().back(), 5000U);
}

TEST(ResultStore, takes_many_as_it_takes_each) {
    auto results = store::sample::results(0, 3000);
    results.insert(results.end(), results.begin() + 100, results.begin() + 200);
    results[3050].seconds = 99.0;
    ResultStore many(3), each(3);
    many.insert(std::span<space::Result const>{});
    many.insert(results);
    for (auto const& result : results) each.insert(result);
    ASSERT_EQ(many.size(), 3000U);
    for (Row row = 0; row < 3000; ++row) EXPECT_TRUE(store::sample::identical(many.result(row), each.result(row)));
    EXPECT_EQ(many.evaluated(), each.evaluated());
}

TEST(ResultStore, keeps_the_first_result_and_tells_same_from_conflict) {
    ResultStore store(3);
    space::Result result = store::sample::result(0);
    EXPECT_EQ(store.insert(result), Insertion::added);
    result.seconds = 99.0;
    result.rank = 99;
    EXPECT_EQ(store.insert(result), Insertion::same);
    std::get<models::Metrics>(result.outcome)[1].upper *= 2.0;
    EXPECT_EQ(store.insert(result), Insertion::conflict);
    result.outcome = models::Infeasible{"fits", "too big"};
    EXPECT_EQ(store.insert(result), Insertion::conflict);
    EXPECT_EQ(store.size(), 1U);
    EXPECT_TRUE(store::sample::identical(store.result(0), store::sample::result(0)));
}

TEST(ResultStore, tells_reasons_apart_but_not_the_wording_of_defects) {
    ResultStore store(0);
    store.insert({{space::PointId{1}, {}}, models::Infeasible{"fits", "a"}, 0.0, 0});
    store.insert({{space::PointId{2}, {}}, models::Defect{"a"}, 0.0, 0});
    EXPECT_EQ(store.insert({{space::PointId{1}, {}}, models::Infeasible{"fits", "b"}, 0.0, 0}), Insertion::conflict);
    EXPECT_EQ(store.insert({{space::PointId{2}, {}}, models::Defect{"b"}, 0.0, 0}), Insertion::same);
    EXPECT_EQ(store.insert({{space::PointId{2}, {}}, models::Defect{"a", models::DefectKind::crash}, 0.0, 0}),
              Insertion::conflict);
}

TEST(ResultStore, counts_points_by_status_and_rule) {
    auto const results = store::sample::results(0, 2000);
    auto const store = store::sample::store(results);
    std::map<std::string, std::uint64_t> expected;
    std::uint64_t feasible = 0;
    for (auto const& result : results) {
        if (auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome)) ++expected[infeasible->rule];
        if (std::holds_alternative<models::Defect>(result.outcome))
            ++expected[std::string(name_of(status_of(result.outcome)))];
        if (std::holds_alternative<models::Metrics>(result.outcome)) ++feasible;
    }
    EXPECT_EQ(expected.size(), 6U);
    EXPECT_EQ(store.counts_per_rule(), expected);
    EXPECT_EQ(store.count(Status::ok), feasible);
    EXPECT_EQ(store.count(Status::infeasible), expected.at("fits") + expected.at("aligned"));
    EXPECT_EQ(store.count(Status::crash), expected.at("crash"));
    EXPECT_EQ(store.evaluated(), results.size());
}

TEST(ResultStore, iterates_by_point_then_fidelity) {
    ResultStore store(3);
    store.insert(store::sample::result(9));
    store.insert(store::sample::result(4, models::Fidelity::cycle));
    store.insert(store::sample::result(4, models::Fidelity::analytic));
    store.insert(store::sample::result(1));
    EXPECT_EQ(store.sorted(), (std::vector<Row>{3, 2, 1, 0}));
    store.insert(store::sample::result(0));
    EXPECT_EQ(store.sorted().front(), 4U);
}

TEST(ResultStore, adds_up_blocks_of_which_only_the_front_was_kept) {
    ResultStore store(3);
    space::BlockSummary const block{2,
                                    models::Fidelity::hybrid,
                                    {store::sample::result(131072, models::Fidelity::hybrid)},
                                    {{"fits", 1000}, {"", 500}}};
    store.insert(block);
    store.insert(block);
    EXPECT_EQ(store.size(), 1U);
    EXPECT_EQ(store.evaluated(), 1501U);
    EXPECT_EQ(store.counts_per_rule().at("fits"), 1000U);
    EXPECT_EQ(store.count(Status::infeasible), 1000U);
    EXPECT_EQ(store.blocks(), (ResultStore::Blocks{{{2, models::Fidelity::hybrid}, 1501}}));
}

TEST(ResultStore, refuses_a_result_with_other_metrics) {
    ResultStore store(2);
    EXPECT_THROW(store.insert(store::sample::result(0)), sim::ContractViolation);
    EXPECT_EQ(store.size(), 0U);
}

}  // namespace
}  // namespace pimdse::dse::search::result_store_test
