#include "models/upmem/ledger.hpp"

#include "support.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::models::upmem::ledger_test {
namespace {

Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return settings;
}

double row(Settings const& settings, std::string const& name) {
    for (auto const& share :
         upmem().row().explain(upmem().inputs(), upmem().point(settings), Fidelity::analytic).energy) {
        if (share.what == name) return share.amount;
    }
    ADD_FAILURE() << name;
    return 0.0;
}

/// One DPU of one rank, a second of it.
struct OneSecond {
    Design design = read_design(upmem().point({{"dpus", "64"}}));
    Timeline time;
    OneSecond() { time.total = sim::Time{1.0}; }
};

}  // namespace

/// 64 DPUs run all of the second and read MRAM at the measured rate: eight chips at their published power.
TEST(Accounts, a_rank_at_work_draws_what_is_published_of_its_chips) {
    OneSecond const one;
    Plan plan;
    DpuWork work;
    work.blocks = 1;
    work.reads = 1;
    work.read_bytes = 628.23e6;
    work.read_rows = 628.23e6 / 1024;
    plan.launches.push_back({"", {0, work}});
    std::vector const cycles{350e6};
    auto const e = energy_rows_of(prepared(), one.design, powers_of(prepared().machine, one.design), plan, one.time,
                                  {cycles, 350e6});
    EXPECT_NEAR(sum_of(e), 8 * 1.2, 1e-9);
    EXPECT_NEAR(e[energy_row("dram_background")], 8 * 45.9e-3, 1e-9);
    EXPECT_NEAR(e[energy_row("idle_units")], 0.0, 1e-12);
}

TEST(Accounts, a_rank_that_waits_draws_its_idle_power) {
    OneSecond const one;
    auto const e =
        energy_rows_of(prepared(), one.design, powers_of(prepared().machine, one.design), {}, one.time, {{}, 0.0});
    EXPECT_NEAR(sum_of(e), powers_of(prepared().machine, one.design).rest.idle(), 1e-12);
    EXPECT_NEAR(sum_of(e) / 64, 40e-3, 1e-3);
    EXPECT_NEAR(upmem().value({{"dpus", "64"}}, "idle_power"), sum_of(e), 1e-12);
}

TEST(Accounts, dpus_of_used_ranks_that_wait_are_charged) {
    Settings const two{{"dpus", "64"}, {"ranks", "2"}, {"transfer", "parallel"}};
    double const waiting = row(two, "idle_units"),
                 alone = row({{"dpus", "64"}, {"transfer", "parallel"}}, "idle_units");
    EXPECT_GT(waiting, alone);
    EXPECT_NEAR(upmem().value(two, "area"), 2 * upmem().value({{"dpus", "64"}}, "area"), 1e-12);
    EXPECT_NEAR(upmem().value({}, "area"), upmem().value({{"dpus", "64"}}, "area"), 1e-12);
}

TEST(Accounts, energy_per_operation_follows_the_voltage) {
    double const slow = row({}, "in_memory_logic"), fast = row({{"frequency", "700 MHz"}}, "in_memory_logic");
    EXPECT_GT(fast, slow);
    EXPECT_NEAR(row({{"frequency", "700 MHz"}}, "sram") / row({}, "sram"), 1.3 * 1.3, 1e-9);
    EXPECT_THAT(upmem().refusal({{"frequency", "1.1 GHz"}}), says("clock-dpu-clock-ghz"));
    EXPECT_EQ(upmem().refusal({{"frequency", "99 MHz"}}).substr(0, 7), "clock: ");
}

TEST(Accounts, what_makes_a_dpu_faster_makes_it_larger) {
    for (auto const& [name, value] :
         {std::pair{"mram_bandwidth", "1.4 GB/s"}, {"dispatch_distance", "5"}, {"dispatch_distance", "10"}}) {
        EXPECT_GT(upmem().value({{name, value}}, "area"), upmem().value({}, "area")) << name;
        EXPECT_GT(upmem().value({{name, value}}, "idle_power"), upmem().value({}, "idle_power")) << name;
    }
    EXPECT_GT(upmem().value({{"lock", "double_bank"}}, "memory_area"), upmem().value({}, "memory_area"));
}

TEST(Accounts, small_blocks_open_more_rows) {
    Settings const va{{"elements", "65536"}, {"tasklets", "11"}};
    EXPECT_GT(row(with(va, "dma_block", "8"), "dram_array"), 1.5 * row(va, "dram_array"));
}

TEST(Accounts, the_host_adds_up_what_dpus_return) {
    Settings const red{{"kernel", "red"}, {"preset", "upimulator-cpp"}, {"dpus", "64"}};
    EXPECT_NEAR(upmem().value(red, "host_time"), 64 / 2.5e9, 1e-15);
    EXPECT_NEAR(upmem().value(with(red, "kernel", "hst-s"), "host_time"), 64 * 256 / 2.5e9, 1e-12);
    EXPECT_NEAR(row(red, "host_compute"), 10.6 * 64 / 2.5e9, 1e-12);
    EXPECT_GT(upmem().value({{"kernel", "scan-ssa"}}, "host_time"), 0.1e-3);
    EXPECT_EQ(upmem().value({}, "host_time"), 0.0);
}

/// What real systems scatter is said beside the results, not by their bounds: those are of the model's own cycle level.
TEST(Accounts, measured_transfers_lie_within_the_spread_that_is_published_of_them) {
    auto const& spread = prepared().machine.allowance;
    for (auto const& row : rows_of("prim_rows.csv")) {
        Settings const settings{{"kernel", row.at("kernel")},
                                {"dpus", row.at("dpus")},
                                {"elements", row.at("elements")},
                                {"transfer", "parallel"}};
        for (auto const& [metric, column] :
             {std::pair{"input_time", "cpu_to_dpu_ms"}, {"output_time", "dpu_to_cpu_ms"}}) {
            auto const e = upmem().estimate(settings, metric);
            double const measured = std::stod(row.at(column)) * 1e-3;
            EXPECT_LE(spread.transfer_lower_bound * e.value, measured) << row.at("kernel") << " " << metric;
            EXPECT_GE(spread.transfer_upper_bound * e.value, measured) << row.at("kernel") << " " << metric;
            EXPECT_TRUE(e.is_exact());
        }
    }
}

TEST(Accounts, of_the_cycle_level_are_exact) {
    auto const outcome = upmem().outcome({{"elements", "1000"}, {"streams", "3"}, {"dpus", "2"}}, Fidelity::cycle);
    auto const& results = std::get<Metrics>(outcome);
    auto const metrics = upmem().row().metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        EXPECT_TRUE(results[i].is_exact() || std::isnan(results[i].value)) << metrics[i].name;
    }
    auto const input = static_cast<std::size_t>(find_metric(metrics, "input_time"));
    auto const& spread = prepared().machine.allowance;
    auto const said = fmt::format("{} to {} times", spread.transfer_lower_bound, spread.transfer_upper_bound);
    EXPECT_NE(metrics[input].meaning.find(said), std::string::npos);
}

}  // namespace pimdse::models::upmem::ledger_test
