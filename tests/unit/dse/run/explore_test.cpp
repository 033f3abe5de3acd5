#include "dse/run/explore.hpp"
#include "../small_space.hpp"
#include "dse/search/front.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/space_reader.hpp"
#include "shuffling_transport.hpp"
#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace pimdse::dse::run::explore_test {
namespace {

using testing::explore_here;
using testing::explore_shuffled;

class Explore : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ =
            std::filesystem::temp_directory_path() / ("pimdse_explore_" + std::to_string(::getpid()) +
                                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    store::journal::Journal fresh_journal(space::Space const& space, std::string const& name = "a.journal") {
        return store::journal::Journal::create(folder_ / name, store::journal::JournalHeader::of(space.columns()));
    }

    std::filesystem::path folder_;
};

TEST_F(Explore, evaluates_the_whole_space) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const explored = explore_here(space, 2, journal, store, {.watch = [](Progress const&) {}});
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(store.size(), space.size());
    EXPECT_EQ(explored.progress.evaluated, space.size());
    EXPECT_GE(journal.durable(), space.size());  // results, and marks of what was begun
    EXPECT_GT(search::front_of(store, space.objectives()).size(), 0U);
    EXPECT_EQ(explored.progress.front, search::front_of(store, space.objectives()).size());
}

TEST_F(Explore, asks_nothing_twice_and_ends_with_the_same_digest) {
    auto space = testing::small_space();
    search::ResultStore whole(space.metrics().size());
    auto whole_journal = fresh_journal(space, "whole.journal");
    (void)explore_here(space, 2, whole_journal, whole);

    auto part = testing::small_space();
    part.set_search({.strategy = "random", .budget = 17});
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    (void)explore_here(part, 2, journal, store);
    ASSERT_EQ(store.size(), 17U);
    auto const rest = explore_here(space, 2, journal, store);
    EXPECT_EQ(rest.progress.evaluated, space.size() - 17);
    EXPECT_TRUE(rest.complete);
    EXPECT_EQ(search::digest(space.canonical_text(), store), search::digest(space.canonical_text(), whole));
}

TEST_F(Explore, comes_to_the_same_digest_with_every_strategy_whatever_arrives_first) {
    auto space = testing::small_space({{"mesh_rows", "[16, 20, 24, 28, 32, 36, 40, 48, 56, 64]"}});
    for (char const* strategy : {"sobol", "nsga2", "pls"}) {
        for (std::uint64_t const gainless : {0U, 9U}) {
            std::set<std::string> digests;
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                search::ResultStore store(space.metrics().size());
                auto journal = fresh_journal(space, fmt::format("{}-{}-{}.journal", strategy, gainless, seed));
                for (std::uint64_t const budget :
                     {11U * seed, std::uint64_t{115}}) {  // the results of the first are restored
                    space.set_search({.strategy = strategy, .budget = budget + 1, .stop_after_no_gain = gainless});
                    EXPECT_TRUE(
                        explore_shuffled(space, {seed, 1 + seed % 4, 1 + static_cast<int>(seed % 8)}, journal, store)
                            .complete);
                }
                digests.insert(search::digest(space.canonical_text(), store));
            }
            EXPECT_EQ(digests.size(), 1U) << strategy << ", " << gainless;
        }
    }
}

TEST_F(Explore, says_when_it_was_stopped) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(explore_here(space, 1, journal, store, {.stop = stop.get_token()}).complete);
    EXPECT_EQ(store.size(), 0U);
}

TEST_F(Explore, begins_nothing_more_after_a_stop_and_keeps_what_is_evaluated) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    testing::ShufflingTransport transport(space, {1, 3, 2, 4});
    auto const explored =
        explore(space, {&transport}, journal, store, {.stop = transport.stop(), .dispatch = transport.dispatch()});
    EXPECT_FALSE(explored.complete);
    EXPECT_GE(store.size(), 4U);
    EXPECT_LE(store.size(), 15U) << "two workers may be given one more chunk before the loop sees the stop";
    EXPECT_FALSE(transport.poll().has_value()) << "nothing is left behind";
}

TEST_F(Explore, passes_on_what_its_listener_throws) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const full = [](Progress const&) { throw std::runtime_error("disk full"); };
    EXPECT_THROW((void)explore_here(space, 2, journal, store, {.watch = full}), std::runtime_error);
}

TEST_F(Explore, keeps_the_fronts_of_blocks_and_comes_to_the_same_front) {
    auto space = testing::small_space();
    search::ResultStore all(space.metrics().size());
    auto whole_journal = fresh_journal(space, "all.journal");
    (void)explore_here(space, 2, whole_journal, all);

    space.set_search({.keep = space::Keep::front});
    search::ResultStore fronts(space.metrics().size());
    auto journal = fresh_journal(space);
    auto const explored = explore_here(space, 2, journal, fronts);
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(fronts.evaluated(), space.size());
    EXPECT_LT(fronts.size(), all.size());
    EXPECT_EQ(search::front_of(fronts, space.objectives()).ids(), search::front_of(all, space.objectives()).ids());
    EXPECT_EQ(fronts.counts_per_rule(), all.counts_per_rule());
    EXPECT_EQ(explored.progress.infeasible, all.count(search::Status::infeasible));

    auto const again = explore_here(space, 2, journal, fronts);
    EXPECT_EQ(again.progress.evaluated, 0U) << "a block that is done is not evaluated again";
    EXPECT_EQ(again.progress.told, space.size());
}

TEST_F(Explore, refuses_to_keep_fronts_with_a_strategy_that_jumps) {
    auto space = testing::small_space();
    space.set_search({.strategy = "random", .keep = space::Keep::front});
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    EXPECT_THROW((void)explore_here(space, 1, journal, store), sim::InputError);
}

TEST_F(Explore, tells_what_it_was_working_on_and_evaluates_what_is_quarantined_all_the_same) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    (void)explore_here(space, 2, journal, store);
    run::Quarantine begun;
    store::journal::JournalSink sink;
    sink.started = [&](store::journal::Started&& mark) { begun.started(std::move(mark)); };
    store::journal::Journal::read(folder_ / "a.journal", sink);
    begun.settle(search::ResultStore(space.metrics().size()));
    EXPECT_EQ(begun.size(), space.size()) << "every point was marked before it was evaluated";

    search::ResultStore again(space.metrics().size());
    auto second = fresh_journal(space, "b.journal");
    auto const explored = explore_here(space, 2, second, again,
                                       {.quarantine = begun});  // no process can be started here: evaluated in place
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(search::digest(space.canonical_text(), again), search::digest(space.canonical_text(), store));
}

TEST_F(Explore, comes_to_the_same_whatever_arrives_first_and_wherever_it_is_killed) {
    for (auto const keep : {space::Keep::all, space::Keep::front}) {
        auto space = testing::small_space();
        space.set_search({.keep = keep});
        search::ResultStore whole(space.metrics().size());
        auto whole_journal =
            fresh_journal(space, keep == space::Keep::all ? "whole_all.journal" : "whole_front.journal");
        ASSERT_TRUE(explore_here(space, 1, whole_journal, whole).complete);
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            auto const name = std::to_string(seed) + (keep == space::Keep::all ? "a.journal" : "f.journal");
            {
                search::ResultStore lost(space.metrics().size());
                auto journal = fresh_journal(space, name);
                testing::Shuffling const dying{seed * 1000, 1 + seed % 9, 1 + static_cast<int>(seed % 5), seed % 7};
                EXPECT_FALSE(explore_shuffled(space, dying, journal, lost).complete);
            }
            search::ResultStore store(space.metrics().size());
            store::journal::JournalSink sink;
            sink.result = [&](space::Result&& result) { store.insert(result); };
            sink.block = [&](space::BlockSummary&& block) { store.insert(block); };
            sink.part = [&](space::BlockPart&& part) { store.add(std::move(part)); };
            auto journal = store::journal::Journal::resume(folder_ / name,
                                                           store::journal::JournalHeader::of(space.columns()), sink);
            std::uint64_t points_there = store.evaluated();
            for (auto const& [key, open] : store.open_blocks()) points_there += open.points;
            auto const explored =
                explore_shuffled(space, {seed * 77, 1 + seed % 11, 1 + static_cast<int>(seed % 6)}, journal, store);
            EXPECT_TRUE(explored.complete);
            EXPECT_EQ(explored.progress.evaluated, space.size() - points_there)
                << "what is in the journal is not evaluated again";
            EXPECT_EQ(search::digest(space.canonical_text(), store), search::digest(space.canonical_text(), whole));
            EXPECT_EQ(store.evaluated(), whole.evaluated());
            EXPECT_EQ(store.counts_per_rule(), whole.counts_per_rule());
            EXPECT_TRUE(store.open_blocks().empty());
        }
    }
}

/// Its requests depend on the order of all results that it was told.
class Adaptive final : public search::Strategy {
  public:
    Adaptive(space::Space const& space, std::uint64_t lag) : size_(space.size()), lag_(lag) {}
    space::Batch ask(std::uint64_t max) override {
        std::vector<space::PointId> points;
        for (; max > 0 && requested_ < planned(); --max, ++requested_)
            points.push_back(space::PointId{sim::mixed_bits(told_ * 31 + requested_) % size_});
        for (auto const point : points) log.push_back(index_of(point));
        return space::Batch::list(std::move(points), models::Fidelity::analytic);
    }
    void tell(space::Result const& result) override { told_ = sim::mixed_bits(told_ ^ index_of(result.task.point)); }
    std::uint64_t lag() const override { return lag_; }
    std::uint64_t planned() const override { return 100; }
    std::vector<std::uint64_t> log;

  private:
    std::uint64_t size_, lag_;
    std::uint64_t requested_ = 0, told_ = 0;
};

TEST_F(Explore, asks_the_same_of_an_adaptive_strategy_whatever_arrives_first) {
    auto const space = testing::small_space();
    std::vector<std::vector<std::uint64_t>> logs;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        search::ResultStore store(space.metrics().size());
        auto journal = fresh_journal(space, std::to_string(seed) + ".journal");
        Adaptive strategy(space, 6);
        testing::Shuffling const shuffling{seed, 1 + seed % 4, 1 + static_cast<int>(seed % 8)};
        EXPECT_TRUE(explore_shuffled(space, strategy, shuffling, journal, store).complete);
        logs.push_back(strategy.log);
    }
    EXPECT_EQ(logs.front().size(), 100U);
    for (auto const& log : logs) EXPECT_EQ(log, logs.front());
}

TEST_F(Explore, tells_an_adaptive_strategy_restored_results_where_nothing_is_left_to_evaluate) {
    auto const space = testing::small_space();
    search::ResultStore store(space.metrics().size());
    auto journal = fresh_journal(space);
    Adaptive first(space, 6), again(space, 6);
    EXPECT_TRUE(explore_shuffled(space, first, {1, 4, 4}, journal, store).complete);
    auto const explored = explore_shuffled(space, again, {1, 4, 4}, journal, store);
    EXPECT_TRUE(explored.complete);
    EXPECT_EQ(explored.progress.evaluated, 0U);
    EXPECT_EQ(again.log, first.log);
}

TEST_F(Explore, goes_on_at_once_with_a_space_of_a_million_million_points) {
    auto space = space::parse_space(
        "schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"latency\"]\n[parameters]\ninput = { from = 1, to = "
        "100000 }\n"
        "output = { from = 1, to = 100000 }\nlora_rank = { from = 1, to = 100 }\n",
        "large", {});
    ASSERT_GE(space.size(), 1'000'000'000'000U);
    space.set_search({.keep = space::Keep::front});
    search::ResultStore store(space.metrics().size());
    for (std::uint64_t block = 0; block < 10'000; ++block)
        store.insert(space::BlockSummary{block, models::Fidelity::analytic, {}, {{"", space::BlockSummary::ids}}});
    run::Quarantine quarantine;
    for (std::uint64_t i = 0; i < 20'000; ++i)
        quarantine.started({models::Fidelity::analytic,
                            space::PointId{(20'000 + i) * space::BlockSummary::ids},
                            space::BlockSummary::ids,
                            {}});
    quarantine.settle(store);
    auto journal = fresh_journal(space);
    auto const begun = std::chrono::steady_clock::now();
    auto const explored = explore_shuffled(space, {1, 10, 1, 3}, journal, store, quarantine);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), 10.0)
        << "point by point it takes hours";
    EXPECT_GT(explored.progress.evaluated, 0U);
    EXPECT_EQ(explored.progress.told, 10'000 * space::BlockSummary::ids + explored.progress.evaluated);
    EXPECT_FALSE(explored.complete);
}

TEST_F(Explore, refuses_blocks_that_were_cut_by_another_budget) {
    auto space = testing::small_space();
    space.set_search({.keep = space::Keep::front});
    for (bool const whole : {true, false}) {
        search::ResultStore store(space.metrics().size());
        if (whole)
            store.insert(space::BlockSummary{0, models::Fidelity::analytic, {}, {{"", 17}}});
        else
            store.add(space::BlockPart{40, 20, models::Fidelity::analytic, {}, {{"", 20}}});
        auto journal = fresh_journal(space, whole ? "whole.journal" : "part.journal");
        EXPECT_THROW((void)explore_shuffled(space, {1, 10, 1}, journal, store), sim::InputError);
    }
}

}  // namespace
}  // namespace pimdse::dse::run::explore_test
