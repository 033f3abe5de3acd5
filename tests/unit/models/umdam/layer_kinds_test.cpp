#include "models/llm/language_models.hpp"
#include "models/umdam/weight_layouts.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"
#include "tests/unit/models/umdam/requested.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

/// Models with several kinds of layers, against counts of every layer and matrix.
namespace pimdse::models::umdam::layer_kinds_test {
namespace {

using testing::own_model;
using testing::Requested;
using Settings = std::vector<std::pair<std::string, std::string>>;

Settings with_kinds(std::string const& model, Settings const& more = {}) {
    Settings all{{"llm", model}, {"ignore_capacity", "true"}, {"input", "40"}, {"output", "9"}};
    for (auto const& each : more) all.push_back(each);
    return all;
}

struct Counted {
    double stored = 0.0, active = 0.0;
};

Counted counted(Requested const& r) {
    Counted sum;
    for (auto const& m : r.system.matrices) {
        if (m.head) continue;
        sum.stored += m.stored * m.weights();
        sum.active += m.active * m.weights();
    }
    return sum;
}

TEST(LayerKinds, are_stored_and_multiplied_layer_by_layer) {
    for (auto const& model : {own_model("tiny_kinds.toml"), std::string("llama-4-scout"), std::string("gemma-2-9b")}) {
        Requested const r(with_kinds(model));
        double stored = 0.0, active = 0.0;
        for (auto const& alike : alike_layers(*r.system.model)) {
            for (std::int64_t layer = 0; layer < alike.layers; ++layer) {
                for (auto const& m : layer_matrices(alike)) {
                    auto const weights = static_cast<double>(m.inputs * m.outputs);
                    stored += weights * static_cast<double>(m.count);
                    active += weights * static_cast<double>(m.active);
                }
            }
        }
        EXPECT_EQ(counted(r).stored, stored) << model;
        EXPECT_EQ(counted(r).active, active) << model;
    }
}

TEST(LayerKinds, decode_in_the_banks_as_each_kind_would_alone) {
    Settings const banks{{"decode_unit", "pim"}, {"attention", "pim"}, {"lm_head", "skip"}, {"refresh", "none"}};
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        Requested r(with_kinds(own_model("tiny_kinds.toml"), banks));
        auto const together = r.cost(fidelity);
        double seconds = 0.0, reads = 0.0, attention = 0.0, attended = 0.0;
        for (auto const& alike : alike_layers(*r.system.model)) {
            auto alone = r.system;
            alone.model = &alike;
            alone.spans = spans_of(alike, 49);
            alone.matrices = matrices_of(alike, r.system.design);
            for (auto& m : alone.matrices) {
                auto const same = std::ranges::find_if(r.system.matrices, [&](Matrix const& other) {
                    return other.inputs == m.inputs && other.outputs == m.outputs && other.experts == m.experts;
                });
                ASSERT_NE(same, r.system.matrices.end());
                auto const stored = m.stored, active = m.active;
                m = *same;
                m.stored = stored, m.active = active;
            }
            auto const cost = run_request(prepared_of(r.inputs), alone, fidelity).front();
            seconds += cost.rest[Part::weights].seconds.value;
            reads += cost.rest[Part::weights].commands.bank_reads;
            attention += cost.rest[Part::attention].seconds.value;
            attended += cost.rest[Part::attention].commands.bank_reads;
        }
        EXPECT_EQ(together.rest[Part::weights].commands.bank_reads, reads);
        EXPECT_NEAR(together.rest[Part::weights].seconds.value, seconds, 1e-3 * seconds);
        EXPECT_EQ(together.rest[Part::attention].commands.bank_reads, attended);
        EXPECT_NEAR(together.rest[Part::attention].seconds.value, attention, 1e-3 * attention);
    }
}

TEST(LayerKinds, read_on_the_npu_the_experts_that_positions_choose_and_dense_networks_whole) {
    for (int const batch : {1, 2, 5}) {
        Requested const r(
            with_kinds(own_model("tiny_kinds.toml"),
                       {{"baseline", "npu_only"}, {"lm_head", "skip"}, {"batch", std::to_string(batch)}}));
        double bytes = 0.0;
        for (auto const& m : r.system.matrices) {
            double const touched = m.experts != nullptr ? 1.0 - std::pow(0.5, batch) : 1.0;
            bytes += 8.0 * m.stored * touched * static_cast<double>(m.bytes);
        }
        auto const burst = r.system.standard.organisation.burst_bytes;
        EXPECT_NEAR(r.cost().rest[Part::weights].commands.reads.value * burst, bytes, 1e-9 * bytes) << batch;
    }
}

TEST(LayerKinds, of_one_expert_of_one_are_dense) {
    auto dense = load_language_model(own_model("tiny.toml"));
    auto expert = dense;
    expert.experts = expert.experts_active = 1;
    expert.expert_ffn = expert.ffn;
    expert.ffn = 0;
    auto const of_dense = matrices_of(dense, {}), of_expert = matrices_of(expert, {});
    ASSERT_EQ(of_dense.size(), of_expert.size());
    for (std::size_t i = 0; i < of_dense.size(); ++i) {
        EXPECT_EQ(of_dense[i].inputs, of_expert[i].inputs);
        EXPECT_EQ(of_dense[i].outputs, of_expert[i].outputs);
        EXPECT_EQ(of_dense[i].active, of_expert[i].active);
        EXPECT_EQ(of_expert[i].experts, nullptr);
    }
}

TEST(LayerKinds, that_are_equal_are_one) {
    auto model = load_language_model(own_model("tiny.toml"));
    auto const before = matrices_of(model, {});
    LayerKind const kind{1, 0, false, model.ffn, 0, 0, 0};
    set_layers(model, {kind, kind});
    finish_layers(model);
    auto const after = matrices_of(model, {});
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].stored, after[i].stored);
}

TEST(LayerKinds, keep_two_copies_of_the_largest_layer_where_both_units_need_one) {
    Requested const fused(with_kinds(own_model("tiny_kinds.toml"), {{"baseline", "fused"}})),
        plain(with_kinds(own_model("tiny_kinds.toml")));
    std::int64_t largest = 0;
    for (auto const& alike : alike_layers(*plain.system.model)) largest = std::max(largest, layer_weights(alike));
    EXPECT_EQ(fused.system.footprint - plain.system.footprint, 4.0 * static_cast<double>(largest));
}

TEST(LayerKinds, list_every_shape_of_a_matrix_once_under_its_own_name) {
    Requested const r(with_kinds(own_model("tiny_kinds.toml")));
    auto const layouts = shipped_umdam().weight_layouts(r.inputs, r.point);
    std::set<std::string> names;
    std::set<std::tuple<std::string, std::int64_t, std::int64_t>> shapes;
    for (auto const& each : layouts.matrices) {
        names.insert(each.matrix);
        shapes.insert({each.matrix.substr(0, 2), each.inputs, each.outputs});
        EXPECT_TRUE(each.check().holds()) << each.matrix;
    }
    EXPECT_EQ(names.size(), layouts.matrices.size());
    EXPECT_TRUE(names.contains("gate") && names.contains("gate_2") && names.contains("down_3"));
    for (auto const& m : r.system.matrices)
        EXPECT_TRUE(std::ranges::any_of(
            layouts.matrices, [&](auto const& each) { return each.inputs == m.inputs && each.outputs == m.outputs; }));
}

}  // namespace
}  // namespace pimdse::models::umdam::layer_kinds_test
