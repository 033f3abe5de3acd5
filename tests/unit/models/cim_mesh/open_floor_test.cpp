#include "models/cim_mesh/placed_design.hpp"

#include "models/contract/common_metrics.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

/// A placement that is to be searched is searched at cycle level alone.
namespace pimdse::models::cim_mesh::test::open_floor_test {
namespace {

Settings searched(char const* model, char const* schedule) {
    return with(small(model, schedule), "placement", "searched");
}

TEST(OpenFloor, holds_what_the_search_finds) {
    tests::Turns turns(7);
    for (char const* model : {"opt-125m", "llama-3.2-1b", "llada-8b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (auto const& extra : std::vector<Setting>{{"kv_pool", "attention"},
                                                          {"gating", "none"},
                                                          {"fifo_bytes", "24"},
                                                          {"machine", "leap-a"},
                                                          {"machine", "leap-d"},
                                                          {"dynamic_products", "reprogram"},
                                                          {"dynamic_products", "digital"},
                                                          {"dynamic_products", "shared"},
                                                          {"mesh_cols", "5"},
                                                          {"mesh_rows", "64"},
                                                          {"parallel_columns", "64"}}) {
                if (!turns.next()) continue;
                expect_bounds(Given(with(searched(model, schedule), {extra})),
                              std::string(model) + " " + schedule + " " + extra.first + " " + extra.second);
            }
        }
    }
}

/// Packing and the search, one after the other.
TEST(OpenFloor, judged_is_the_faster_of_packed_and_searched) {
    int packed_wins = 0, search_wins = 0;
    for (auto const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b"}) {
        for (auto const* schedule : {"serial", "tree"}) {
            auto const latency = [&](char const* placement) {
                return Given(with(small(model, schedule), "placement", placement))
                    .metric("latency", Fidelity::cycle)
                    .value;
            };
            double const packed = latency("packed"), searched = latency("searched");
            EXPECT_EQ(latency("judged"), std::min(packed, searched)) << model << " " << schedule;
            packed_wins += packed < searched ? 1 : 0;
            search_wins += searched < packed ? 1 : 0;
        }
    }
    EXPECT_GT(packed_wins, 0);
    EXPECT_GT(search_wins, 0);
}

TEST(OpenFloor, says_what_packing_says_and_that_it_is_not_sure) {
    auto const settings = searched("llama-3.2-1b", "serial");
    Given const open(settings), packed(with(settings, "placement", "packed"));
    auto const gain = open.metric("placement_gain");
    EXPECT_EQ(gain.lower, 0.0);
    EXPECT_EQ(gain.upper, 1.0);
    EXPECT_TRUE(open.metric("placement_gain", Fidelity::cycle).is_exact());
    for (char const* name : {"ttft", "itl", "energy", "idle_power", "max_link_load"}) {
        EXPECT_EQ(open.metric(name).value, packed.metric(name).value) << name;
        EXPECT_FALSE(open.metric(name).is_exact()) << name;
        EXPECT_EQ(open.metric(name).kinds.lower, Bound::proved) << name;
        EXPECT_TRUE(packed.metric(name).is_exact()) << name;
    }
    EXPECT_TRUE(open.metric("area").is_exact());
}

TEST(OpenFloor, makes_growing_and_shrinking_numbers_of_an_interval) {
    sim::Bounded const number{2.0, 1.0, 4.0, {sim::Bound::proved, sim::Bound::calibrated}};
    auto const grown = over(number, [](double x) { return 3.0 * x; });
    EXPECT_EQ(grown.lower, 3.0);
    EXPECT_EQ(grown.upper, 12.0);
    EXPECT_EQ(grown.kinds, number.kinds);
    auto const shrunk = over(number, [](double x) { return 8.0 / x; });
    EXPECT_EQ(shrunk.lower, 2.0);
    EXPECT_EQ(shrunk.value, 4.0);
    EXPECT_EQ(shrunk.upper, 8.0);
    EXPECT_EQ(shrunk.kinds, number.kinds.swapped());
    EXPECT_TRUE(over(sim::Bounded(2.0), [](double x) { return x * x; }).is_exact());
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::open_floor_test
