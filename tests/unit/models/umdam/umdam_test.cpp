#include "models/contract/parameter_text.hpp"
#include "shipped.hpp"
#include "sim/base/check.hpp"

#include <cmath>

namespace pimdse::models::umdam::umdam_test {
namespace {

using tests::Setting;

double metric(Setting const& setting, std::string_view name) { return asked(setting).value(name); }
std::string rule(Setting const& setting) { return asked(setting).rule(); }

/// The idealised machine of the published timeline: 51.2 GB/s, no refresh, prefill on the NPU, decode in the banks.
Setting timeline(Setting more = {}) {
    Setting setting{{"dram", "L5B"},        {"refresh", "none"},     {"input", "128"},
                    {"output", "8"},        {"prefill_unit", "npu"}, {"lm_head", "npu"},
                    {"decode_unit", "pim"}, {"attention", "pim"},    {"count_first", "false"}};
    setting.insert(setting.end(), more.begin(), more.end());
    return setting;
}

TEST(Umdam, follows_the_timeline_of_opt_6_7b) {
    EXPECT_NEAR(metric(timeline(), "ttft"), 261.3e-3, 261.3e-3 * 0.01);
    EXPECT_NEAR(metric(timeline({{"baseline", "relayout"}}), "relayout_time"), 519.4e-3, 519.4e-3 * 0.01);
    EXPECT_NEAR(metric(timeline(), "time_per_token"), 30.07e-3, 30.07e-3 * 0.01);
}

/// The same timeline by hand: bytes over bandwidth, row visits one by one.
TEST(Umdam, agrees_with_the_timeline_added_up_by_hand) {
    double const d = 4096, layers = 32, vocabulary = 50272, prompt = 128, bandwidth = 51.2e9;
    double const blocks = layers * 12 * d * d, head = d * vocabulary, kv = layers * 2 * d * 2;
    double const ttft =
        2 * (blocks + head) / bandwidth + prompt * kv / bandwidth + layers * 2 * prompt * prompt * d / 16e12;
    EXPECT_NEAR(metric(timeline(), "ttft"), ttft, ttft * 0.01);
    EXPECT_NEAR(metric(timeline({{"baseline", "relayout"}}), "relayout_time"), 4 * (blocks + head) / bandwidth,
                0.005 * 4 * (blocks + head) / bandwidth);
    auto const product = [](double inputs, double columns) {
        double cycles = 64 * 4;  // first fill of the global buffer
        for (double tile_column = 0; tile_column < columns; ++tile_column) {
            for (double left = inputs * 2; left > 0; left -= 2048)
                cycles += 15 + (std::min(left, 2048.0) / 32 - 1) * 3.2 + 4 + 15;
        }
        return cycles * 1.25e-9;
    };
    double const weights = layers * (4 * product(d, 64) + product(d, 256) + product(4 * d, 64)) + product(d, 786);
    double context = 0;
    for (int step = 1; step <= 8; ++step) context += prompt + step;
    double const token = weights + context / 8 * kv / 512e9;
    EXPECT_NEAR(metric(timeline(), "time_per_token"), token, token * 0.01);
}

TEST(Umdam, speeds_up_the_first_token_threefold_when_memory_bound_and_no_less_for_larger_models) {
    double before = 0.0;
    for (auto const* model : {"opt-125m", "opt-1.3b", "opt-6.7b", "opt-30b"}) {
        Setting here{{"llm", model}, {"dram", "L5B"}, {"ignore_capacity", "true"}, {"lm_head", "npu"}};
        Setting paper = here;
        paper.emplace_back("baseline", "relayout");
        double const ratio = metric(paper, "ttft") / metric(here, "ttft");
        EXPECT_GE(ratio, before) << model;
        before = ratio;
    }
    EXPECT_GE(before, 2.95);
    EXPECT_LE(before, 3.02);
}

/// TTLT ratio of a baseline that moves all weights twice before it starts, memory bound, with n decode steps of r
/// prefills each: 1 + 2 / (1 + n r).
double relayout_slowdown(double steps, double ratio) { return 1.0 + 2.0 / (1.0 + steps * ratio); }

TEST(Umdam, bounds_the_speed_up_of_the_last_token_by_the_first_order_law) {
    EXPECT_NEAR(relayout_slowdown(7, 0.1), 2.1765, 5e-5);
    EXPECT_NEAR(relayout_slowdown(6.95, 0.1), 2.18, 5e-3);
    EXPECT_NEAR(relayout_slowdown(8, 0.087), 2.18, 5e-3);
    EXPECT_NEAR(relayout_slowdown(16, 0.0435), 2.18, 5e-3);
}

TEST(Umdam, takes_the_weights_of_the_model_and_nothing_but_padding) {
    EXPECT_NEAR(metric({{"llm", "opt-125m"}}, "weight_footprint"), 0.2504e9, 0.0005e9);
    EXPECT_NEAR(metric({}, "weight_footprint"), 13.317e9, 0.002e9);
    EXPECT_NEAR(metric({{"baseline", "duplicate"}, {"ignore_capacity", "true"}}, "weight_footprint"), 2 * 13.317e9,
                0.004e9);
}

TEST(Umdam, counts_one_decode_step_less_when_the_first_token_counts) {
    double const all = metric({{"output", "8"}, {"count_first", "false"}}, "ttlt"),
                 first = metric({{"output", "8"}, {"count_first", "true"}}, "ttlt");
    double const step = metric({{"output", "8"}, {"count_first", "false"}}, "time_per_token");
    EXPECT_NEAR(all - first, step, step * 0.001);
    EXPECT_TRUE(std::isnan(metric({{"output", "1"}, {"count_first", "true"}}, "time_per_token")));
    EXPECT_TRUE(std::isnan(metric({{"output", "1"}, {"count_first", "true"}}, "itl")));
    EXPECT_TRUE(std::isnan(metric({{"output", "1"}}, "itl")));
}

TEST(Umdam, breaks_time_and_energy_down_to_their_totals) {
    for (auto const* baseline : {"umdam", "relayout", "fused", "no_interleave", "facil", "npu_only"}) {
        auto const of = asked({{"baseline", baseline}, {"llm", "opt-1.3b"}});
        auto const metrics = of.metrics();
        auto const breakdown = of.explained();
        double const seconds = sum_of(breakdown.time), joules = sum_of(breakdown.energy);
        EXPECT_NEAR(seconds, of.value("latency"), 1e-12 * seconds) << baseline;
        EXPECT_NEAR(joules, of.value("energy"), 1e-12 * joules) << baseline;
        EXPECT_GT(std::ranges::count_if(metrics, applies), 30);
        for (auto const& m : metrics) {
            if (!applies(m)) continue;
            EXPECT_TRUE(std::isfinite(m.value));
            EXPECT_LE(m.lower, m.value);
            EXPECT_LE(m.value, m.upper);
        }
    }
}

double part_of_energy(Setting const& setting, std::string const& name) {
    for (auto const& share : asked(setting).explained().energy)
        if (share.what == name) return share.amount;
    return 0.0;
}

TEST(Umdam, multiplies_every_stored_byte_once_a_step_whatever_the_mapping) {
    // OPT-1.3B: 24 layers of 12 x 2048^2 weights of 16 bit, 0.32 pJ a bit, eight steps
    double const joules = 24.0 * 12 * 2048 * 2048 * 16 * 0.32e-12 * 8;
    for (char const* const mapping : {"umdam", "conventional", "channel_msb", "row-channel-colm-bank-group-coll",
                                      "of5 co2 ch2 co1 bg2 ba2 co3 ro17", "umdam x.ba.ro.0.1", "umdam x.ch.ro.2.2"}) {
        EXPECT_NEAR(part_of_energy({{"llm", "opt-1.3b"},
                                    {"output", "9"},
                                    {"lm_head", "skip"},
                                    {"attention", "npu"},
                                    {"split_k", "true"},
                                    {"mapping", mapping}},
                                   "in_memory_logic/decode"),
                    joules, 1e-9 * joules)
            << mapping;
    }
}

TEST(Umdam, says_why_a_point_cannot_exist) {
    EXPECT_EQ(rule({{"llm", "opt-30b"}}), "capacity");
    EXPECT_EQ(rule({{"llm", "opt-30b"}, {"ignore_capacity", "true"}}), "");
    EXPECT_EQ(rule({{"baseline", "duplicate"}}), "capacity");
    EXPECT_EQ(rule({{"mapping", "conventional"}}), "pim_locality");
    EXPECT_EQ(rule({{"mapping", "conventional"}, {"split_k", "true"}}), "");
    EXPECT_EQ(rule({{"mapping", "conventional"}, {"baseline", "relayout"}}), "");
    EXPECT_EQ(rule({{"channels", "3"}}), "power_of_two");
    EXPECT_EQ(rule({{"row_bytes", "1 KiB"}, {"coll_bits", "6"}, {"llm", "opt-125m"}}), "coll_bits");
    EXPECT_EQ(rule({{"loop_order", "res"}}), "global_buffer");
    EXPECT_EQ(rule({{"loop_order", "res"}, {"global_buffer_elements", "16384"}}), "");
    EXPECT_EQ(rule({{"mapping", "of5 co3 ch2 bg2 ba2 co3 ro17 x.ba.ro.0.2"}}), "pim_locality");
    EXPECT_EQ(rule({{"mapping", "of5 co3 ch3 bg2 ba2 co3 ro17"}}), "mapping");
    EXPECT_EQ(rule({{"density", "12"}}), "density");
    EXPECT_EQ(rule({{"llm", "llada-8b"}}), "generation");
    EXPECT_EQ(rule({{"generation", "diffusion"}, {"output", "48"}}), "blocks");
    EXPECT_EQ(rule({{"generation", "diffusion"}, {"concurrency", "partition"}}), "concurrency");
    EXPECT_EQ(rule({{"channels", "64"}, {"coll_bits", "6"}, {"npu_buffer", "1 MiB"}}), "npu_buffer");
}

TEST(Umdam, refuses_a_prompt_of_nothing_and_unknown_mappings_in_one_sentence) {
    auto table = shipped_umdam().parameters();
    auto read = [&](std::string_view name, std::string_view text) {
        return read_value(table[static_cast<std::size_t>(find_parameter(table, name))], text);
    };
    EXPECT_THROW((void)read("input", "0"), sim::InputError);
    EXPECT_THROW((void)read("prefill", "0"), sim::InputError);
    EXPECT_THROW((void)read("mapping", "umdamn"), sim::InputError);
    EXPECT_THROW((void)read("dram", "HBM2_2000"), sim::InputError);
    EXPECT_THROW((void)read("coll_bits", "7"), sim::InputError);
    EXPECT_NO_THROW((void)read("mapping", "of5 co3 ch2 bg2 ba2 co3 ro17"));
}

TEST(Umdam, has_no_power_of_decode_where_one_denoising_step_is_all) {
    Setting const one_step{{"generation", "diffusion"}, {"output", "32"}, {"block_length", "32"}, {"steps", "1"}};
    EXPECT_EQ(metric(one_step, "latency"), metric(one_step, "ttft"));
    EXPECT_TRUE(std::isnan(metric(one_step, "decode_power")));
    EXPECT_EQ(metric(one_step, "peak_power"), metric(one_step, "prefill_power"));
}

TEST(Umdam, reads_an_order_of_fields_and_a_permutation_alike) {
    double const named = metric({}, "ttlt");
    EXPECT_EQ(metric({{"mapping", "row-colm-bank-group-channel-coll"}}, "ttlt"), named);
    EXPECT_EQ(metric({{"mapping", "of5 co3 ch2 bg2 ba2 co3 ro17"}}, "ttlt"), named);
    auto permuted = asked({});
    permuted.point[static_cast<std::size_t>(find_parameter(permuted.table, "mapping"))] = Value::permutation(0);
    EXPECT_EQ(permuted.value("ttlt"), named);
}

TEST(Umdam, evaluates_every_model_alone_and_in_batches) {
    auto const table = shipped_umdam().parameters();
    int refused = 0;
    for (auto const& model : table[static_cast<std::size_t>(find_parameter(table, "llm"))].choices) {
        for (auto const* batch : {"1", "3"}) {
            Setting setting{{"llm", model}, {"batch", batch}, {"ignore_capacity", "true"}};
            if (rule(setting) == "generation") setting.emplace_back("generation", "diffusion");
            if (rule(setting) == "layers") {
                ++refused;  // shared keys, indexers, compressed keys
                continue;
            }
            EXPECT_GT(metric(setting, "ttft"), 0.0) << model;
            EXPECT_LE(metric(setting, "lane_utilisation"), 1.0) << model;
        }
    }
    EXPECT_EQ(refused, 8);
}

TEST(Umdam, keeps_one_channel_per_stream_busy_without_interleaving) {
    double const full = metric({}, "npu_bandwidth"),
                 one = metric({{"baseline", "no_interleave"}, {"engines", "4"}}, "npu_bandwidth");
    EXPECT_LT(metric({{"baseline", "no_interleave"}}, "npu_bandwidth"), full / 3.9);
    EXPECT_NEAR(one, 4 * metric({{"baseline", "no_interleave"}}, "npu_bandwidth"), 1e-6 * one);
}

/// Where parts begin in the same bank, several engines disturb each other: the NPU reads with one of them then.
TEST(Umdam, reads_with_fewer_engines_where_that_is_faster) {
    auto const ttft = [](char const* engines, Fidelity fidelity) {
        return asked({{"llm", "opt-125m"}, {"input", "32"}, {"output", "4"}, {"engines", engines}})
            .value("ttft", fidelity);
    };
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle})
        for (auto const* engines : {"2", "4", "7"})
            EXPECT_LE(ttft(engines, fidelity), ttft("1", fidelity) * (1.0 + 1e-12)) << engines;
}

}  // namespace
}  // namespace pimdse::models::umdam::umdam_test
