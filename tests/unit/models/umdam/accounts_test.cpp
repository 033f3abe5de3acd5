#include "models/contract/parameter_text.hpp"
#include "models/contract/validation.hpp"
#include "models/umdam/umdam.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace pimdse::models::umdam {
namespace {

using Setting = std::vector<std::pair<std::string, std::string>>;

struct Accounts {
    std::map<std::string, double> metrics, joules, areas;
};

Accounts accounts_of(Setting const& setting) {
    auto const architecture = umdam::architecture();
    auto table = architecture.parameters();
    auto const point = point_with(table, setting);
    auto const inputs = prepare(architecture, table);
    auto const outcome = architecture.evaluate(inputs, point, Fidelity::analytic);
    auto const shares = architecture.explain(inputs, point, Fidelity::analytic);
    Accounts a;
    auto const names = architecture.metrics();
    for (std::size_t i = 0; i < names.size(); ++i) a.metrics[names[i].name] = std::get<Metrics>(outcome).at(i).value;
    for (auto const& share : shares.energy) a.joules[share.what] += share.amount;
    for (auto const& share : shares.area) a.areas[share.what] += share.amount;
    return a;
}

TEST(UmdamAccounts, charge_dram_that_is_powered_and_refreshed_for_the_whole_request) {
    for (char const* const ranks : {"1", "2"}) {
        auto const a = accounts_of({{"llm", "opt-1.3b"}, {"ranks", ranks}});
        double const dies = 4.0 * std::stod(ranks), latency = a.metrics.at("latency");
        EXPECT_NEAR(a.joules.at("dram_background"), dies * (42.0 + 5.04 + 0.3) * 1e-3 * latency, 1e-9 * latency);
        EXPECT_NEAR(a.joules.at("dram_refresh"), dies * (215.25 - 34.125) * 1e-3 * 304.0 / 3125.0 * latency,
                    1e-9 * latency);
    }
    EXPECT_FALSE(accounts_of({{"refresh", "none"}}).joules.contains("dram_refresh"));
}

TEST(UmdamAccounts, make_up_idle_power_by_hand) {
    double const cubes = 0.1 * 0.391e-12 * 16e12, vectors = 0.1 * 1.8e-12 * 16e12 * 128 / 8192;
    double const pim = 64 * 0.05 * 32 * 8 * 0.32e-12 / 4e-9, channels = 4 * 15e-3;
    double const sram = 20e-3 * (8.0 + 2.0 * 1.375 + 4.0 * 2.0 * 2048.0 / 1048576.0);
    double const dram = 4 * (4.095e-3 + (215.25 - 34.125) * 1e-3 * 304.0 / 3125.0);
    EXPECT_NEAR(accounts_of({}).metrics.at("idle_power"), cubes + vectors + pim + channels + sram + dram, 1e-9);
}

TEST(UmdamAccounts, raise_the_energy_of_a_multiplication_with_the_clock_and_its_voltage) {
    auto const joules = [](char const* interval) {
        return accounts_of({{"llm", "opt-1.3b"}, {"pim_mac_interval", interval}}).joules.at("in_memory_logic/decode");
    };
    EXPECT_NEAR(joules("1 ns") / joules("4 ns"), 1.18 * 1.18, 1e-9);
    EXPECT_NEAR(joules("8 ns") / joules("4 ns"), 0.97 * 0.97, 1e-9);
}

TEST(UmdamAccounts, leave_no_time_of_a_unit_out_and_charge_none_twice) {
    // units that only wait: the same machine without a product in memory, weights that stay where they are
    auto const a = accounts_of({{"baseline", "npu_only"}, {"llm", "opt-125m"}});
    EXPECT_FALSE(a.joules.contains("in_memory_logic/decode"));
    EXPECT_NEAR(a.joules.at("idle_units/pim"), 64 * 0.05 * 32 * 8 * 0.32e-12 / 4e-9 * a.metrics.at("latency"), 1e-12);
    auto const busy = accounts_of({{"llm", "opt-125m"}});
    EXPECT_LT(busy.joules.at("idle_units/pim") / busy.metrics.at("latency"),
              a.joules.at("idle_units/pim") / a.metrics.at("latency"));
}

TEST(UmdamAccounts, count_a_die_for_each_rank_of_a_channel) {
    EXPECT_NEAR(accounts_of({}).metrics.at("memory_area"), 4 * 32 * 4.149e-6, 1e-12);
    EXPECT_NEAR(accounts_of({{"ranks", "2"}, {"density", "16"}}).metrics.at("memory_area"), 8 * 16 * 4.149e-6, 1e-12);
    // 250 MHz: a quarter of a unit of 1 GHz goes with the clock
    EXPECT_NEAR(accounts_of({}).areas.at("in_bank_logic/units"), 64 * 0.19e-6 * (0.75 + 0.25 * 0.25), 1e-12);
    // 16 rows at once, four of which any die opens: 0.02 mm2 for each of 2.95 nJ
    EXPECT_NEAR(accounts_of({}).areas.at("in_bank_logic/row_supply"), 4 * 12 * 2.95 * 0.02e-6, 1e-12);
    EXPECT_NEAR(accounts_of({}).areas.at("matrix_unit"), 2 * 2.57e-6, 1e-12);
}

TEST(UmdamAccounts, answer_common_metrics_of_one_request) {
    auto const a = accounts_of({{"llm", "opt-1.3b"}, {"batch", "2"}, {"output", "16"}}).metrics;
    EXPECT_EQ(a.at("precision"), 16.0);
    EXPECT_NEAR(a.at("energy_per_token") * 32.0, a.at("energy"), 1e-9 * a.at("energy"));
    EXPECT_NEAR(a.at("itl") * 16.0 + a.at("ttft"), a.at("latency"), 1e-9 * a.at("latency"));
    // 24 layers, keys and values of 2,048 elements of two bytes, two requests of 128 + 16 positions
    EXPECT_NEAR(a.at("footprint") - a.at("weight_footprint"), 24.0 * 2 * 2048 * 2 * 2 * 144, 1.0);
}

Setting blocks(Setting more = {}) {
    Setting setting{{"generation", "diffusion"}, {"llm", "llada-8b"}, {"steps", "4"},
                    {"block_length", "16"},      {"output", "64"},    {"ignore_capacity", "true"}};
    setting.insert(setting.end(), more.begin(), more.end());
    return setting;
}

TEST(UmdamDiffusion, is_as_many_passes_as_blocks_have_steps) {
    auto const all = accounts_of(blocks()).metrics, one = accounts_of(blocks({{"steps", "1"}})).metrics;
    EXPECT_NEAR(all.at("ttft"), one.at("ttft"), 1e-12);
    EXPECT_NEAR(one.at("latency"), 4.0 * one.at("ttft"), 1e-9);
    EXPECT_NEAR(all.at("ttft") + 63.0 * all.at("itl"), all.at("latency"), 1e-9);
    auto const none = accounts_of(blocks({{"model_cache", "none"}})).metrics;
    auto const prefix = accounts_of(blocks({{"model_cache", "prefix"}})).metrics;
    EXPECT_LT(all.at("latency"), prefix.at("latency"));
    EXPECT_LT(prefix.at("latency"), none.at("latency"));
    EXPECT_NEAR(none.at("latency"), 16.0 * none.at("ttft"), 1e-9);
}

TEST(UmdamDiffusion, multiplies_in_the_banks_for_each_position_where_asked) {
    auto const joules = [](Setting const& more) { return accounts_of(blocks(more)).joules; };
    EXPECT_FALSE(joules({}).contains("in_memory_logic/decode"));
    // 12 cached steps of 16 positions: 32 layers and the LM head of llada-8b, 16 bit, 0.32 pJ a bit
    double const weights = 32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 12288) + 4096.0 * 126464;
    EXPECT_NEAR(joules({{"denoising", "pim"}}).at("in_memory_logic/decode"), 12 * 16 * weights * 16 * 0.32e-12,
                1e-9 * weights);
    auto const moved = [](char const* who) {
        return accounts_of(blocks({{"denoising", who}, {"baseline", "relayout"}})).metrics.at("relayout_time");
    };
    EXPECT_EQ(moved("npu"), 0.0);
    EXPECT_NEAR(moved("pim"),
                7.0 *
                    accounts_of({{"llm", "llama-3-8b"}, {"baseline", "relayout"}, {"ignore_capacity", "true"}})
                        .metrics.at("relayout_time") *
                    weights / (32.0 * (2.5 * 4096 * 4096 + 3.0 * 4096 * 14336) + 4096.0 * 128256),
                0.01 * moved("pim"));
}

TEST(UmdamDiffusion, is_bounded_by_every_fidelity) {
    auto const architecture = umdam::architecture();
    for (auto const* who : {"npu", "pim"}) {
        auto table = architecture.parameters();
        auto const point = point_with(table, blocks({{"denoising", who}, {"llm", "opt-125m"}, {"output", "32"}}));
        auto const inputs = prepare(architecture, table);
        auto const of = [&](Fidelity f) { return std::get<Metrics>(architecture.evaluate(inputs, point, f)); };
        auto const truth = of(Fidelity::cycle);
        for (auto const fidelity : {Fidelity::analytic}) {
            auto const coarse = of(fidelity);
            for (std::size_t i = 0; i < truth.size(); ++i) {
                EXPECT_LE(coarse[i].low * (1.0 - 1e-12), truth[i].value) << architecture.metrics()[i].name << who;
                EXPECT_GE(coarse[i].high * (1.0 + 1e-12), truth[i].value) << architecture.metrics()[i].name << who;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam
