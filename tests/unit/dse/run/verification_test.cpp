#include "dse/run/verification.hpp"

#include "dse/space/evaluation.hpp"
#include "dse/store/comparison.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/small_space.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace pimdse::dse::run::verification_test {
namespace {

using models::Fidelity;
using space::PointId;
using store::ResultFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file of some points of the small space, as it is read.
class Verification : public ::testing::Test {
  protected:
    ResultFile file_of(std::vector<space::Result> const& results) {
        search::ResultStore store(space_.metrics().size());
        store.insert(results);
        store::seal(directory_ / "r.h5", space_.columns(), store, {});
        return store::load_result_file(directory_ / "r.h5");
    }
    std::vector<space::Result> some_results() {
        std::vector<space::Task> tasks;
        for (std::uint64_t id = 0; id < space_.size(); id += 3) tasks.push_back({PointId{id}, Fidelity::analytic});
        return results_of(space_, tasks, 2);
    }
    std::vector<std::string> problems(ResultFile const& file) { return check_against_space(file, space_); }

    space::Space space_ = testing::small_space();
    store::sample::TemporaryDirectory directory_;
};

TEST_F(Verification, finds_nothing_in_a_file_of_its_space) {
    auto const file = file_of(some_results());
    EXPECT_THAT(problems(file), IsEmpty());
    EXPECT_THAT(reevaluate(file, space_, file.store.sorted()).problems, IsEmpty());
}

TEST_F(Verification, names_every_parameter_that_its_id_does_not_have_once) {
    auto const file = file_of(some_results());
    for (std::size_t p = 0; p < file.values.size(); ++p) {
        auto other = file;
        other.values[p] = {};
        auto const& parameter = file.columns.parameters[p];
        std::uint64_t wrong = 0;
        for (search::Row row = 0; row < file.store.size(); ++row) {
            auto const own = file.values[p][row];
            auto const shifted = own.kind() == models::Kind::integer    ? models::Value::integer(own.as_integer() + 1)
                                 : own.kind() == models::Kind::quantity ? models::Value::quantity(own.as_quantity() + 1)
                                 : own.kind() == models::Kind::flag     ? models::Value::flag(!own.as_flag())
                                                                        : own;
            bool const later = row > file.store.size() / 2;
            other.values[p].push_back(later ? shifted : own);
            wrong += later && shifted != own ? 1 : 0;
        }
        if (wrong == 0) continue;
        auto const first = index_of(file.store.task(file.store.size() / 2 + 1).point);
        EXPECT_THAT(problems(other), ElementsAre(HasSubstr(fmt::format("point {}: {} is ", first, parameter.name))));
    }
}

TEST_F(Verification, takes_a_choice_for_its_name_and_not_for_its_number) {
    auto file = file_of(some_results());
    auto const p = static_cast<std::size_t>(models::find_parameter(file.columns.parameters, "machine"));
    auto& choices = file.columns.parameters[p].choices;
    auto const other_number = [](models::Value const& value) {
        auto const was = value.as_choice();
        return models::Value::choice(was < 2 ? 1 - was : was);
    };
    std::swap(choices[0], choices[1]);
    file.columns.parameters[p].default_value = other_number(file.columns.parameters[p].default_value);
    EXPECT_THAT(problems(file), ElementsAre(HasSubstr(fmt::format(": {} is ", file.columns.parameters[p].name))));
    store::ValueColumn renumbered;
    for (std::size_t row = 0; row < file.store.size(); ++row) renumbered.push_back(other_number(file.values[p][row]));
    file.values[p] = renumbered;
    EXPECT_THAT(problems(file), IsEmpty()) << "the same names by other numbers";
    std::set<std::size_t> used{file.columns.parameters[p].default_value.as_choice()};
    for (std::size_t row = 0; row < file.store.size(); ++row) used.insert(renumbered[row].as_choice());
    for (std::size_t number = 0; number < choices.size(); ++number) {
        if (!used.contains(number)) choices[number] += " of old";
    }
    ASSERT_LT(used.size(), choices.size());
    EXPECT_THAT(problems(file), ElementsAre(says("choices-parameter-machine-differ")));
}

TEST_F(Verification, names_points_and_blocks_beyond_the_space) {
    auto file = file_of(some_results());
    file.store.insert({{PointId{48}, Fidelity::analytic}, models::Infeasible{"fits", ""}, 0.0, 0});
    EXPECT_THAT(problems(file), ElementsAre(says("point-beyond-points-space")));
    auto blocks = file_of(some_results());
    blocks.store.add_block(0, Fidelity::cycle, 3);
    EXPECT_THAT(problems(blocks), IsEmpty());
    blocks.store.add_block(1, Fidelity::cycle, 3);
    EXPECT_THAT(problems(blocks), ElementsAre(says("block-beyond-points-space")));
}

TEST_F(Verification, names_what_a_file_says_otherwise_of_its_columns) {
    auto const file = file_of(some_results());
    auto other = file;
    other.columns.points = 47;
    EXPECT_THAT(problems(other), ElementsAre(says("states-points-space-which")));
    other = file;
    other.columns.points = 0;
    EXPECT_THAT(problems(other), IsEmpty()) << "it does not say";
    other = file;
    other.columns.metrics[0].unit = "furlong";
    EXPECT_THAT(problems(other), ElementsAre(HasSubstr("'furlong'")));
    other = file;
    other.columns.canonical_text += " ";
    EXPECT_THAT(problems(other), ElementsAre(says("other-parameters-now")));
}

TEST_F(Verification, evaluates_points_again_and_names_those_with_another_result) {
    auto results = some_results();
    std::set<std::uint64_t> changed;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (i % 5 == 0) {
            results[i].outcome = models::Infeasible{"fits", "made up"};
            changed.insert(index_of(results[i].task.point));
        } else if (i % 5 == 1) {
            results[i].outcome = models::Defect{"it crashed", models::DefectKind::crash};
        } else {
            results[i].seconds += 1.0;
        }
    }
    auto const file = file_of(results);
    auto const told = reevaluate(file, space_, file.store.sorted()).problems;
    EXPECT_EQ(told.size(), changed.size()) << "neither time nor points that end the process count";
    for (auto const& sentence : told) {
        bool const one = std::ranges::any_of(changed, [&](std::uint64_t id) {
            return sentence == fmt::format("point {} at analytic fidelity has a different result now", id);
        });
        EXPECT_TRUE(one) << sentence;
    }
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::set<std::string> expected;
        for (auto const row : sample_rows(file, 4, seed)) {
            auto const id = index_of(file.store.task(row).point);
            if (changed.contains(id))
                expected.insert(fmt::format("point {} at analytic fidelity has a different result now", id));
        }
        auto const some = reevaluate(file, space_, sample_rows(file, 4, seed)).problems;
        EXPECT_EQ(std::set<std::string>(some.begin(), some.end()), expected);
    }
}

TEST_F(Verification, asks_the_same_of_one_thread_and_of_many) {
    std::vector<space::Task> tasks;
    for (std::uint64_t id = space_.size(); id-- > 0;) tasks.push_back({PointId{id}, Fidelity::analytic});
    auto const many = results_of(space_, tasks, 4);
    ASSERT_EQ(many.size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto own = evaluate(space_, tasks[i]);
        EXPECT_EQ(many[i].task, tasks[i]);
        own.seconds = many[i].seconds;
        EXPECT_TRUE(store::sample::identical(many[i], own)) << i;
    }
    EXPECT_TRUE(results_of(space_, {}, 2).empty());
}

}  // namespace
}  // namespace pimdse::dse::run::verification_test
