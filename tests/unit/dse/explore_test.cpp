#include "dse/digest.hpp"
#include "dse/explore.hpp"
#include "dse/front.hpp"
#include "small_space.hpp"
#include "sim/check.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pimdse::dse {
namespace {

class Explore : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("pimdse_explore_" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Journal fresh_journal(Space const& space, std::string const& name = "a.journal") { return Journal::create(folder_ / name, JournalHeader::of(space.columns())); }

    std::filesystem::path folder_;
};

TEST_F(Explore, answers_the_whole_space) {
    auto const space = testing::small_space();
    ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const pool = make_thread_pool(space, {.threads = 2});
    auto const explored = explore(space, *pool, journal, store, {});
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(store.size(), space.size());
    EXPECT_EQ(explored.progress.evaluated, space.size());
    EXPECT_GE(journal.durable(), space.size());   // answers, and marks of what was begun
    EXPECT_GT(front_of(store, space.objectives()).size(), 0U);
    EXPECT_EQ(explored.progress.front, front_of(store, space.objectives()).size());
}

TEST_F(Explore, asks_nothing_twice_and_ends_with_the_same_digest) {
    auto space = testing::small_space();
    ResultStore whole(space.metrics().size());
    auto const pool = make_thread_pool(space, {.threads = 2});
    auto whole_journal = fresh_journal(space, "whole.journal");
    (void)explore(space, *pool, whole_journal, whole, {});

    auto part = testing::small_space();
    part.set_search({.strategy = "random", .budget = 17});
    ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    (void)explore(part, *pool, journal, store, {});
    ASSERT_EQ(store.size(), 17U);
    auto const rest = explore(space, *pool, journal, store, {});
    EXPECT_EQ(rest.progress.evaluated, space.size() - 17);
    EXPECT_TRUE(rest.complete);
    EXPECT_EQ(digest(space.canonical_text(), store), digest(space.canonical_text(), whole));
}

TEST_F(Explore, says_when_it_was_stopped) {
    auto const space = testing::small_space();
    ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const pool = make_thread_pool(space, {.threads = 1});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(explore(space, *pool, journal, store, stop.get_token()).complete);
    EXPECT_EQ(store.size(), 0U);
}

TEST_F(Explore, keeps_the_fronts_of_blocks_and_comes_to_the_same_front) {
    auto space = testing::small_space();
    auto const pool = make_thread_pool(space, {.threads = 2});
    ResultStore all(space.metrics().size());
    auto whole_journal = fresh_journal(space, "all.journal");
    (void)explore(space, *pool, whole_journal, all, {});

    space.set_search({.keep = Keep::front});
    ResultStore fronts(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const explored = explore(space, *pool, journal, fronts, {});
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(fronts.evaluated(), space.size());
    EXPECT_LT(fronts.size(), all.size());
    EXPECT_EQ(front_of(fronts, space.objectives()).ids(), front_of(all, space.objectives()).ids());
    EXPECT_EQ(fronts.counts_per_rule(), all.counts_per_rule());
    EXPECT_EQ(explored.progress.infeasible, all.count(Status::infeasible));

    auto const again = explore(space, *pool, journal, fronts, {});
    EXPECT_EQ(again.progress.evaluated, 0U) << "a block that is done is not evaluated again";
    EXPECT_EQ(again.progress.told, space.size());
}

TEST_F(Explore, refuses_to_keep_fronts_with_a_strategy_that_jumps) {
    auto space = testing::small_space();
    space.set_search({.strategy = "random", .keep = Keep::front});
    ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    EXPECT_THROW((void)explore(space, *make_thread_pool(space, {.threads = 1}), journal, store, {}), sim::InputError);
}

TEST_F(Explore, tells_what_it_was_working_on_and_evaluates_suspects_all_the_same) {
    auto const space = testing::small_space();
    ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const pool = make_thread_pool(space, {.threads = 2});
    (void)explore(space, *pool, journal, store, {});
    Suspects begun;
    JournalSink sink;
    sink.started = [&](Started&& mark) { begun.started(std::move(mark)); };
    Journal::read(folder_ / "a.journal", sink);
    begun.settle(ResultStore(space.metrics().size()));
    EXPECT_EQ(begun.size(), space.size()) << "every point was marked before it was answered";

    ResultStore again(space.metrics().size());
    auto second = fresh_journal(space, "b.journal");
    auto const explored = explore(space, *pool, second, again, {}, {}, begun);   // no process can be started here: evaluated in place
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(digest(space.canonical_text(), again), digest(space.canonical_text(), store));
}

}  // namespace
}  // namespace pimdse::dse
