#include "dse/store/comparison.hpp"
#include "dse/store/merge.hpp"
#include "dse/store/result_writer.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::dse::store::result_tools_test {
namespace {

class ResultTools : public ::testing::Test {
  protected:
    ResultFile file(std::string const& name, std::vector<space::Result> const& results,
                    space::Columns const& columns = sample::columns()) {
        seal(directory / name, columns, sample::store(results), {});
        return load_result_file(directory / name);
    }
    sample::TemporaryDirectory directory;
};

TEST_F(ResultTools, merged_shards_are_the_run_in_one_piece) {
    std::vector<ResultFile> shards;
    for (std::uint64_t k = 0; k < 4; ++k) {
        std::vector<space::Result> part;
        for (std::uint64_t id = k; id < 2000; id += 4) part.push_back(sample::result(id));
        part.push_back(sample::result(8));  // evaluated by all
        shards.push_back(file("shard" + std::to_string(k) + ".h5", part));
    }
    auto const whole = file("whole.h5", sample::results(0, 2000));
    auto const merged = merge(std::move(shards));
    EXPECT_EQ(merged.digest, whole.digest);
    EXPECT_EQ(merged.front, whole.front);
    EXPECT_EQ(seal(directory / "merged.h5", merged.columns, merged.store, {}), whole.digest);
    auto const again = load_result_file(directory / "merged.h5");
    EXPECT_TRUE(compare(again, whole).equal());
    for (search::Row row = 0; row < again.store.size(); ++row) ASSERT_EQ(again.point(row), whole.point(row));
    ASSERT_EQ(std::system("command -v h5diff > /dev/null 2>&1"), 0) << "h5diff is not installed (package hdf5-tools)";
    auto const command = "h5diff --exclude-path /timing --exclude-path /provenance '" +
                         (directory / "merged.h5").string() + "' '" + (directory / "whole.h5").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(ResultTools, a_conflict_names_point_metric_and_both_files) {
    auto changed = sample::results(0, 10);
    std::get<models::Metrics>(changed[6].outcome)[1] = models::Estimate::exact(0.125);
    std::vector<ResultFile> files;
    files.push_back(file("a.h5", sample::results(0, 10)));
    files.push_back(file("b.h5", changed));
    try {
        static_cast<void>(merge(std::move(files)));
        FAIL() << "conflicting results must not be merged";
    } catch (sim::MismatchError const& error) {
        for (char const* part : {"point 6", "analytic", "energy", "0.125", "a.h5", "b.h5"}) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                << part << " is not in: " << error.what();
        }
    }
}

TEST_F(ResultTools, different_spaces_and_objectives_are_not_merged) {
    auto const merge_with = [&](space::Columns const& other) {
        std::vector<ResultFile> files;
        files.push_back(file("a.h5", sample::results(0, 10)));
        files.push_back(file("b.h5", sample::results(10, 10), other));
        return merge(std::move(files));
    };
    auto columns = sample::columns();
    columns.canonical_text += " ";
    EXPECT_THROW(static_cast<void>(merge_with(columns)), sim::InputError);
    columns = sample::columns();
    columns.objectives.pop_back();
    EXPECT_THROW(static_cast<void>(merge_with(columns)), sim::InputError);
    columns = sample::columns();
    columns.architecture = "other";
    EXPECT_THROW(static_cast<void>(merge_with(columns)), sim::InputError);
}

TEST_F(ResultTools, choices_that_only_one_shard_knows_keep_their_names) {
    auto columns = sample::columns();
    std::reverse(columns.parameters[0].choices.begin(), columns.parameters[0].choices.end());
    columns.parameters[0].choices.push_back("custom");
    columns.parameters[0].default_value = models::Value::choice(3);  // the same name as before
    std::vector<ResultFile> files;
    files.push_back(file("a.h5", sample::results(0, 8)));
    files.push_back(file("b.h5", sample::results(8, 8), columns));
    auto const merged = merge(std::move(files));
    auto const& mode = merged.columns.parameters[0];
    EXPECT_EQ(models::print_value(mode, merged.point(1)[0]), "fast") << "point 1 of the first file";
    EXPECT_EQ(models::print_value(mode, merged.point(9)[0]), "très rapide")
        << "point 9 of the second, whose list is reversed";
}

TEST_F(ResultTools, points_that_were_not_kept_add_up) {
    std::vector<ResultFile> files;
    for (std::uint64_t k = 0; k < 3; ++k) {
        auto store = sample::store(sample::results(100 * k, 20));
        store.insert(space::BlockSummary{k, models::Fidelity::analytic, {}, {{"fits", 10}, {"", 5}}});
        auto const name = directory / ("part" + std::to_string(k) + ".h5");
        seal(name, sample::columns(), store, {});
        files.push_back(load_result_file(name));
    }
    EXPECT_EQ(merge(std::move(files)).store.evaluated(), 3U * (20 + 15));
}

TEST_F(ResultTools, blocks_of_which_only_the_front_is_kept_must_not_overlap) {
    std::vector<ResultFile> files;
    for (std::uint64_t k = 0; k < 2; ++k) {
        auto store = sample::store(sample::results(100 * k, 20));
        store.insert(space::BlockSummary{7, models::Fidelity::analytic, {}, {{"", 5}}});
        auto const name = directory / ("twice" + std::to_string(k) + ".h5");
        seal(name, sample::columns(), store, {});
        files.push_back(load_result_file(name));
    }
    EXPECT_THROW((void)merge(std::move(files)), sim::MismatchError);
}

TEST_F(ResultTools, a_run_that_is_unfinished_is_merged_only_where_that_is_asked_for) {
    auto const part = [&](std::uint64_t k, std::string_view state) {
        Provenance provenance;
        provenance.run_id = "run " + std::to_string(k);
        provenance.set_more("state", state);
        auto const name = directory / ("part" + std::to_string(k) + ".h5");
        seal(name, sample::columns(), sample::store(sample::results(100 * k, 20)), provenance);
        return load_result_file(name);
    };
    auto const parts = [&](std::string_view second) {
        std::vector<ResultFile> files;
        files.push_back(part(0, state_complete));
        files.push_back(part(1, second));
        return files;
    };
    for (auto const state : {state_stopped, state_going_on}) {
        EXPECT_THAT(refusal_by<sim::MismatchError>([&] { static_cast<void>(merge(parts(state))); }),
                    ::testing::HasSubstr("part1.h5 is unfinished"));
        EXPECT_TRUE(merge(parts(state), Unfinished::accept).provenance.unfinished());
    }
    auto const whole = merge(parts(state_complete)).provenance;
    EXPECT_EQ(whole.more_of("state"), state_complete);
    ASSERT_EQ(whole.earlier.size(), 2U);
    EXPECT_NE(whole.earlier[1].find("run 1"), std::string::npos);
}

TEST_F(ResultTools, results_from_different_inputs_are_not_merged_and_named_when_compared) {
    auto other = sample::columns();
    other.input_hashes[0].second[5] = 'f';
    auto const left = file("a.h5", sample::results(0, 10));
    auto const right = file("b.h5", sample::results(10, 10), other);
    EXPECT_EQ(compare(left, right).input, "sample.toml");
    EXPECT_EQ(compare(left, left).input, std::nullopt);
    try {
        static_cast<void>(merge({left, right}));
        FAIL() << "results of different models must not be mixed";
    } catch (sim::MismatchError const& error) {
        for (char const* part : {"a.h5", "b.h5", "sample.toml"})
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST_F(ResultTools, parameters_that_say_something_else_are_found_by_comparing_and_merging) {
    auto const left = file("a.h5", sample::results(0, 20));
    auto const differing = [&](auto const& change) {
        auto columns = sample::columns();
        change(columns);
        auto const right = file("b.h5", sample::results(0, 20), columns);
        EXPECT_FALSE(compare(left, right).equal());
        EXPECT_THROW(static_cast<void>(merge({left, right})), sim::MismatchError);
        return compare(left, right).columns;
    };
    EXPECT_THAT(differing([](space::Columns& c) { c.parameters[1].unit = "MHz"; }),
                testing::Contains(says("unit-parameter-clock")));
    EXPECT_THAT(differing([](space::Columns& c) { c.metrics[2].better = models::Sense::minimize; }),
                testing::ElementsAre(says("sense-metric-speed")));
    EXPECT_THAT(differing([](space::Columns& c) { c.parameters[4].name = "width"; }), testing::SizeIs(3));
    auto const values = differing([](space::Columns& c) {
        c.decode = [decode = c.decode](space::PointId id, std::vector<models::Value>& into) {
            decode(id, into);
            if (index_of(id) == 7) into[4] = models::Value::integer(12345);
        };
    });
    EXPECT_THAT(values, testing::ElementsAre(says("point-size")));
}

TEST_F(ResultTools, comparing_finds_gains_losses_and_changed_metrics) {
    auto const left = file("left.h5", sample::results(0, 400));
    auto results = sample::results(100, 400);
    auto& metrics = std::get<models::Metrics>(results[0].outcome);
    for (auto* number : {&metrics[0].value, &metrics[0].lower, &metrics[0].upper}) *number *= 1.0 + 1e-9;
    results[1].outcome = models::Infeasible{"fits", "too big"};
    auto const right = file("right.h5", results);

    auto const exact = compare(left, right);
    EXPECT_FALSE(exact.equal());
    EXPECT_EQ(exact.only_left.size(), 100U);
    EXPECT_EQ(exact.only_right.size(), 100U);
    ASSERT_EQ(exact.differences.size(), 2U);
    EXPECT_EQ(index_of(exact.differences[0].task.point), 100U);
    EXPECT_EQ(exact.differences[0].metric, 0U);
    EXPECT_EQ(exact.differences[1].metric, Difference::status_differs);
    EXPECT_THAT(exact.differences[1].right_text, says("infeasible-fits-too-big"));
    EXPECT_EQ(compare(left, right, 1e-6).differences.size(), 1U);

    std::set<space::PointId> const before(left.front.begin(), left.front.end());
    for (auto const id : exact.gained) EXPECT_FALSE(before.contains(id));
    for (auto const id : exact.lost) EXPECT_TRUE(before.contains(id));
    EXPECT_EQ(before.size() + exact.gained.size(), right.front.size() + exact.lost.size());
    EXPECT_TRUE(compare(left, left).equal());
}

TEST_F(ResultTools, a_file_that_states_another_digest_or_front_is_found_out) {
    auto whole = file("r.h5", sample::results(0, 300));
    EXPECT_TRUE(check_consistency(whole).empty());
    auto forged = file("r.h5", sample::results(0, 300));
    forged.front.pop_back();
    EXPECT_EQ(check_consistency(forged).size(), 1U);
    forged.digest[0] = forged.digest[0] == '0' ? '1' : '0';
    EXPECT_EQ(check_consistency(forged).size(), 2U);
}

TEST_F(ResultTools, a_file_that_states_other_counts_or_another_history_is_found_out) {
    auto forged = file("r.h5", sample::results(0, 300));
    ++forged.stated_rules["fits"];
    EXPECT_THAT(check_consistency(forged), testing::ElementsAre(says("counts-violated-rules")));
    forged = file("r.h5", sample::results(0, 300));
    ASSERT_FALSE(forged.history.hypervolume.empty());
    forged.history.hypervolume.back() *= 1.001;
    EXPECT_THAT(check_consistency(forged), testing::ElementsAre(says("history-front")));
    forged = file("r.h5", sample::results(0, 300));
    forged.store.add_block(0, models::Fidelity::analytic, 299);
    EXPECT_THAT(check_consistency(forged), testing::Contains(says("numbers-points-blocks")));
}

TEST_F(ResultTools, a_sample_has_no_row_twice_and_depends_on_the_seed_only) {
    auto const whole = file("r.h5", sample::results(0, 300));
    auto const rows = sample_rows(whole, 50, 7);
    EXPECT_EQ(std::set<search::Row>(rows.begin(), rows.end()).size(), 50U);
    EXPECT_EQ(rows, sample_rows(whole, 50, 7));
    EXPECT_NE(rows, sample_rows(whole, 50, 8));
    EXPECT_EQ(sample_rows(whole, 1000, 7).size(), 300U);
}

}  // namespace
}  // namespace pimdse::dse::store::result_tools_test
