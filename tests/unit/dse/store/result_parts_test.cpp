#include "dse/store/result_parts.hpp"

#include "dse/search/result_store.hpp"
#include "dse/store/comparison.hpp"
#include "dse/store/merge.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace pimdse::dse::store::result_parts_test {
namespace {

constexpr std::uint64_t rows_per_part = 1000;

std::string seal_in_parts(std::filesystem::path const& path, search::ResultStore const& store,
                          std::uint64_t rows = rows_per_part) {
    return seal(path, sample::columns(), store, {}, 1, rows);
}

std::vector<std::filesystem::path> parts_of(std::filesystem::path const& master) {
    std::vector<std::filesystem::path> parts;
    if (!std::filesystem::exists(parts_directory(master))) return parts;
    for (auto const& entry : std::filesystem::directory_iterator(parts_directory(master)))
        parts.push_back(entry.path());
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::string refusal(std::filesystem::path const& path) {
    return refusal_by<sim::StorageError>([&] { static_cast<void>(load_result_file(path)); });
}

search::ResultStore shuffled_results(std::uint64_t count) {
    auto results = sample::results(0, count);
    std::shuffle(results.begin(), results.end(), std::mt19937(7));
    for (std::uint64_t id = 0; id < count; id += 11) results.push_back(sample::result(id, models::Fidelity::hybrid));
    return sample::store(results);
}

TEST(ResultParts, say_together_what_one_file_says) {
    sample::TemporaryDirectory const directory;
    auto const store = shuffled_results(sample::points);
    auto const sum = seal_in_parts(directory / "parts.h5", store);
    EXPECT_EQ(sum, seal(directory / "whole.h5", sample::columns(), store, {}));
    EXPECT_EQ(parts_of(directory / "parts.h5").size(), (store.size() + rows_per_part - 1) / rows_per_part);

    auto const parts = load_result_file(directory / "parts.h5");
    auto const whole = load_result_file(directory / "whole.h5");
    ASSERT_EQ(parts.store.size(), whole.store.size());
    EXPECT_TRUE(compare(parts, whole).equal());
    EXPECT_EQ(check_consistency(parts), std::vector<std::string>{});
    EXPECT_EQ(parts.front, whole.front);
    for (search::Row row = 0; row < parts.store.size(); ++row) {
        ASSERT_TRUE(sample::identical(parts.store.result(row), whole.store.result(row))) << "row " << row;
        ASSERT_EQ(parts.point(row), whole.point(row)) << "row " << row;
    }
}

TEST(ResultParts, give_the_metrics_that_are_wanted_and_those_of_some_results) {
    sample::TemporaryDirectory const directory;
    auto const store = shuffled_results(5000);
    seal_in_parts(directory / "r.h5", store);
    auto const all = load_result_file(directory / "r.h5");
    auto const first_only = [](space::Columns const& columns) {
        std::vector<bool> wanted(columns.metrics.size());
        wanted[columns.objectives[0].metric] = true;
        return wanted;
    };
    auto const some = load_result_file(directory / "r.h5", first_only);
    ASSERT_EQ(some.store.size(), all.store.size());
    std::vector<space::Task> tasks{{space::PointId{987654321}, models::Fidelity::cycle}};  // which is not there
    std::vector<models::Metrics> expected{{}};
    for (search::Row row = 0; row < all.store.size(); ++row) {
        auto const wanted = some.columns.objectives[0].metric;
        ASSERT_EQ(some.store.status(row), all.store.status(row));
        bool const ok = all.store.status(row) == search::Status::ok;
        for (std::size_t m = 0; ok && m < all.store.metrics(); ++m)
            ASSERT_EQ(some.store.value(row, m) == all.store.value(row, m), m == wanted) << row << " " << m;
        if (row % 700 != 3) continue;
        tasks.push_back(all.store.task(row));
        auto const result = all.store.result(row);
        expected.push_back(ok ? std::get<models::Metrics>(result.outcome) : models::Metrics{});
    }
    auto const metrics = load_metrics(directory / "r.h5", tasks);
    ASSERT_EQ(metrics.size(), expected.size());
    for (std::size_t i = 0; i < metrics.size(); ++i)
        EXPECT_TRUE(sample::identical({{}, metrics[i]}, {{}, expected[i]})) << i;
}

TEST(ResultParts, are_result_files_that_together_are_the_run) {
    sample::TemporaryDirectory const directory;
    auto const store = shuffled_results(5000);
    seal_in_parts(directory / "r.h5", store);
    std::vector<ResultFile> parts;
    for (auto const& part : parts_of(directory / "r.h5")) {
        parts.push_back(load_result_file(part));
        EXPECT_EQ(check_consistency(parts.back()), std::vector<std::string>{}) << part;
        EXPECT_TRUE(parts.back().provenance.unfinished()) << "a part is not the run";
    }
    auto const merged = merge(std::move(parts), Unfinished::accept);
    EXPECT_EQ(search::digest(merged.columns.canonical_text, merged.store), load_result_file(directory / "r.h5").digest);
}

TEST(ResultParts, of_an_earlier_file_go_when_the_next_one_is_whole) {
    sample::TemporaryDirectory const directory;
    seal_in_parts(directory / "r.h5", shuffled_results(3000));
    sample::set_content(parts_directory(directory / "r.h5") / "part-00007-0.h5", "what a killed run was writing");
    sample::set_content(parts_directory(directory / "r.h5") / "notes.txt", "somebody's own");
    seal_in_parts(directory / "r.h5", shuffled_results(4000));
    EXPECT_EQ(load_result_file(directory / "r.h5").store.size(), shuffled_results(4000).size());
    EXPECT_TRUE(std::filesystem::exists(parts_directory(directory / "r.h5") / "notes.txt"));
    constexpr std::size_t notes = 1;
    EXPECT_EQ(parts_of(directory / "r.h5").size(),
              (shuffled_results(4000).size() + rows_per_part - 1) / rows_per_part + notes);

    std::filesystem::remove(parts_directory(directory / "r.h5") / "notes.txt");
    seal(directory / "r.h5", sample::columns(), shuffled_results(100), {});
    EXPECT_FALSE(std::filesystem::exists(parts_directory(directory / "r.h5"))) << "one file needs no directory";
}

TEST(ResultParts, of_a_file_whose_replacement_was_not_finished_are_all_there) {
    sample::TemporaryDirectory const directory;
    auto const master = directory / "r.h5";
    seal_in_parts(master, shuffled_results(3000));
    auto const old = sample::content(master);
    // A run that is killed between its parts and its master leaves the old master with both generations of parts.
    std::filesystem::copy(parts_directory(master), directory / "kept", std::filesystem::copy_options::recursive);
    seal_in_parts(master, shuffled_results(4000));
    for (auto const& part : std::filesystem::directory_iterator(directory / "kept")) {
        std::filesystem::copy(part.path(), parts_directory(master) / part.path().filename(),
                              std::filesystem::copy_options::skip_existing);
    }
    sample::set_content(master, old);
    EXPECT_EQ(load_result_file(master).store.size(), shuffled_results(3000).size());
}

TEST(ResultParts, that_are_missing_or_changed_are_named) {
    sample::TemporaryDirectory const directory;
    auto const master = directory / "r.h5";
    seal_in_parts(master, shuffled_results(3000));
    auto const parts = parts_of(master);
    auto const second = sample::content(parts[1]);

    std::filesystem::remove(parts[1]);
    EXPECT_NE(refusal(master).find(parts[1].filename().string() + " does not exist"), std::string::npos)
        << refusal(master);
    auto flipped = second;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 4);
    sample::set_content(parts[1], flipped);
    EXPECT_NE(refusal(master).find("is damaged"), std::string::npos) << refusal(master);
    sample::set_content(parts[1], sample::content(parts[2]));
    EXPECT_THAT(refusal(master), says("part")) << refusal(master);
    sample::set_content(parts[1], second);
    EXPECT_EQ(refusal(master), "");
}

}  // namespace
}  // namespace pimdse::dse::store::result_parts_test
