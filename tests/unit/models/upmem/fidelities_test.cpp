#include "models/upmem/cost.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/plan.hpp"
#include "support.hpp"
#include "tests/support/campaign.hpp"

#include <cmath>
#include <map>
#include <random>

namespace pimdse::models::upmem::fidelities_test {
namespace {

/// A design whose cycle run is short.
Design random_design(std::mt19937& random) {
    Design d = read_design(upmem().point({}));
    d.kernel = random() % prepared().kernels.size();
    auto const shape = prepared().kernels[d.kernel].shape;
    d.tasklets = 1 + random() % 24;
    d.dma_block = 8 << (random() % 9);
    d.preset = static_cast<Preset>(random() % 3);
    d.elements =
        1 +
        random() % (shape == WorkShape::rows || shape == WorkShape::layers || shape == WorkShape::tiles ? 100 : 6000);
    if (prepared().kernels[d.kernel].slots[0] > 1000) d.elements = 1 + random() % 8;
    if (random() % 3 == 0) d.dispatch_distance = 1 + random() % 14;
    if (random() % 3 == 0) d.frequency = sim::Frequency{200e6 + static_cast<double>(random() % 600) * 1e6};
    if (random() % 3 == 0) d.mram_bandwidth = sim::Bandwidth{350e6 + static_cast<double>(random() % 3650) * 1e6};
    return d;
}

}  // namespace

TEST(Fidelities, bounds_of_the_closed_form_contain_the_cycle_run) {
    std::mt19937 random(77);
    int tried = 0;
    for (int round = 0; round < tests::draws(700); ++round) {
        Design const d = random_design(random);
        if (check_design(prepared(), d)) continue;
        Plan const work = plan(prepared(), d);
        if (check_memory(prepared(), d, work)) continue;
        auto const& launch = work.launches.front().task;
        double const exact = launch_cost(prepared(), d, launch, Fidelity::cycle).cycles.value;
        auto const cost = launch_cost(prepared(), d, launch, Fidelity::analytic);
        auto const& name = prepared().kernels[d.kernel].name;
        EXPECT_LE(cost.cycles.lower, exact) << name << " T" << d.tasklets << " B" << d.dma_block << " x" << d.elements
                                            << " preset " << static_cast<int>(d.preset);
        EXPECT_GE(cost.cycles.upper, exact) << name << " T" << d.tasklets << " B" << d.dma_block << " x" << d.elements
                                            << " preset " << static_cast<int>(d.preset);
        EXPECT_LE(cost.cycles.lower, cost.cycles.value);
        EXPECT_GE(cost.cycles.upper, cost.cycles.value);
        ++tried;
    }
    EXPECT_GT(tried, tests::draws(400, 1));
}

/// Two tasklets without a distance between their instructions, whose blocks take about as long to issue as to transfer.
TEST(Fidelities, the_upper_bound_has_room_for_tasklets_that_go_in_step) {
    std::mt19937 random(2026);
    double min_room = 2.0;
    for (int round = 0; round < tests::draws(200); ++round) {
        Design d = read_design(upmem().point({{"kernel", round % 2 == 0 ? "va" : "scan-ssa"}}));
        d.tasklets = 2 + round % 3;
        d.dispatch_distance = 1 + round % 2;
        d.dma_block = 64 << (random() % 5);
        d.preset = static_cast<Preset>(random() % 3);
        d.elements = 20000;
        d.mram_bandwidth = sim::Bandwidth{200e6 + static_cast<double>(random() % 800) * 1e6};
        auto const launch = plan(prepared(), d).launches.front().task;
        double const exact = launch_cost(prepared(), d, launch, Fidelity::cycle).cycles.value;
        double const upper = launch_cost(prepared(), d, launch, Fidelity::analytic).cycles.upper;
        EXPECT_GE(upper, exact) << d.tasklets << " tasklets, blocks of " << d.dma_block << ", " << d.mram_bandwidth.si;
        min_room = std::min(min_room, upper / exact);
    }
    EXPECT_LT(min_room, 1.25) << "some of them need it";
}

TEST(Fidelities, bounds_of_every_metric_contain_the_cycle_result) {
    std::mt19937 random(83);
    auto const any = [&](std::vector<std::string> const& values) { return values[random() % values.size()]; };
    auto const metrics = upmem().row().metrics();
    int tried = 0;
    for (int round = 0; round < tests::draws(100); ++round) {
        auto const point =
            upmem().point({{"kernel", any({"va", "red", "hst-s", "scan-ssa", "gemv", "bs", "gemv-int8", "mlp"})},
                           {"elements", any({"64", "500", "2000"})},
                           {"preset", any({"hardware", "upimulator-go", "upimulator-cpp"})},
                           {"lock", any({"none", "exclusive", "double_bank", "rank_level"})},
                           {"transfer", any({"table1", "parallel", "serial", "constant"})},
                           {"tasklets", any({"1", "3", "11", "16"})},
                           {"dma_block", any({"64", "512", "1024"})},
                           {"frequency", any({"200 MHz", "350 MHz", "800 MHz"})},
                           {"dpus", any({"1", "3", "8"})},
                           {"ranks", any({"1", "2"})},
                           {"streams", any({"1", "2", "5"})}});
        auto const exact = upmem().row().evaluate(upmem().inputs(), point, Fidelity::cycle);
        if (!std::holds_alternative<Metrics>(exact)) continue;
        ++tried;
        auto const coarse = upmem().row().evaluate(upmem().inputs(), point, Fidelity::analytic);
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            auto const& e = std::get<Metrics>(coarse)[i];
            double const truth = std::get<Metrics>(exact)[i].value;
            if (e.kinds == Bound::none || std::isnan(truth)) continue;
            EXPECT_LE(e.lower, truth + 1e-12 * std::abs(truth)) << metrics[i].name << " round " << round;
            EXPECT_GE(e.upper, truth - 1e-12 * std::abs(truth)) << metrics[i].name << " round " << round;
        }
    }
    EXPECT_GT(tried, tests::draws(30, 1));
}

TEST(LaunchCosts, of_equal_tasks_are_equal_whatever_else_the_launches_carry) {
    std::mt19937 random(79);
    int met = 0;
    for (int round = 0; round < 200; ++round) {
        Design d = random_design(random);
        d.streams = 2 + random() % 6;
        if (check_design(prepared(), d)) continue;
        auto const launches = plan(prepared(), d).launches;
        std::map<Task, LaunchCost> known;
        for (auto const& launch : launches) {
            auto const fresh = launch_cost(prepared(), d, launch.task, Fidelity::analytic);
            auto const [at, is_new] = known.try_emplace(launch.task, fresh);
            met += is_new ? 0 : 1;
            EXPECT_EQ(at->second.cycles.value, fresh.cycles.value);
            EXPECT_EQ(at->second.cycles.lower, fresh.cycles.lower);
            EXPECT_EQ(at->second.cycles.upper, fresh.cycles.upper);
            EXPECT_EQ(at->second.dma_busy.value, fresh.dma_busy.value);
        }
    }
    EXPECT_GT(met, 100);
}

TEST(LaunchCosts, are_told_apart_by_every_field_of_the_work) {
    Task const task{5, {}};
    auto const differs = [&](auto DpuWork::*field) {
        Task other = task;
        other.work.*field += 1;
        EXPECT_TRUE(task < other || other < task);
    };
    differs(&DpuWork::blocks);
    differs(&DpuWork::chunk);
    for (auto const field : {&DpuWork::slots_per_block, &DpuWork::instructions_per_block, &DpuWork::total_slots,
                             &DpuWork::total_instructions, &DpuWork::reads, &DpuWork::writes, &DpuWork::read_bytes,
                             &DpuWork::write_bytes, &DpuWork::read_rows, &DpuWork::write_rows, &DpuWork::fixed_slots,
                             &DpuWork::serial_slots, &DpuWork::start_cycles})
        differs(field);
    EXPECT_TRUE((task < Task{6, {}}));
}

TEST(Fidelities, every_kernel_of_the_public_list_agrees_across_the_three_at_its_usual_size) {
    for (std::string const kernel : {"va", "red", "hst-s", "scan-ssa", "scan-rss", "gemv", "bs", "sel", "uni", "mlp",
                                     "ts", "trns", "hst-l", "gemv-int8"}) {
        for (std::string const preset : {"hardware", "upimulator-cpp"}) {
            std::string const elements = kernel == "gemv" || kernel == "gemv-int8" || kernel == "ts" ? "1024"
                                         : kernel == "mlp"                                           ? "128"
                                         : kernel == "trns"                                          ? "4"
                                                                                                     : "65536";
            Settings const settings{{"kernel", kernel}, {"preset", preset}, {"elements", elements}};
            double const exact = upmem().value(settings, "kernel_cycles", Fidelity::cycle);
            EXPECT_NEAR(upmem().value(settings, "kernel_cycles", Fidelity::analytic), exact, 0.15 * exact)
                << kernel << preset;
        }
    }
}

TEST(Fidelities, hardware_preset_costs_what_it_costs_in_the_closed_form) {
    Settings const settings{{"elements", "262144"}};
    double const exact = upmem().value(settings, "kernel_cycles", Fidelity::cycle) / 262144.0;
    EXPECT_NEAR(exact, 10.15, 0.15);
    EXPECT_EQ(upmem().estimate(settings, "kernel_cycles", Fidelity::cycle).kinds, Bound::proved);
}

TEST(Fidelities, counters_are_results_of_the_cycle_fidelity_only) {
    Settings const settings{{"preset", "upimulator-go"}, {"tasklets", "4"}, {"elements", "65536"}};
    EXPECT_EQ(upmem().value(settings, "kernel_cycles", Fidelity::cycle), 1504704.0);
    EXPECT_EQ(upmem().value(settings, "instructions", Fidelity::cycle), 464200.0);
    EXPECT_EQ(upmem().value(settings, "hazard_cycles", Fidelity::cycle), 2317.0);
    EXPECT_TRUE(std::isnan(upmem().value(settings, "instructions")));
    EXPECT_EQ(upmem().estimate(settings, "instructions").kinds, Bound::none);
}

TEST(Fidelities, same_point_gives_the_same_result_to_the_bit) {
    Settings const settings{{"kernel", "red"}, {"preset", "upimulator-cpp"}, {"elements", "20000"}, {"streams", "3"}};
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        EXPECT_EQ(upmem().value(settings, "latency", fidelity), upmem().value(settings, "latency", fidelity));
    }
}

TEST(Fidelities, more_mram_bandwidth_and_a_shorter_dispatch_distance_are_never_slower) {
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        for (std::string const tasklets : {"2", "16"}) {
            double last = 1e300;
            for (std::string const rate : {"350 MB/s", "700 MB/s", "1.4 GB/s", "4 GB/s"}) {
                double const now =
                    upmem().value({{"tasklets", tasklets}, {"elements", "30000"}, {"mram_bandwidth", rate}},
                                  "kernel_cycles", fidelity);
                EXPECT_LE(now, last * 1.002);
                last = now;
            }
            last = 1e300;
            for (std::string const distance : {"14", "11", "6", "1"}) {
                double const now =
                    upmem().value({{"tasklets", tasklets}, {"elements", "30000"}, {"dispatch_distance", distance}},
                                  "kernel_cycles", fidelity);
                EXPECT_LE(now, last * 1.002);
                last = now;
            }
        }
    }
}

}  // namespace pimdse::models::upmem::fidelities_test
