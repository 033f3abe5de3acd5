#include "law_count.hpp"
#include "models/contract/service_engine.hpp"
#include "models/llm/state.hpp"
#include "served_points.hpp"
#include "small_points.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

/// Every architecture serves layers with states and other kinds, or refuses them by name; a state costs the same
/// whatever the context is, and memory once for each sequence.
namespace pimdse::laws::layer_kinds_test {
namespace {

using models::Architecture;
using models::Fidelity;
using models::Infeasible;
using models::Metrics;

using Settings = std::vector<std::pair<std::string, std::string>>;

class LayerKinds : public ::testing::TestWithParam<Architecture const*> {
  protected:
    [[nodiscard]] static Settings asked(std::string const& model, int input, int batch) {
        auto settings = GetParam()->workload.implied;
        Settings const more{
            {"llm", own(model)}, {"input", std::to_string(input)}, {"output", "16"}, {"batch", std::to_string(batch)}};
        settings.insert(settings.end(), more.begin(), more.end());
        // A small vocabulary is sampled by narrow vectors.
        for (auto const& [name, text] : Settings{{"generation", "autoregressive"}, {"vlen", "128"}})
            if (find_parameter(GetParam()->parameters(), name) >= 0) settings.emplace_back(name, text);
        return settings;
    }
    [[nodiscard]] static models::Outcome outcome(Settings const& settings, Fidelity fidelity) {
        auto parameters = GetParam()->parameters();
        auto const point = models::point_with(parameters, settings);
        return GetParam()->evaluate(models::prepare(*GetParam(), parameters), point, fidelity);
    }
    [[nodiscard]] static double value(Settings const& settings, char const* metric, Fidelity fidelity) {
        auto const found = outcome(settings, fidelity);
        auto const* metrics = std::get_if<Metrics>(&found);
        if (metrics == nullptr) {
            ADD_FAILURE() << std::get<Infeasible>(found).reason;
            return 0.0;
        }
        return metrics->at(static_cast<std::size_t>(models::find_metric(GetParam()->metrics(), metric))).value;
    }
    /// Whether the architecture serves the model; a refusal names the layers, the model and what serves it.
    [[nodiscard]] static bool serves(std::string const& model) {
        auto const found = outcome(asked(model, 32, 1), Fidelity::analytic);
        auto const* rule = std::get_if<Infeasible>(&found);
        if (rule == nullptr) return true;
        EXPECT_EQ(rule->rule, "layers") << rule->reason;
        EXPECT_NE(rule->reason.find("layers of Tiny"), std::string::npos) << rule->reason;
        return false;
    }
};

TEST_P(LayerKinds, are_served_or_refused_by_name) {
    for (auto const* model : {"tiny_states.toml", "tiny_shared.toml", "tiny_state_only.toml", "tiny_narrow_values.toml",
                              "tiny_narrow_experts.toml"}) {
        auto const name = GetParam()->name;
        std::string_view const kinds = model;
        bool const shares = kinds == "tiny_shared.toml" || kinds == "tiny_narrow_values.toml";
        bool const expected = name == "gpu" || name == "dplena" || (name == "umdam" && !shares);
        EXPECT_EQ(serves(model), expected) << model;
    }
}

TEST_P(LayerKinds, with_a_state_cost_the_same_at_every_context) {
    if (!serves("tiny_state_only.toml")) return;
    for (auto const fidelity : GetParam()->fidelities) {
        double const near = value(asked("tiny_state_only.toml", 16, 2), "itl", fidelity);
        double const far = value(asked("tiny_state_only.toml", 4096, 2), "itl", fidelity);
        // At cycle level, refreshes fall elsewhere behind a longer prompt.
        double const tolerance = fidelity == Fidelity::cycle ? 1e-2 : 1e-9;
        EXPECT_NEAR(far, near, tolerance * near) << models::name_of(fidelity);
    }
    EXPECT_EQ(value(asked("tiny_state_only.toml", 4096, 2), "footprint", Fidelity::analytic),
              value(asked("tiny_state_only.toml", 16, 2), "footprint", Fidelity::analytic));
}

TEST_P(LayerKinds, keep_a_state_of_every_sequence) {
    auto const model = models::load_language_model(own("tiny_state_only.toml"));
    if (!serves("tiny_state_only.toml")) return;
    auto const held = [&](int batch) {
        return value(asked("tiny_state_only.toml", 16, batch), "footprint", Fidelity::analytic);
    };
    double const state = models::sequence_state_bytes(model);
    EXPECT_EQ(state, 3.0 * (8 * 64 * 64 * 4 + (8 * 64 + 2 * 64) * 3 * 2));
    // A machine may hold the logits of a sequence beside it.
    for (int const batch : {2, 5})
        EXPECT_NEAR(held(batch) - held(1), (batch - 1) * state, 1e-2 * (batch - 1) * state) << batch;
}

TEST_P(LayerKinds, share_no_state_between_the_sequences_of_an_engine) {
    if (!serves("tiny_state_only.toml") || !GetParam()->engine) return;
    auto parameters = GetParam()->parameters();
    auto settings = asked("tiny_state_only.toml", 16, 1);
    for (auto const& [name, text] : Settings{{"weight_load", "none"}, {"ignore_capacity", "false"}})
        if (find_parameter(parameters, name) >= 0) settings.emplace_back(name, text);
    auto const point = models::point_with(parameters, settings);
    auto const inputs = models::prepare(*GetParam(), parameters);  // which live longer than the engine
    auto const made = GetParam()->engine(inputs, point, Fidelity::analytic);
    auto const* engine = std::get_if<models::ServiceEngine>(&made);
    ASSERT_NE(engine, nullptr) << std::get<Infeasible>(made).reason;
    auto const model = models::load_language_model(own("tiny_state_only.toml"));
    EXPECT_EQ(engine->position_bytes, 0.0);
    EXPECT_EQ(engine->state_bytes, models::sequence_state_bytes(model));
    EXPECT_EQ(engine->moved.state_bytes, engine->state_bytes);
    auto const seconds = [&](std::vector<std::int64_t> contexts) {
        auto const heads = static_cast<std::int64_t>(contexts.size());
        return engine->law.one({{}, std::move(contexts), heads}).seconds;
    };
    EXPECT_EQ(seconds({17, 18}), seconds({4000, 5000})) << "contexts do not matter";
    EXPECT_GT(seconds({17, 18}), seconds({17}));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, LayerKinds, ::testing::ValuesIn(all_architectures()),
                         [](auto const& architecture) { return std::string(architecture.param->name); });

}  // namespace
}  // namespace pimdse::laws::layer_kinds_test
