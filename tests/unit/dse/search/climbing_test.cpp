#include "../run/shuffling_transport.hpp"
#include "../small_space.hpp"
#include "dse/run/explore.hpp"
#include "dse/search/certificate_check.hpp"
#include "dse/search/front.hpp"
#include "dse/search/strategy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>

namespace pimdse::dse::climbing_test {
namespace {

/// In a folder that goes with them.
class Journals {
  public:
    Journals() { std::filesystem::create_directories(folder_); }
    ~Journals() { std::filesystem::remove_all(folder_); }
    Journals(Journals const&) = delete;
    Journals& operator=(Journals const&) = delete;

    store::journal::Journal fresh(space::Space const& space, std::string const& name) const {
        return store::journal::Journal::create(folder_ / name, store::journal::JournalHeader::of(space.columns()));
    }

  private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("pimdse_climbing_" + std::to_string(::getpid()));
};

TEST(Climbing, comes_to_the_front_of_the_cycle_level_whatever_arrives_first) {
    Journals const journals;
    auto space = dse::testing::small_space({{"llm", "llama-3.2-1b"}});
    space.set_search({.fidelity = models::Fidelity::cycle});
    search::ResultStore whole(space.metrics().size());
    auto whole_journal = journals.fresh(space, "whole.journal");
    (void)testing::explore_here(space, 2, whole_journal, whole);
    auto const front = search::front_of(whole, space.objectives(), models::Fidelity::cycle).ids();
    space.set_search({.strategy = "ladder", .fidelity = models::Fidelity::cycle});
    std::optional<search::Certificate> first;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        search::ResultStore store(space.metrics().size());
        auto journal = journals.fresh(space, std::to_string(seed) + ".journal");
        auto const bounded_search = search::make_strategy(space);
        EXPECT_TRUE(testing::explore_shuffled(space, *bounded_search,
                                              {seed, 1 + seed % 3, 1 + 3 * static_cast<int>(seed)}, journal, store)
                        .complete);
        EXPECT_EQ(search::front_of(store, space.objectives(), models::Fidelity::cycle).ids(), front);
        if (!first) first = bounded_search->certificate();
        EXPECT_EQ(bounded_search->certificate(), first);
        EXPECT_EQ(search::wrong_in_certificate(*first, store, space), std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace pimdse::dse::climbing_test
