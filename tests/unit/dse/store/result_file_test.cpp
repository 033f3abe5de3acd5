#include "dse/store/result_file.hpp"

#include "dse/search/front.hpp"
#include "dse/search/result_store.hpp"
#include "dse/store/result_writer.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <random>

namespace pimdse::dse::store::result_file_test {
namespace {

Provenance provenance() {
    Provenance made{"run-1",
                    "0.1.0",
                    "abc123",
                    {"pimdse", "explore", "a b"},
                    {"n1", "n2"},
                    4,
                    2,
                    "2026-01-02T03:04:05Z",
                    "2026-01-02T03:05:05Z",
                    {}};
    made.more.emplace_back("libraries", "HDF5 1.10");
    return made;
}

std::vector<space::Result> mixed_results() {
    auto results = sample::results(0, sample::points);
    for (std::uint64_t id = 0; id < 900; id += 7) results.push_back(sample::result(id, models::Fidelity::hybrid));
    return results;
}

TEST(ResultFile, gives_back_every_result_and_every_point) {
    sample::TemporaryDirectory const directory;
    auto const columns = sample::columns();
    auto const store = sample::store(mixed_results());
    auto const sum = seal(directory / "r.h5", columns, store, provenance());
    EXPECT_EQ(sum, search::digest(columns.canonical_text, store));

    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.digest, sum);
    EXPECT_EQ(search::digest(file.columns.canonical_text, file.store), sum);
    ASSERT_EQ(file.store.size(), store.size());
    std::vector<models::Value> point;
    for (search::Row row = 0; row < file.store.size(); ++row) {
        auto const there = store.find(file.store.task(row));
        ASSERT_TRUE(there.has_value());
        ASSERT_TRUE(sample::identical(file.store.result(row), store.result(*there))) << "row " << row;
        columns.decode(file.store.task(row).point, point);
        ASSERT_EQ(file.point(row), point) << "row " << row;
        file.columns.decode(file.store.task(row).point, point);
        ASSERT_EQ(file.point(row), point) << "row " << row;
    }
}

TEST(ResultFile, states_what_its_columns_mean) {
    sample::TemporaryDirectory const directory;
    auto const columns = sample::columns();
    seal(directory / "r.h5", columns, sample::store(sample::results(0, 50)), provenance());
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.columns.architecture, "sample");
    EXPECT_EQ(file.columns.seed, 42U);
    EXPECT_EQ(file.columns.points, sample::points);
    EXPECT_EQ(file.columns.space_text, columns.space_text);
    EXPECT_EQ(file.columns.canonical_text, columns.canonical_text);
    EXPECT_EQ(file.columns.input_hashes, columns.input_hashes);
    EXPECT_EQ(file.columns.objectives, columns.objectives);
    ASSERT_EQ(file.columns.parameters.size(), columns.parameters.size());
    for (std::size_t i = 0; i < columns.parameters.size(); ++i) {
        auto const& got = file.columns.parameters[i];
        auto const& wanted = columns.parameters[i];
        EXPECT_EQ(got.name, wanted.name);
        EXPECT_EQ(got.kind, wanted.kind);
        EXPECT_EQ(got.meaning, wanted.meaning);
        EXPECT_EQ(got.assumed, wanted.assumed);
        EXPECT_EQ(got.choices, wanted.choices);
        EXPECT_EQ(got.items, wanted.items);
        EXPECT_EQ(got.unit, wanted.unit);
    }
    for (std::size_t i = 0; i < columns.metrics.size(); ++i) {
        EXPECT_EQ(file.columns.metrics[i].name, columns.metrics[i].name);
        EXPECT_EQ(file.columns.metrics[i].unit, columns.metrics[i].unit);
        EXPECT_EQ(file.columns.metrics[i].meaning, columns.metrics[i].meaning);
        EXPECT_EQ(file.columns.metrics[i].better, columns.metrics[i].better);
        EXPECT_EQ(file.columns.metrics[i].assumed, columns.metrics[i].assumed);
    }
    EXPECT_EQ(file.provenance.run_id, "run-1");
    EXPECT_EQ(file.provenance.argv, provenance().argv);
    EXPECT_EQ(file.provenance.hosts, provenance().hosts);
    EXPECT_EQ(file.provenance.ranks, 4);
}

TEST(ResultFile, states_the_front_of_its_finest_results) {
    sample::TemporaryDirectory const directory;
    auto const columns = sample::columns();
    auto const store = sample::store(mixed_results());
    seal(directory / "r.h5", columns, store, {});
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.front_fidelity, models::Fidelity::hybrid);
    EXPECT_EQ(file.front, search::front_of(store, columns.objectives, models::Fidelity::hybrid).ids());
    EXPECT_FALSE(file.front.empty());
}

/// Equal runs, but for who computed what, how fast, and when.
TEST(ResultFile, of_equal_runs_differs_in_timing_and_provenance_only) {
    sample::TemporaryDirectory const directory;
    auto results = mixed_results();
    seal(directory / "a.h5", sample::columns(), sample::store(results), provenance());
    std::mt19937 random(9);
    std::shuffle(results.begin(), results.end(), random);
    for (auto& result : results) {
        result.seconds = std::uniform_real_distribution(0.0, 1.0)(random);
        result.rank = static_cast<int>(random() % 1000);
    }
    auto other = provenance();
    other.argv.assign(200, "a rather long command line");
    other.hosts.assign(64, "node");
    other.run_id = "another run";
    seal(directory / "b.h5", sample::columns(), sample::store(results), other);

    auto const a = sample::content(directory / "a.h5");
    auto const b = sample::content(directory / "b.h5");
    EXPECT_NE(a, b);
    ASSERT_EQ(std::system("command -v h5diff > /dev/null 2>&1"), 0) << "h5diff is not installed (package hdf5-tools)";
    auto const diff = [&](std::string const& flags) {
        return std::system(
            fmt::format("h5diff -q {} '{}' '{}'", flags, (directory / "a.h5").string(), (directory / "b.h5").string())
                .c_str());
    };
    EXPECT_EQ(diff("--exclude-path /timing --exclude-path /provenance"), 0);
    EXPECT_NE(diff("--exclude-path /provenance"), 0);
    EXPECT_NE(diff("--exclude-path /timing"), 0);
}

TEST(ResultFile, of_the_same_run_is_the_same_to_the_byte) {
    sample::TemporaryDirectory const directory;
    for (char const* name : {"a.h5", "b.h5"})
        seal(directory / name, sample::columns(), sample::store(sample::results(0, 5000)), provenance());
    EXPECT_EQ(sample::content(directory / "a.h5"), sample::content(directory / "b.h5"));
}

TEST(ResultFile, may_be_empty_or_hold_one_point_or_only_failures) {
    sample::TemporaryDirectory const directory;
    std::vector<std::vector<space::Result>> const cases{
        {}, {sample::result(0)}, {sample::result(3), sample::result(7)}};
    for (auto const& results : cases) {
        seal(directory / "r.h5", sample::columns(), sample::store(results), {});
        auto const file = load_result_file(directory / "r.h5");
        ASSERT_EQ(file.store.size(), results.size());
        for (std::size_t i = 0; i < results.size(); ++i)
            EXPECT_TRUE(sample::identical(file.store.result(static_cast<search::Row>(i)), results[i]));
    }
}

TEST(ResultFile, takes_a_space_text_of_any_length) {
    sample::TemporaryDirectory const directory;
    auto columns = sample::columns();
    columns.canonical_text = std::string(300000, 'x');
    columns.parameters[0].choices.resize(4);
    columns.parameters[0].meaning = std::string(70000, 'm');
    seal(directory / "r.h5", columns, sample::store(sample::results(0, 10)), {});
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.columns.canonical_text, columns.canonical_text);
    EXPECT_EQ(file.columns.parameters[0].meaning, columns.parameters[0].meaning);
}

TEST(ResultFile, counts_points_that_were_evaluated_and_not_kept) {
    sample::TemporaryDirectory const directory;
    auto store = sample::store(sample::results(0, 100));
    store.insert(space::BlockSummary{7, models::Fidelity::analytic, {}, {{"fits", 1000}, {"rare", 3}, {"", 500}}});
    seal(directory / "r.h5", sample::columns(), store, {});
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.store.evaluated(), 1603U);
    EXPECT_EQ(file.store.counts_per_rule(), store.counts_per_rule());
    EXPECT_EQ(file.store.count(search::Status::ok), store.count(search::Status::ok));
}

TEST(ResultFile, replaces_an_earlier_one_at_once_and_leaves_nothing_beside_it) {
    sample::TemporaryDirectory const directory;
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 10)), {});
    sample::set_content(directory / "r.h5.tmp", "left behind by a killed run");
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 20)), {});
    EXPECT_EQ(load_result_file(directory / "r.h5").store.size(), 20U);
    EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.tmp"));
}

TEST(ResultFile, that_is_missing_or_something_else_says_so) {
    sample::TemporaryDirectory const directory;
    EXPECT_THROW(static_cast<void>(load_result_file(directory / "none.h5")), sim::InputError);
    sample::set_content(directory / "text.h5", "not HDF5");
    EXPECT_THROW(static_cast<void>(load_result_file(directory / "text.h5")), sim::InputError);
}

TEST(ResultFile, that_is_cut_or_overwritten_is_damaged) {
    sample::TemporaryDirectory const directory;
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 500)), {});
    auto const whole = sample::content(directory / "r.h5");
    sample::set_content(directory / "cut.h5", whole.substr(0, whole.size() / 2));
    EXPECT_THROW(static_cast<void>(load_result_file(directory / "cut.h5")), sim::StorageError);
}

}  // namespace
}  // namespace pimdse::dse::store::result_file_test
