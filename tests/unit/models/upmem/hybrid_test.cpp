#include "models/upmem/hybrid.hpp"

#include "models/upmem/cycle.hpp"
#include "models/upmem/plan.hpp"
#include "support.hpp"

namespace pimdse::models::upmem::hybrid_test {
namespace {

struct Made {
    Design design;
    DpuWork work;
    DmaLaw law;
};

Made made(Settings const& settings) {
    auto const& p = prepared();
    Design const d = read_design(upmem().point(settings));
    return {d, plan(p, d).launches.front().task.work, dma_law(p, d)};
}

double exact(Settings const& settings) {
    auto const& p = prepared();
    Design const d = read_design(upmem().point(settings));
    return static_cast<double>(simulate(p, d, plan(p, d).launches.front().task).counters.cycles);
}

FluidOptions options() { return fluid_options(prepared().machine); }

double fluid(Made const& m) {
    return fluid_model(m.work, m.law, m.design.tasklets, m.design.dispatch_distance, options()).cycles;
}

}  // namespace

TEST(Fluid, vector_addition_is_within_3_percent_of_the_cycle_run_at_every_tasklet_count) {
    for (std::string const preset : {"upimulator-go", "upimulator-cpp"}) {
        for (int t = 1; t <= 24; ++t) {
            Settings const settings{{"preset", preset}, {"tasklets", std::to_string(t)}, {"elements", "65536"}};
            double const wanted = exact(settings);
            double const ours = fluid(made(settings));
            EXPECT_NEAR(ours, wanted, 0.03 * wanted) << preset << " " << t << ": " << ours / wanted - 1.0;
            RecordProperty(preset + std::to_string(t), std::to_string(ours / wanted - 1.0));
        }
    }
}

TEST(Fluid, extrapolation_from_the_steady_state_equals_simulating_every_block) {
    for (std::string const preset : {"hardware", "upimulator-go", "upimulator-cpp"}) {
        for (int t : {1, 2, 5, 8, 11, 13, 16, 21}) {
            auto const m = made({{"preset", preset}, {"tasklets", std::to_string(t)}, {"elements", "2000002"}});
            double const wanted = fluid_cycles(m.work, m.law, t, 11, options());
            EXPECT_NEAR(fluid(m), wanted, 0.001 * wanted) << preset << t;
        }
    }
}

TEST(Fluid, computing_tasklets_share_the_issue_slot) {
    DpuWork work;
    for (std::int64_t t = 1; t <= 24; ++t) {
        work.blocks = t;
        work.slots_per_block = work.instructions_per_block = 500;
        work.total_slots = work.total_instructions = 500.0 * static_cast<double>(t);
        EXPECT_NEAR(fluid_cycles(work, {}, t, 11, options()),
                    500.0 * static_cast<double>(std::max<std::int64_t>(11, t)), 1e-6);
    }
}

TEST(Fluid, requests_wait_for_the_one_server) {
    DpuWork work;
    work.blocks = 8;
    work.reads = 1;
    work.read_bytes = 1024;
    DmaLaw const law{72, 0, 0.5, 0};
    EXPECT_NEAR(fluid_cycles(work, law, 8, 11, options()), 8 * 584.0, 1e-6);
    EXPECT_NEAR(fluid_cycles(work, law, 1, 11, options()), 8 * 584.0, 1e-6);
}

TEST(Fluid, never_beats_the_floor) {
    for (std::string const kernel : {"va", "red", "scan-ssa", "gemv", "bs"}) {
        for (int t = 1; t <= 16; ++t) {
            auto const m = made({{"kernel", kernel}, {"tasklets", std::to_string(t)}, {"elements", "32768"}});
            EXPECT_GE(fluid(m) * (1 + 1e-12), cycles_floor(m.work, m.law, t, 11)) << kernel << t;
        }
    }
}

}  // namespace pimdse::models::upmem::hybrid_test
