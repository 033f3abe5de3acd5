#include "dse/store/journal.hpp"

#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace pimdse::dse::store::journal::journal_test {
namespace {

using namespace std::chrono_literals;

JournalHeader header() { return JournalHeader::of(sample::columns(), R"({"ranks":4})"); }

JournalSink collect(std::vector<space::Result>& into) {
    return {[&into](space::Result&& result) { into.push_back(std::move(result)); }, {}, {}};
}

void expect_identical(std::vector<space::Result> const& got, std::vector<space::Result> const& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(sample::identical(got[i], expected[i])) << "result " << i;
}

TEST(Journal, gives_back_what_was_appended) {
    sample::TemporaryDirectory const directory;
    auto const path = journal_path(directory / "run.h5");
    EXPECT_EQ(path.filename(), "run.h5.journal");
    auto const results = sample::results(0, 1000);
    {
        auto journal = Journal::create(path, header());
        for (std::size_t at = 0; at < results.size(); at += 100) journal.append(std::span(results).subspan(at, 100));
    }
    std::vector<space::Result> got;
    auto const journal = Journal::resume(path, header(), collect(got));
    expect_identical(got, results);
    EXPECT_EQ(journal.report().records, results.size());
    EXPECT_TRUE(journal.report().notes.empty());
    EXPECT_EQ(journal.durable(), results.size());
}

TEST(Journal, goes_on_where_it_stopped) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    Journal::create(path, header()).append(sample::results(0, 10));
    for (std::uint64_t run = 1; run <= 3; ++run) {
        auto journal = Journal::resume(path, header(), {});
        EXPECT_EQ(journal.appended(), 10 * run);
        EXPECT_EQ(journal.append(sample::results(10 * run, 10)), 10 * run + 10);
    }
    std::vector<space::Result> got;
    EXPECT_EQ(Journal::read(path, collect(got)).records, 40U);
    expect_identical(got, sample::results(0, 40));
}

/// Waits for what happens in the background, much longer than it should take.
bool eventually(std::function<bool()> const& happens) {
    for (int tries = 0; tries < 5000 && !happens(); ++tries) std::this_thread::sleep_for(1ms);
    return happens();
}

TEST(Journal, acknowledges_a_full_group_at_once) {
    sample::TemporaryDirectory const directory;
    auto journal = Journal::create(directory / "j", header(), Existing::refuse, {256, 1h, 0ms});
    journal.append(sample::results(0, 255));
    std::this_thread::sleep_for(30ms);
    EXPECT_EQ(journal.appended(), 255U);
    EXPECT_EQ(journal.durable(), 0U) << "one short of a group";
    journal.append(sample::results(255, 1));
    EXPECT_TRUE(eventually([&] { return journal.durable() == 256; }));
}

TEST(Journal, acknowledges_a_single_result_when_its_time_is_over) {
    sample::TemporaryDirectory const directory;
    auto journal = Journal::create(directory / "j", header(), Existing::refuse, {1000000, 50ms, 0ms});
    auto const start = std::chrono::steady_clock::now();
    journal.append(sample::results(0, 1));
    EXPECT_TRUE(eventually([&] { return journal.durable() == 1; }));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 45ms);
}

TEST(Journal, acknowledges_everything_on_commit) {
    sample::TemporaryDirectory const directory;
    auto journal = Journal::create(directory / "j", header(), Existing::refuse, {1000000, 1h, 0ms});
    for (std::uint64_t id = 0; id < 100; ++id) {
        journal.append(sample::results(id, 1));
        if (id % 10 == 9) {
            journal.commit();
            EXPECT_EQ(journal.durable(), id + 1);
        }
    }
}

TEST(Journal, keeps_marks_of_started_points_blocks_and_parts_in_order) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    Started const run{models::Fidelity::cycle, space::PointId{5}, 1000, {}};
    Started const list{models::Fidelity::hybrid, {}, 0, {space::PointId{9}, space::PointId{4}}};
    space::BlockSummary const block{3, models::Fidelity::hybrid, sample::results(200000, 3), {{"fits", 9}}};
    space::BlockPart const part{70000, 11, models::Fidelity::cycle, sample::results(70000, 2), {{"fits", 9}}};
    search::Standing const standing{812, 12, 301, 0.03125, true};
    {
        auto journal = Journal::create(path, header());
        journal.append(run);
        journal.append(list);
        journal.append(sample::results(5, 1));
        journal.append(block);
        journal.append(part);
        journal.append(standing);
    }
    std::string order;
    JournalSink const sink{
        [&](space::Result&& result) { order += "result " + std::to_string(index_of(result.task.point)) + "; "; },
        [&](Started&& mark) {
            EXPECT_EQ(mark, mark.points.empty() ? run : list);
            order += "started " + std::to_string(mark.size()) + " from " +
                     std::to_string(index_of(mark.task(0).point)) + "; ";
        },
        [&](space::BlockSummary&& b) {
            order += "block " + std::to_string(b.block) + " with " + std::to_string(b.kept.size()) + "; ";
        },
        [&](space::BlockPart&& p) {
            order += "part from " + std::to_string(p.first) + " of " + std::to_string(p.points) + "; ";
        },
        [&](search::Standing&& s) {
            EXPECT_EQ(s, standing);
            order += "standing";
        }};
    Journal::read(path, sink);
    EXPECT_EQ(order,
              "started 1000 from 5; started 2 from 9; result 5; block 3 with 3; part from 70000 of 11; standing");
}

TEST(Journal, can_be_followed_while_it_is_written) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    auto journal = Journal::create(path, header());
    JournalCursor cursor;
    std::vector<space::Result> got;
    EXPECT_EQ(Journal::read(path, collect(got), &cursor).records, 0U);
    journal.append(sample::results(0, 3));
    EXPECT_EQ(Journal::read(path, collect(got), &cursor).records, 3U);
    journal.append(sample::results(3, 4));
    EXPECT_EQ(Journal::read(path, collect(got), &cursor).records, 4U);
    expect_identical(got, sample::results(0, 7));
}

TEST(Journal, says_what_it_is_about) {
    sample::TemporaryDirectory const directory;
    auto const journal = Journal::create(directory / "j", header());
    auto const found = Journal::read_header(directory / "j");
    EXPECT_EQ(found.architecture, "sample");
    EXPECT_EQ(found.metrics, (std::vector<std::string>{"latency", "energy", "speed"}));
    EXPECT_EQ(found.canonical_text, sample::columns().canonical_text);
    EXPECT_EQ(found.space_text, sample::columns().space_text);
    EXPECT_EQ(found.run, R"({"ranks":4})");
}

TEST(Journal, of_another_space_is_refused_and_stays) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    Journal::create(path, header()).append(sample::results(0, 10));
    auto const before = sample::content(path);
    auto other = header();
    other.canonical_text += " ";
    EXPECT_THROW(Journal::resume(path, other, {}), sim::InputError);
    auto newer = header();
    newer.metrics.push_back("area");
    EXPECT_THROW(Journal::resume(path, newer, {}), sim::InputError);
    EXPECT_EQ(sample::content(path), before);
}

TEST(Journal, is_not_created_over_another_one_unless_told_to) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    Journal::create(path, header()).append(sample::results(0, 10));
    EXPECT_THROW(Journal::create(path, header()), sim::StorageError);
    EXPECT_EQ(Journal::read(path, {}).records, 10U);
    Journal::create(path, header(), Existing::replace).append(sample::results(0, 2));
    EXPECT_EQ(Journal::read(path, {}).records, 2U);
}

TEST(Journal, is_held_by_one_run_at_a_time) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    JournalSettings const impatient{256, 50ms, 30ms};
    auto holder = std::make_unique<Journal>(Journal::create(path, header()));
    EXPECT_THROW(Journal::resume(path, header(), {}, OnDamage::refuse, impatient), sim::StorageError);
    EXPECT_THROW(Journal::create(path, header(), Existing::replace, impatient), sim::StorageError);
    holder->append(sample::results(0, 5));
    auto successor = std::async(std::launch::async, [&] { return Journal::resume(path, header(), {}).appended(); });
    std::this_thread::sleep_for(100ms);
    holder.reset();
    EXPECT_EQ(successor.get(), 5U) << "it waits for its predecessor";
}

TEST(Journal, is_started_by_a_successor_whose_predecessor_removed_it) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    auto holder = std::make_unique<Journal>(Journal::create(path, header()));
    holder->append(sample::results(0, 5));
    auto successor = std::async(std::launch::async, [&] {
        auto journal = Journal::resume(path, header(), {});
        journal.append(sample::results(0, 2));
        return journal.appended();
    });
    std::this_thread::sleep_for(100ms);
    holder->remove();
    holder.reset();
    EXPECT_EQ(successor.get(), 2U);
    EXPECT_EQ(Journal::read(path, {}).records, 2U);
}

TEST(Journal, is_gone_after_remove_and_its_name_is_free) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    auto journal = Journal::create(path, header());
    journal.append(sample::results(0, 5));
    journal.commit();
    journal.remove();
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THROW(journal.append(sample::results(5, 1)), sim::StorageError);
    EXPECT_NO_THROW(Journal::create(path, header()));
}

TEST(Journal, that_is_missing_or_something_else_says_so) {
    sample::TemporaryDirectory const directory;
    EXPECT_THROW(Journal::read(directory / "none", {}), sim::StorageError);
    EXPECT_THROW(Journal::create(directory / "no" / "such" / "place", header()), sim::StorageError);
    sample::set_content(directory / "text", "# not a journal at all, but a long text file\n");
    EXPECT_THROW(Journal::resume(directory / "text", header(), {}), sim::StorageError);
    EXPECT_EQ(sample::content(directory / "text").substr(0, 5), "# not");
}

}  // namespace
}  // namespace pimdse::dse::store::journal::journal_test
