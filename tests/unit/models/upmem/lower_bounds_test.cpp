#include "models/upmem/lower_bounds.hpp"
#include "models/upmem/plan.hpp"

#include "models/upmem/cycle.hpp"
#include "support.hpp"
#include "tests/support/campaign.hpp"

#include <cmath>
#include <random>

namespace pimdse::models::upmem::lower_bounds_test {
namespace {

Task task_of(Design const& d) { return plan(prepared(), d).launches.front().task; }

Settings listing(std::string const& kernel, std::string const& tasklets, std::string const& block,
                 std::string const& elements, std::string const& preset = "upimulator-go") {
    return {
        {"kernel", kernel}, {"tasklets", tasklets}, {"dma_block", block}, {"elements", elements}, {"preset", preset}};
}

/// Every metric that says so holds the cycle-level result.
void expect_held(Settings const& settings) {
    auto const exact = upmem().outcome(settings, Fidelity::cycle);
    auto const metrics = upmem().row().metrics();
    std::string text;
    for (auto const& [name, value] : settings) text.append(name).append("=").append(value).append(" ");
    auto const coarse = upmem().outcome(settings, Fidelity::analytic);
    ASSERT_EQ(coarse.index(), exact.index()) << text;
    for (std::size_t i = 0; i < metrics.size() && std::holds_alternative<Metrics>(exact); ++i) {
        auto const& e = std::get<Metrics>(coarse)[i];
        double const truth = std::get<Metrics>(exact)[i].value, slack = 1e-12 * std::abs(truth);
        if (std::isnan(truth) || std::isnan(e.value)) continue;
        double const lower = e.kinds.lower != Bound::none ? e.lower : truth,
                     upper = e.kinds.upper != Bound::none ? e.upper : truth;
        EXPECT_LE(lower, truth + slack) << metrics[i].name << " at " << text;
        EXPECT_GE(upper, truth - slack) << metrics[i].name << " at " << text;
    }
}

}  // namespace

TEST(LowerBounds, hold_where_intervals_were_once_left) {
    expect_held({{"kernel", "uni"},
                 {"preset", "upimulator-cpp"},
                 {"dispatch_distance", "6"},
                 {"dma_block", "64"},
                 {"dpus", "64"},
                 {"ranks", "2"},
                 {"elements", "1024"},
                 {"mram_bandwidth", "350 MB/s"},
                 {"streams", "2"},
                 {"transfer", "parallel"}});
    // Two operands in one row; one block's transfers without address code; tasklets that skip to their first block.
    expect_held(listing("va", "1", "256", "49"));
    expect_held({{"kernel", "micro-wram-add"}, {"elements", "1"}, {"tasklets", "2"}, {"dispatch_distance", "7"}});
    expect_held(listing("dma1", "23", "8", "3", "upimulator-cpp"));
    // The last block is shortened before it is read.
    expect_held(listing("red", "3", "1024", "250", "upimulator-cpp"));
}

/// The counts in kernel files are those of the listings, whatever their sizes.
TEST(LowerBounds, know_the_instructions_of_every_listing) {
    for (std::string const kernel :
         {"va", "red", "hst-nomul", "dma1", "dmat", "bslike", "gemv-rows", "alu1", "aluhaz"}) {
        for (std::string const tasklets : {"1", "5", "16"}) {
            for (std::string const block : {"64", "1024"}) {
                Design const d =
                    read_design(upmem().point(listing(kernel, tasklets, block, kernel == "gemv-rows" ? "7" : "998")));
                auto const run = simulate(prepared(), d, task_of(d));
                auto const program = count_program(prepared(), d, task_of(d));
                EXPECT_TRUE(program.exact);
                EXPECT_EQ(program.all, static_cast<double>(run.counters.instructions))
                    << kernel << " " << tasklets << " " << block;
                EXPECT_LE(program.extras_min, static_cast<double>(run.counters.hazard_cycles))
                    << kernel << " " << tasklets << " " << block;
            }
        }
    }
    Design const locked = read_design(upmem().point(listing("mutex", "7", "64", "100")));
    auto const program = count_program(prepared(), locked, task_of(locked));
    EXPECT_FALSE(program.exact);
    EXPECT_LE(program.all, static_cast<double>(simulate(prepared(), locked, task_of(locked)).counters.instructions));
}

TEST(LowerBounds, know_the_instructions_of_programs_made_from_counts) {
    std::mt19937 random(131);
    auto const any = [&](std::vector<std::string> const& values) { return values[random() % values.size()]; };
    for (int round = 0; round < 60; ++round) {
        Design const d = read_design(upmem().point({{"kernel", any({"va", "uni", "hst-s", "bs", "gemv", "scan-ssa"})},
                                                    {"tasklets", any({"1", "3", "16"})},
                                                    {"elements", any({"8", "100", "777"})},
                                                    {"dma_block", any({"8", "24", "1000"})}}));
        auto const program = count_program(prepared(), d, task_of(d));
        EXPECT_EQ(program.all, static_cast<double>(simulate(prepared(), d, task_of(d)).counters.instructions));
    }
}

TEST(LowerBounds, hold_for_random_designs_of_several_parameters_at_once) {
    std::mt19937 random(137);
    auto const any = [&](std::vector<std::string> const& values) { return values[random() % values.size()]; };
    for (int round = 0; round < tests::draws(100, 20); ++round) {
        expect_held({{"kernel", any(upmem().inputs().parameters.front().choices)},
                     {"elements", any({"1", "7", "50", "333", "2048"})},
                     {"preset", any({"hardware", "upimulator-go", "upimulator-cpp"})},
                     {"lock", any({"none", "exclusive", "double_bank", "rank_level"})},
                     {"tasklets", any({"1", "2", "11", "16", "24"})},
                     {"dma_block", any({"8", "24", "64", "512", "1024", "2048"})},
                     {"dispatch_distance", any({"1", "6", "11", "14"})},
                     {"frequency", any({"100 MHz", "350 MHz", "933 MHz"})},
                     {"mram_bandwidth", any({"60 MB/s", "700 MB/s", "9 GB/s"})},
                     {"offload", any({"0 s", "1 ms"})},
                     {"dpus", any({"1", "5", "64"})},
                     {"ranks", any({"1", "2"})},
                     {"streams", any({"1", "3", "16"})}});
    }
}

/// Measured once: what the relaxations leave out is small where work is large.
TEST(LowerBounds, are_near_where_work_is_large) {
    for (std::string const tasklets : {"1", "4", "11", "16"}) {
        for (std::string const preset : {"hardware", "upimulator-cpp"}) {
            Settings const settings{{"elements", "262144"}, {"tasklets", tasklets}, {"preset", preset}};
            double const exact = upmem().value(settings, "kernel_cycles", Fidelity::cycle);
            EXPECT_GE(1.06 * upmem().estimate(settings, "kernel_cycles").lower, exact) << tasklets << preset;
        }
    }
}

}  // namespace pimdse::models::upmem::lower_bounds_test
