#include "dse/digest.hpp"
#include "dse/explore.hpp"
#include "dse/front.hpp"
#include "small_space.hpp"

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
    auto const pool = make_thread_pool(space, 2);
    auto const explored = explore(space, *pool, journal, store, {});
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(store.size(), space.size());
    EXPECT_EQ(explored.progress.evaluated, space.size());
    EXPECT_EQ(journal.durable(), space.size());
    EXPECT_GT(front_of(store, space.objectives()).size(), 0U);
    EXPECT_EQ(explored.progress.front, front_of(store, space.objectives()).size());
}

TEST_F(Explore, asks_nothing_twice_and_ends_with_the_same_digest) {
    auto space = testing::small_space();
    ResultStore whole(space.metrics().size());
    auto const pool = make_thread_pool(space, 2);
    auto whole_journal = fresh_journal(space, "whole.journal");
    (void)explore(space, *pool, whole_journal, whole, {});

    auto part = testing::small_space();
    part.set_search({"random", 17, 1, models::Fidelity::analytic});
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
    auto const pool = make_thread_pool(space, 1);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(explore(space, *pool, journal, store, stop.get_token()).complete);
    EXPECT_EQ(store.size(), 0U);
}

}  // namespace
}  // namespace pimdse::dse
