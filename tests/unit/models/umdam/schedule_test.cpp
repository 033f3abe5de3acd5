// Decode in the order of IANUS against a layer that is played through task by task, and laws at random points.

#include "models/umdam/ledger.hpp"
#include "random_setting.hpp"
#include "requested.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pimdse::models::umdam::schedule_test {
namespace {

using testing::printed;
using testing::RandomSetting;
using testing::Requested;
using testing::Setting;

/// A request on the named units, in the order of exclusive or of the schedule.
struct Scheduled : Requested {
    Scheduled(Setting const& setting, char const* concurrency)
        : Requested(tests::with(setting, {{"concurrency", concurrency}})) {}
    [[nodiscard]] double decode(Fidelity fidelity = Fidelity::analytic) const { return cost(fidelity).decode().value; }
};

double saved(Setting const& setting, Fidelity fidelity = Fidelity::analytic) {
    return Scheduled(setting, "exclusive").decode(fidelity) - Scheduled(setting, "scheduled").decode(fidelity);
}

/// What a layer of one decode step takes after the keys are there, in both orders; requests as the banks group them.
struct Layer {
    double in_turn = 0.0, scheduled = 0.0;

    Layer(Scheduled const& on, std::vector<double> const& sets) {
        auto const& d = on.system;
        OperationCosts costs(prepared_of(on.inputs), d, Fidelity::analytic);
        auto const& machine = prepared_of(on.inputs).machine;
        auto const values = std::ranges::find_if(d.matrices, [&](Matrix const& m) {
            return m.inputs == d.model->hidden && m.outputs == d.model->kv_heads * d.model->head_dimension;
        });
        double const context = static_cast<double>(d.design.input + 1), heads = static_cast<double>(d.model->heads);
        double const kv = 2.0 * 2.0 * static_cast<double>(d.model->kv_heads * d.model->head_dimension);
        double const softmax = costs.vector(heads * context * machine.npu.softmax_operations).seconds.value;
        bool const on_npu = d.design.attention == PhaseUnit::npu;
        double const scores = on_npu ? costs.attention_on_npu(1.0, {d.design.input + 1, 1}).seconds.value / 2.0 : 0.0;
        double const turn = 2.0 * machine.pim.mode_switch * d.standard.clock.si;
        double const write = costs.write(kv).seconds.value, half = costs.write(kv / 2.0).seconds.value;
        for (double const set : sets) {
            double const product = costs.gemv(*values, set, 1.0).seconds.value;
            double const before = on_npu ? 0.0 : set * (turn + write);
            double const after = on_npu ? 0.0 : set * (2.0 * turn + std::max(write, 2.0 * half));
            // tasks of the NPU and of the banks that wait for nothing but queries and keys
            double const npu = set * (scores + softmax), banks = product;
            in_turn += before + npu + banks;
            scheduled += after + std::max(npu, banks);
        }
    }
};

TEST(Schedule, of_a_layer_is_that_of_its_tasks) {
    for (auto const* attention : {"npu", "pim"}) {
        for (auto const* model : {"opt-125m", "llama-3.2-1b"}) {
            for (auto const* flops : {"0.02 TFLOP/s", "0.3 TFLOP/s", "2 TFLOP/s"}) {
                Setting const setting{{"llm", model},         {"attention", attention}, {"decode_unit", "pim"},
                                      {"npu_flops", flops},   {"input", "300"},         {"output", "2"},
                                      {"prefill_unit", "npu"}};
                Scheduled const on(setting, "scheduled");
                ASSERT_TRUE(on.exists);
                Layer const layer(on, {1.0});
                double const expected = std::max(0.0, layer.in_turn - layer.scheduled);
                EXPECT_NEAR(saved(setting), expected * static_cast<double>(on.system.model->layers),
                            1e-9 * Scheduled(setting, "exclusive").decode())
                    << printed(setting);
            }
        }
    }
}

/// Three requests of which the banks multiply two at once: the softmax of a set hides behind the products of this set.
TEST(Schedule, of_a_batch_overlaps_within_the_sets_of_the_banks) {
    for (auto const* flops : {"0.02 TFLOP/s", "0.1 TFLOP/s", "1 TFLOP/s"}) {
        Setting const setting{{"llm", "opt-125m"},  {"attention", "npu"}, {"decode_unit", "pim"}, {"batch", "3"},
                              {"pim_vectors", "2"}, {"npu_flops", flops}, {"input", "200"},       {"output", "2"}};
        Scheduled const on(setting, "scheduled");
        Layer const layer(on, {2.0, 1.0});
        EXPECT_NEAR(saved(setting), (layer.in_turn - layer.scheduled) * static_cast<double>(on.system.model->layers),
                    1e-9 * Scheduled(setting, "exclusive").decode())
            << flops;
        EXPECT_GT(saved(setting), 0.0);
    }
}

/// Keys and values of OPT-125M take 3 KiB a token and layer: 1 MiB holds 341 tokens.
TEST(Schedule, of_an_npu_that_attends_needs_room_for_keys_and_values) {
    auto const saves = [](char const* input, char const* buffer) {
        return saved({{"llm", "opt-125m"},
                      {"attention", "npu"},
                      {"decode_unit", "pim"},
                      {"npu_flops", "0.2 TFLOP/s"},
                      {"input", input},
                      {"output", "2"},
                      {"npu_buffer", buffer}});
    };
    EXPECT_GT(saves("340", "1 MiB"), 0.0);
    EXPECT_EQ(saves("341", "1 MiB"), 0.0);
    EXPECT_GT(saves("341", "2 MiB"), 0.0);
}

/// What the products of both may take does not keep a unit open that is slower beside them, whichever they take.
TEST(Schedule, decides_who_attends_beside_the_products_of_both) {
    Setting const setting{{"llm", "llama-3.2-3b"}, {"input", "256"},           {"output", "128"},
                          {"channels", "16"},      {"products", "int8"},       {"weight_bits", "4"},
                          {"decode_unit", "pim"},  {"npu_flops", "8 TFLOP/s"}, {"lm_head", "npu"},
                          {"prefill_unit", "npu"}};
    Scheduled const on(setting, "scheduled");
    auto const open = on.results();
    ASSERT_EQ(open.size(), 1U);
    EXPECT_TRUE(open.front().units.in_banks(Choice::attention));
    auto on_npu = setting;
    on_npu.emplace_back("attention", "npu");
    auto const slower = Scheduled(on_npu, "scheduled").cost(Fidelity::analytic).decode();
    EXPECT_GT(slower.value, open.front().decode().value);
    EXPECT_LT(slower.lower, open.front().decode().upper);
}

TEST(Schedule, changes_nothing_if_the_npu_multiplies_the_weights) {
    for (auto const* attention : {"npu", "pim"}) {
        EXPECT_EQ(saved({{"llm", "opt-125m"}, {"attention", attention}, {"decode_unit", "npu"}, {"input", "100"}}),
                  0.0);
    }
    EXPECT_EQ(saved({{"llm", "opt-125m"}, {"baseline", "npu_only"}, {"input", "100"}}), 0.0);
}

/// Never faster than without the hidden work, never slower than one after the other, with the same commands; less
/// energy only by less waiting.
TEST(Schedule, lies_between_its_longest_part_and_the_sum) {
    RandomSetting settings(20);
    int compared = 0, faster = 0;
    for (int trial = 0; trial < tests::draws(16, 5); ++trial) {
        auto setting = settings.next();
        for (auto const* name : {"prefill_unit", "decode_unit", "attention", "lm_head", "ignore_capacity", "npu_flops"})
            std::erase_if(setting, [&](auto const& one) { return one.first == name; });
        setting.insert(setting.end(), {{"prefill_unit", "npu"},
                                       {"decode_unit", "pim"},
                                       {"attention", trial % 2 == 0 ? "npu" : "pim"},
                                       {"lm_head", "npu"},
                                       {"ignore_capacity", "true"},
                                       {"npu_flops", trial % 3 == 0 ? "0.1 TFLOP/s" : "4 TFLOP/s"}});
        Scheduled const in_turn(setting, "exclusive"), scheduled(setting, "scheduled");
        EXPECT_EQ(in_turn.exists, scheduled.exists);
        if (!in_turn.exists || in_turn.system.design.diffuses()) continue;
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            auto const before = in_turn.cost(fidelity), after = scheduled.cost(fidelity);
            double const tolerance = 1e-12 * before.decode().value;
            EXPECT_LE(after.decode().value, before.decode().value + tolerance) << printed(setting);
            EXPECT_LE(after.decode().lower, before.decode().lower + tolerance) << printed(setting);
            EXPECT_LE(after.decode().upper, before.decode().upper + tolerance) << printed(setting);
            EXPECT_LE(after.decode().lower, after.decode().value + tolerance) << printed(setting);
            EXPECT_LE(after.decode().value, after.decode().upper + tolerance) << printed(setting);
            double const in_banks = before.rest[Part::weights].seconds.value;
            EXPECT_GE(after.decode().value, in_banks) << printed(setting);
            EXPECT_EQ(after.rest[Part::weights].seconds.value, in_banks);
            EXPECT_EQ(after.prefill().value, before.prefill().value);
            EXPECT_EQ(after.total().commands.vector_operations, before.total().commands.vector_operations);
            EXPECT_EQ(after.total().commands.reads.value, before.total().commands.reads.value);
            faster += after.decode().value < before.decode().value - tolerance ? 1 : 0;
        }
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(3, 1));
    EXPECT_GE(faster, tests::in_campaign() ? 4 : 0);
}

}  // namespace
}  // namespace pimdse::models::umdam::schedule_test
