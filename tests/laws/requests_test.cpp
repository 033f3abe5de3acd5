#include "models/catalogue.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/validation.hpp"
#include "random_point.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// What a request means is the same for every architecture.
namespace pimdse::laws::requests_test {
namespace {

using models::Architecture;
using models::Estimate;
using models::Fidelity;
using models::Infeasible;
using models::Metrics;
using models::Outcome;
using models::Value;
using Settings = std::vector<std::pair<std::string, std::string>>;

Settings request(std::string const& llm, std::int64_t input, std::int64_t output,
                 std::string const& generation = "autoregressive") {
    return {
        {"llm", llm}, {"input", std::to_string(input)}, {"output", std::to_string(output)}, {"generation", generation}};
}

/// Hardware that holds a small model.
Settings enough_of(Architecture const& architecture) {
    if (architecture.name == "upmem") return {{"ranks", "40"}, {"dpus", "2560"}};
    if (architecture.name == "cim_mesh") return {{"scratchpad", "65536"}};
    return {};
}

/// A point of an architecture that serves a request, with what its machine is.
struct Served {
    Architecture const* architecture;
    models::Parameters table;
    std::vector<Value> point;
    models::Inputs inputs;

    Served(Architecture const& of, Settings settings) : architecture(&of), table(of.parameters()) {
        for (auto const& more : enough_of(of)) settings.push_back(more);
        for (auto const& implied : of.workload.implied) settings.push_back(implied);
        std::erase_if(settings, [&](auto const& s) { return models::find_parameter(table, s.first) < 0; });
        point = models::point_with(table, settings);
        inputs = models::prepare(of, table);
    }
    [[nodiscard]] std::size_t at(std::string_view parameter) const {
        return static_cast<std::size_t>(models::find_parameter(table, parameter));
    }
    [[nodiscard]] Outcome outcome(Fidelity fidelity = Fidelity::analytic) const {
        return architecture->evaluate(inputs, point, fidelity);
    }
    [[nodiscard]] std::string rule(Fidelity fidelity = Fidelity::analytic) const {
        auto const found = outcome(fidelity);
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    }
    [[nodiscard]] Estimate metric(Metrics const& metrics, std::string_view name) const {
        return metrics.at(static_cast<std::size_t>(models::find_metric(architecture->metrics(), name)));
    }
};

TEST(Requests, longer_than_the_positions_of_the_model_are_served_by_nobody) {
    for (auto const& architecture : models::catalogue()) {
        EXPECT_EQ(Served(architecture, request("opt-125m", 2000, 48)).rule(), "") << architecture.name;
        EXPECT_EQ(Served(architecture, request("llama-2-7b", 4000, 97)).rule(), "context") << architecture.name;
        if (architecture.name == "upmem") continue;  // DPUs serve token by token
        EXPECT_EQ(Served(architecture, request("llada-8b", 4096, 32, "diffusion")).rule(), "context")
            << architecture.name;
    }
    for (auto const& architecture : models::catalogue()) {
        for (auto const fidelity : architecture.fidelities) {
            EXPECT_EQ(Served(architecture, request("opt-125m", 2000, 49)).rule(fidelity), "context")
                << architecture.name;
            EXPECT_EQ(Served(architecture, request("opt-125m", 8192, 1024)).rule(fidelity), "context")
                << architecture.name;
        }
        EXPECT_NE(Served(architecture, request("opt-125m", 2000, 48)).rule(), "context") << architecture.name;
    }
}

TEST(Requests, of_one_token_have_no_time_between_tokens) {
    for (auto const& architecture : models::catalogue()) {
        for (auto const fidelity : architecture.fidelities) {
            for (int const output : {1, 2}) {
                Served const served(architecture, request("opt-125m", 16, output));
                auto const outcome = served.outcome(fidelity);
                ASSERT_TRUE(std::holds_alternative<Metrics>(outcome)) << architecture.name << served.rule(fidelity);
                auto const itl = served.metric(std::get<Metrics>(outcome), "itl");
                EXPECT_EQ(models::applies(itl), output > 1) << architecture.name;
                EXPECT_EQ(std::isnan(itl.value), output == 1) << architecture.name;
            }
        }
    }
}

TEST(Requests, have_the_metrics_whose_needs_they_meet) {
    for (auto const& architecture : models::catalogue()) {
        auto const inputs = models::prepare(architecture, architecture.parameters());
        auto const& parameters = inputs.parameters;
        auto const metrics = architecture.metrics();
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            auto point = random_point(parameters, seed);
            for (auto const* one : {"output", "scope"}) {
                int const at = models::find_parameter(parameters, one);
                if (at < 0 || seed % 3 == 0) continue;
                point[static_cast<std::size_t>(at)] =
                    std::string_view(one) == "output" ? Value::integer(1) : Value::choice(1);
            }
            auto const outcome = architecture.evaluate(inputs, point, Fidelity::analytic);
            auto const* values = std::get_if<Metrics>(&outcome);
            if (values == nullptr) continue;
            for (std::size_t i = 0; i < metrics.size(); ++i) {
                if (metrics[i].needs.empty()) continue;
                bool met = true;
                for (auto const& need : metrics[i].needs) {
                    auto const at = static_cast<std::size_t>(models::find_parameter(parameters, need.parameter));
                    met = met && models::is_met(need, parameters[at], point[at]);
                }
                EXPECT_EQ(models::applies((*values)[i]), met)
                    << architecture.name << " " << metrics[i].name << " at " << shown(parameters, point);
            }
        }
    }
}

/// The same machine with a longer and longer prompt.
class LongerPrompt : public ::testing::TestWithParam<Architecture const*> {};

TEST_P(LongerPrompt, is_never_faster_and_never_takes_less_energy) {
    auto const& architecture = *GetParam();
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 0; seed < tests::draws(40UL); ++seed) {
        auto const llm = seed % 2 == 0 ? "opt-125m" : "opt-350m";
        Served served(architecture, request(llm, 1, seed % 3 == 0 ? 2 : 8));
        auto const requested = served.point;
        auto const random = random_point(served.table, seed);
        for (std::size_t i = 0; i < random.size(); ++i) {
            auto const& name = served.table[i].name;
            bool const asked = name == "llm" || name == "scope" || name == "generation" || name == "ranks" ||
                               name == "dpus" || served.at("input") == i || served.at("output") == i;
            if (!asked && name != "scratchpad") served.point[i] = random[i];
        }
        // What may be the faster of two units takes the energy of another one when it changes.
        for (auto const* unit : {"prefill_unit", "decode_unit", "attention", "lm_head"}) {
            if (models::find_parameter(served.table, unit) < 0) continue;
            auto& parameter = served.table[served.at(unit)];
            auto& value = served.point[served.at(unit)];
            if (value == parameter.default_value &&
                std::ranges::find(parameter.choices, "npu") != parameter.choices.end())
                value = models::read_value(parameter, "npu");
        }
        // Under ideal trees a decoded token takes as long as its key's way to its own place.
        int const schedule = models::find_parameter(served.table, "schedule");
        bool const goes_to_a_place = schedule >= 0 && served.point[static_cast<std::size_t>(schedule)] !=
                                                          served.table[served.at("schedule")].default_value;
        Estimate before[2] = {0.0, 0.0};
        std::string_view const names[2] = {"ttft", "energy"};
        std::int64_t last = 0;
        for (std::int64_t input = 1; input <= 320; ++input) {
            served.point[served.at("input")] = Value::integer(input);
            auto const outcome = served.outcome();
            auto const* metrics = std::get_if<Metrics>(&outcome);
            if (metrics == nullptr) continue;
            for (std::size_t m = 0; m < 2; ++m) {
                auto const here = served.metric(*metrics, names[m]);
                bool const by_place = m == 1 && goes_to_a_place;
                double const room = by_place ? 0.02 : 1e-12;
                ASSERT_GE(here.value, before[m].value * (1.0 - room))
                    << names[m] << " of input " << input << " after " << last << " at "
                    << shown(served.table, served.point);
                if (m == 0) {
                    EXPECT_GE(here.lower, before[m].lower * (1.0 - 1e-12)) << shown(served.table, served.point);
                }
                before[m] = here;
            }
            last = input;
            ++compared;
        }
    }
    EXPECT_GT(compared, tests::draws(2000U, 1));
}

std::vector<Architecture const*> all() {
    std::vector<Architecture const*> list;
    for (auto const& architecture : models::catalogue()) list.push_back(&architecture);
    return list;
}

INSTANTIATE_TEST_SUITE_P(All, LongerPrompt, ::testing::ValuesIn(all()),
                         [](auto const& i) { return std::string(i.param->name); });

}  // namespace
}  // namespace pimdse::laws::requests_test
