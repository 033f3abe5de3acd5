#include "shipped.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>

namespace pimdse::models::umdam::accounts_test {
namespace {

using tests::Setting;

struct Accounts {
    std::map<std::string, double> metrics, joules, areas;
};

Accounts accounts_of(Setting const& setting, Assumptions const& assumptions = {}) {
    auto const shares = asked(setting, {"", assumptions}).explained();
    Accounts a;
    auto const names = shipped_umdam().metrics();
    for (std::size_t i = 0; i < names.size(); ++i)
        a.metrics[names[i].name] = std::get<Metrics>(shares.outcome).at(i).value;
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
    double const matrix_units = 0.1 * 0.391e-12 * 16e12, vectors = 0.1 * 1.8e-12 * 16e12 * 128 / 8192;
    double const pim = 64 * 0.05 * 32 * 8 * 0.32e-12 / 4e-9, channels = 4 * 15e-3;
    double const sram = 20e-3 * (8.0 + 2.0 * 1.375 + 4.0 * 2.0 * 2048.0 / 1048576.0);
    double const dram = 4 * (4.095e-3 + (215.25 - 34.125) * 1e-3 * 304.0 / 3125.0);
    EXPECT_NEAR(accounts_of({}).metrics.at("idle_power"), matrix_units + vectors + pim + channels + sram + dram, 1e-9);
}

TEST(UmdamAccounts, raise_the_energy_of_a_multiplication_with_the_clock_and_its_voltage) {
    auto const joules = [](char const* interval) {
        return accounts_of({{"llm", "opt-1.3b"}, {"channels", "2"}, {"pim_mac_interval", interval}})
            .joules.at("in_memory_logic/decode");
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

TEST(UmdamAccounts, evaluate_common_metrics_of_one_request) {
    auto const a = accounts_of({{"llm", "opt-1.3b"}, {"batch", "2"}, {"output", "16"}}).metrics;
    EXPECT_EQ(a.at("precision"), 16.0);
    EXPECT_NEAR(a.at("energy_per_token") * 32.0, a.at("energy"), 1e-9 * a.at("energy"));
    EXPECT_NEAR(a.at("itl") * 15.0 + a.at("ttft"), a.at("latency"), 1e-9 * a.at("latency"));
    // 24 layers, keys and values of 2,048 elements of two bytes, two requests of 128 + 16 positions
    EXPECT_NEAR(a.at("footprint") - a.at("weight_footprint"), 24.0 * 2 * 2048 * 2 * 2 * 144, 1.0);
}

TEST(UmdamAccounts, tell_the_power_of_prefill_and_decode_apart) {
    auto const a = accounts_of({{"llm", "opt-1.3b"}, {"input", "1024"}, {"output", "64"}}).metrics;
    double const decode = a.at("latency") - a.at("ttft");
    EXPECT_NEAR(a.at("prefill_power") * a.at("ttft") + a.at("decode_power") * decode, a.at("energy"),
                1e-9 * a.at("energy"));
    EXPECT_EQ(a.at("peak_power"), std::max(a.at("prefill_power"), a.at("decode_power")));
    EXPECT_GT(a.at("peak_power"), 1.2 * a.at("power"));
    EXPECT_TRUE(std::isnan(accounts_of({{"output", "1"}}).metrics.at("decode_power")));
    EXPECT_EQ(a.at("silicon"), a.at("area") + a.at("memory_area"));
}

TEST(UmdamAccounts, charge_a_package_for_what_its_own_channels_draw) {
    Setting const four{{"llm", "opt-1.3b"}, {"decode_unit", "pim"}, {"attention", "pim"}, {"lm_head", "skip"}};
    auto const a = accounts_of(four);
    double const in_package = a.joules.at("dram_array/decode") + a.joules.at("in_memory_logic/decode") +
                              0.5 * a.joules.at("dram_interface/decode");
    double const decode = a.metrics.at("latency") - a.metrics.at("ttft");
    EXPECT_GT(a.metrics.at("package_power"), in_package / decode);
    EXPECT_LT(a.metrics.at("package_power"), in_package / decode + 4 * 0.1);  // four dies at rest and refreshed
    auto eight = four;
    eight.emplace_back("channels", "8");
    EXPECT_NEAR(accounts_of(eight).metrics.at("package_power"), a.metrics.at("package_power"),
                0.02 * a.metrics.at("package_power"));
}

std::string refused(Setting const& setting) { return asked(setting).refusal(); }

TEST(UmdamAccounts, refuse_banks_that_draw_more_than_a_package_sheds) {
    // 16 banks a die: a row of 2.95 nJ and 64 bursts of 82 pJ, 1.39 times at 1 ns, in 84.4 cycles of 1.25 ns; 47 mW
    // at rest and 18 mW of refresh
    double const die = 16 * (2.95e-9 + 64 * 32 * 8 * 0.32e-12 * 1.18 * 1.18) / (84.4 * 1.25e-9) + 0.0473 + 0.0176;
    EXPECT_THAT(refused({{"llm", "opt-1.3b"}, {"pim_mac_interval", "1 ns"}}),
                ::testing::HasSubstr(fmt::format("draw {:.3g} W", 4 * die)));
    EXPECT_EQ(refused({{"llm", "opt-1.3b"}, {"pim_mac_interval", "1 ns"}, {"baseline", "npu_only"}}), "");
    EXPECT_EQ(refused({{"llm", "opt-1.3b"},
                       {"pim_mac_interval", "1 ns"},
                       {"prefill_unit", "npu"},
                       {"decode_unit", "npu"},
                       {"attention", "npu"},
                       {"lm_head", "npu"}}),
              "");
}

TEST(UmdamAccounts, take_shared_figures_where_machines_are_compared) {
    Setting const setting{{"llm", "opt-1.3b"}, {"input", "512"}};
    auto const own = accounts_of(setting, {}), shared = accounts_of(setting, common_assumptions());
    // a multiply-accumulate of 0.5 pJ instead of two operations of 0.391
    auto const matrix_units = [](Accounts const& a) { return a.joules.at("idle_units/matrix engine"); };
    EXPECT_NEAR(matrix_units(shared) / matrix_units(own), 0.5 / 0.782, 1e-9);
    EXPECT_NEAR(shared.joules.at("sram_static"), own.joules.at("sram_static"), 1e-9);
    EXPECT_EQ(shared.metrics.at("latency"), own.metrics.at("latency"));
    auto hosted = common_assumptions();
    hosted.host = Host::included;
    auto const with_host = accounts_of(setting, hosted);
    EXPECT_NEAR(with_host.joules.at("host_compute/host"), 100.0 * own.metrics.at("latency"), 1e-9);
    EXPECT_NEAR(with_host.metrics.at("power") - shared.metrics.at("power"), 100.0, 1e-9);
    EXPECT_NEAR(with_host.metrics.at("prefill_power") - shared.metrics.at("prefill_power"), 100.0, 1e-9);
}

TEST(UmdamAccounts, leave_programs_their_share_of_the_npu_and_their_launches) {
    Setting const base{{"llm", "opt-1.3b"}, {"input", "2000"}, {"prefill_unit", "npu"}, {"output", "9"}};
    auto half = base, launched = base;
    half.emplace_back("attained_share", "0.5");
    launched.emplace_back("layer_overhead", "55 us");
    double const full = accounts_of(base).metrics.at("ttft");
    EXPECT_NEAR(accounts_of(half).metrics.at("ttft") / full, 2.0, 0.15);
    auto const a = accounts_of(launched).metrics, b = accounts_of(base).metrics;
    EXPECT_NEAR(a.at("ttft") - b.at("ttft"), 24 * 55e-6, 1e-9);
    EXPECT_NEAR(a.at("latency") - b.at("latency"), 9 * 24 * 55e-6, 1e-9);
}

/// The matrix engine draws 0.391 pJ for an operation of fp16, and when it waits a tenth of that at 16 TFLOP/s.
TEST(UmdamAccounts, take_half_the_time_and_energy_for_products_of_bytes) {
    Setting setting{{"llm", "opt-1.3b"},  {"input", "1600"},  {"output", "1"},
                    {"weight_bits", "8"}, {"lm_head", "npu"}, {"prefill_unit", "npu"}};
    auto const wide = accounts_of(setting);
    setting.emplace_back("products", "int8");
    auto const narrow = accounts_of(setting);
    auto const operations = [](Accounts const& a, double peak) {
        double const waited = a.joules.at("idle_units/matrix engine") / (0.1 * 0.391e-12 * 16e12);
        return (a.metrics.at("latency") - waited) * peak;
    };
    double const all = operations(wide, 16e12);
    EXPECT_NEAR(operations(narrow, 32e12), all, 1e-9 * all);
    EXPECT_NEAR(narrow.metrics.at("ttft") / wide.metrics.at("ttft"), 0.5, 0.08);  // with vector work
    // fp16 converts every weight once, by an operation of 1.8 pJ
    double const weights = 24.0 * 12 * 2048 * 2048 + 2048.0 * 50272;
    double const spared = wide.joules.at("arithmetic/prefill") - narrow.joules.at("arithmetic/prefill");
    EXPECT_NEAR(spared, all * 0.391e-12 / 2 + weights * 1.8e-12, 1e-6 * spared);
    EXPECT_EQ(narrow.metrics.at("precision"), 8.0);
    EXPECT_EQ(narrow.metrics.at("footprint"), wide.metrics.at("footprint"));
}

/// Keys, values and the inputs of units in banks have 16 bits with either format.
TEST(UmdamAccounts, multiply_in_the_banks_by_inputs_of_two_bytes) {
    Setting setting{{"llm", "opt-1.3b"},    {"weight_bits", "8"}, {"prefill_unit", "pim"},
                    {"decode_unit", "pim"}, {"attention", "pim"}, {"lm_head", "pim"}};
    auto const wide = accounts_of(setting);
    setting.emplace_back("products", "int8");
    auto const narrow = accounts_of(setting);
    for (auto const* name : {"ttft", "itl", "latency", "area", "footprint"})
        EXPECT_EQ(narrow.metrics.at(name), wide.metrics.at(name)) << name;
    EXPECT_NEAR(narrow.metrics.at("energy"), wide.metrics.at("energy"), 1e-12 * wide.metrics.at("energy"));
}

TEST(UmdamAccounts, refuse_to_round_weights_to_the_format_of_products) {
    EXPECT_THAT(refused({{"llm", "opt-1.3b"}, {"products", "int8"}}), ::testing::HasSubstr("weight_bits = 8"));
    EXPECT_EQ(refused({{"llm", "opt-1.3b"}, {"products", "int8"}, {"weight_bits", "4"}}), "");
}

TEST(UmdamAccounts, name_what_limits_each_phase) {
    auto const limits = [](Setting const& setting) { return asked(setting).explained().limits; };
    auto const short_prompt = limits({});
    ASSERT_EQ(short_prompt.size(), 2U);
    EXPECT_EQ(short_prompt[0].limiter, "memory pins");
    EXPECT_NEAR(short_prompt[0].roof, 51.2e9, 1e3);
    EXPECT_EQ(short_prompt[1].phase, "decode");
    EXPECT_EQ(short_prompt[1].limiter, "bank bandwidth");
    // 64 banks, 2 KiB in 235.6 cycles
    EXPECT_NEAR(short_prompt[1].roof, 64 * 2048 / (235.6 * 1.25e-9), 1e6);
    EXPECT_GT(short_prompt[1].attained, 0.85 * short_prompt[1].roof);
    EXPECT_EQ(limits({{"input", "1900"}})[0].limiter, "matrix unit");
    EXPECT_EQ(limits({{"llm", "opt-125m"}, {"layer_overhead", "1 ms"}})[1].limiter, "launches");
    EXPECT_EQ(limits({{"output", "1"}}).size(), 1U);
}

/// By hand: 64 banks x 32 B per 4 ns are 512 GB/s; 16 weights of 16 bits in a burst, each multiplied and added, are 512
/// GFLOPS.
TEST(UmdamAccounts, have_the_peak_of_the_banks_as_a_roof) {
    auto const peaks = [](Setting const& setting) {
        auto const metrics = accounts_of(setting).metrics;
        return std::pair{metrics.at("pim_peak_bandwidth"), metrics.at("pim_peak_flops")};
    };
    auto const expect = [&](Setting const& setting, double bandwidth, double flops) {
        auto const [bytes, products] = peaks(setting);
        EXPECT_NEAR(bytes, bandwidth, 1e-6 * bandwidth);
        EXPECT_NEAR(products, flops, 1e-6 * flops);
    };
    expect({}, 512e9, 512e9);
    expect({{"pim_mac_interval", "2 ns"}}, 1024e9, 1024e9);
    expect({{"channels", "8"}}, 1024e9, 1024e9);
    expect({{"pim_vectors", "4"}}, 512e9, 2048e9);
    expect({{"weight_bits", "8"}}, 512e9, 1024e9);
    // One command per cycle and channel: 16 banks in 16 cycles of 1.25 ns.
    expect({{"mac_command", "single"}}, 4.0 * 32.0 / 1.25e-9, 4.0 * 32.0 / 1.25e-9);
    EXPECT_EQ(peaks({{"baseline", "npu_only"}}), std::pair(0.0, 0.0));
    for (auto const* refresh : {"none", "all_bank"}) {
        auto const metrics = accounts_of({{"refresh", refresh}}).metrics;
        EXPECT_LT(metrics.at("pim_bandwidth"), metrics.at("pim_peak_bandwidth"));
    }
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
    EXPECT_FALSE(joules({}).contains("in_memory_logic/later steps"));
    // 12 cached steps of 16 positions: 32 layers and the LM head of llada-8b, 16 bit, 0.32 pJ a bit
    double const weights = 32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 12288) + 4096.0 * 126464;
    EXPECT_NEAR(joules({{"denoising", "pim"}}).at("in_memory_logic/later steps"), 12 * 16 * weights * 16 * 0.32e-12,
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
    auto const names = shipped_umdam().metrics();
    for (auto const* who : {"npu", "pim"}) {
        auto const of = asked(blocks({{"denoising", who}, {"llm", "opt-125m"}, {"output", "32"}}));
        auto const truth = of.metrics(Fidelity::cycle), coarse = of.metrics();
        for (std::size_t i = 0; i < truth.size(); ++i) {
            ASSERT_EQ(applies(coarse[i]), applies(truth[i]));
            if (!applies(truth[i])) continue;
            EXPECT_LE(coarse[i].lower * (1.0 - 1e-12), truth[i].value) << names[i].name << who;
            EXPECT_GE(coarse[i].upper * (1.0 + 1e-12), truth[i].value) << names[i].name << who;
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::accounts_test
