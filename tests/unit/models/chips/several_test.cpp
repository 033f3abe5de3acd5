#include "models/chips/several.hpp"
#include "models/catalogue.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/upmem/upmem.hpp"
#include "tests/laws/random_point.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Laws of groups of devices.
namespace pimdse::models::chips::several_test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// An architecture of the catalogue and its points from settings as a user writes them.
class Machine {
  public:
    explicit Machine(std::string const& name, Assumptions assumptions = {})
        : architecture_(find_architecture(name)), parameters_(architecture_.parameters()) {
        inputs_ = prepare(architecture_, parameters_, ModelOptions({}, std::move(assumptions)));
    }

    [[nodiscard]] Outcome outcome(Settings const& settings) {
        auto const point = point_with(parameters_, settings);
        return architecture_.evaluate(inputs_, point, Fidelity::analytic);
    }
    [[nodiscard]] Explained explain(Settings const& settings) {
        auto const point = point_with(parameters_, settings);
        return explained(architecture_, inputs_, point, Fidelity::analytic);
    }
    [[nodiscard]] Estimate metric(Metrics const& metrics, std::string_view name) const {
        return metrics.at(static_cast<std::size_t>(find_metric(architecture_.metrics(), name)));
    }
    [[nodiscard]] double value(std::string_view name, Settings const& settings) {
        auto const found = outcome(settings);
        auto const* metrics = std::get_if<Metrics>(&found);
        if (metrics == nullptr) ADD_FAILURE() << std::get<Infeasible>(found).reason;
        return metrics == nullptr ? std::nan("") : metric(*metrics, name).value;
    }
    [[nodiscard]] std::string rule(Settings const& settings) {
        auto const found = outcome(settings);
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    }

  private:
    Architecture const& architecture_;
    Parameters parameters_;
    Inputs inputs_;
};

Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/// A request of every architecture that serves a model token by token, without idle times that do not divide.
std::vector<std::pair<std::string, Settings>> requests() {
    return {{"gpu", {{"llm", "llama-2-7b"}, {"input", "256"}, {"output", "32"}, {"batch", "8"}}},
            {"umdam", {{"llm", "opt-1.3b"}, {"input", "64"}, {"output", "16"}, {"batch", "8"}}},
            {"upmem",
             {{"scope", "end_to_end"},
              {"kernel", "gemv-int8"},
              {"llm", "opt-1.3b"},
              {"ranks", "40"},
              {"dpus", "2560"},
              {"input", "64"},
              {"output", "16"},
              {"batch", "8"}}},
            {"cim_mesh",
             {{"llm", "llama-3.2-1b"}, {"lora_targets", "none"}, {"input", "256"}, {"output", "16"}, {"batch", "8"}}},
            {"dplena",
             {{"scope", "end_to_end"},
              {"llm", "llama-2-7b"},
              {"generation", "autoregressive"},
              {"input", "256"},
              {"generation_length", "32"},
              {"batch", "8"}}}};
}

Settings const instant{{"link_bandwidth", "1e9 GB/s"}, {"link_latency", "1e-9 us"}};

template <Architecture (*one)()>
void expect_the_same_bits() {
    auto const alone = one();
    auto const group = several<one>();
    auto const parameters = alone.parameters();
    auto const inputs = prepare(alone, parameters);
    auto const group_inputs = prepare(group, group.parameters());
    auto const rest = default_point(group_parameters());
    int feasible = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto point = laws::random_point(parameters, seed);
        auto const expected = alone.evaluate(inputs, point, Fidelity::analytic);
        point.insert(point.end(), rest.begin(), rest.end());
        auto const found = group.evaluate(group_inputs, point, Fidelity::analytic);
        ASSERT_EQ(expected.index(), found.index());
        if (std::holds_alternative<Metrics>(expected)) {
            ++feasible;
            EXPECT_TRUE(laws::same_bits(std::get<Metrics>(expected), std::get<Metrics>(found))) << seed;
        }
    }
    EXPECT_GT(feasible, 30) << alone.name;
}

/// A bridge joins two A6000, no switch the boards of an MI300X, and eight of sixteen lanes an Arc B60.
TEST(Several, pay_for_the_lanes_and_switches_that_they_have) {
    auto const of_links = [](char const* machine, double devices, char const* metric, Settings const& more = {}) {
        Machine boards(machine);
        auto const of = [&](std::string const& count) {
            return boards.value(metric, with({{"llm", "llama-2-7b"}, {"batch", "8"}, {"devices", count}}, more));
        };
        return of(std::to_string(static_cast<int>(devices))) / devices - of("1");
    };
    EXPECT_NEAR(of_links("rtx_a6000", 2.0, "cost"), 100.0, 1e-6);
    EXPECT_NEAR(of_links("mi300x", 8.0, "cost"), 100.0, 1e-6);
    EXPECT_NEAR(of_links("mi300x", 8.0, "idle_power"), 0.0, 1e-9);
    EXPECT_NEAR(of_links("arc_b60", 2.0, "cost"), 75.0 / 2.0, 1e-6);
    Settings const lanes{{"link", "pcie5"}, {"link_bandwidth", "126 GB/s"}};
    for (auto const* metric : {"cost", "embodied_carbon", "idle_power"}) {
        double const one = of_links("h100", 2.0, metric, {{"link", "pcie5"}});
        EXPECT_GT(one, 0.0) << metric;
        EXPECT_NEAR(of_links("h100", 2.0, metric, lanes), 2.0 * one, 1e-9 * one) << metric;
    }
}

TEST(Several, of_one_device_are_the_device) { expect_the_same_bits<upmem::architecture>(); }

TEST(Several, copies_of_a_model_serve_their_sequences_at_the_same_time) {
    for (auto const& [name, settings] : requests()) {
        Machine machine(name);
        auto const half = with(settings, {{"batch", "4"}});
        auto const two = with(settings, {{"devices", "2"}, {"data_parallel", "2"}});
        for (auto const* same : {"ttft", "itl", "latency", "precision", "package_power"})
            EXPECT_DOUBLE_EQ(machine.value(same, two), machine.value(same, half)) << name << " " << same;
        for (auto const* twice : {"energy", "area", "memory_area", "silicon", "idle_power", "footprint",
                                  "tokens_per_second", "power", "peak_power"})
            EXPECT_NEAR(machine.value(twice, two), 2.0 * machine.value(twice, half), 1e-9 * machine.value(twice, two))
                << name << " " << twice;
    }
}

/// Power of the links of a group at rest [W].
double links_at_rest(Machine& machine, Settings const& alone, Settings const& group) {
    double const devices = std::stod(std::ranges::find(group, "devices", &Settings::value_type::first)->second);
    return machine.value("idle_power", group) - devices * machine.value("idle_power", alone);
}

/// Boards have their own ports in their idle power: at rest, only what is beside them draws more.
TEST(Several, pay_for_switches_at_rest_where_there_are_some) {
    auto const at_rest = [](char const* name, char const* link) {
        Machine machine(name);
        Settings const alone{{"llm", "llama-2-7b"}};
        return links_at_rest(machine, alone, with(alone, {{"devices", "2"}, {"link", link}}));
    };
    EXPECT_NEAR(at_rest("a100", "own"), 2.0 * 66.0, 1e-9) << "12 ports of NVSwitch for each";
    EXPECT_NEAR(at_rest("rtx_a6000", "own"), 0.0, 1e-9) << "a bridge";
    EXPECT_NEAR(at_rest("mi300x", "own"), 0.0, 1e-9) << "links from board to board";
    EXPECT_NEAR(at_rest("mi355x", "own"), 0.0, 1e-9) << "as mi300x";
    EXPECT_NEAR(at_rest("a100", "pcie4_host"), 0.0, 1e-9) << "the processor is that of the host";
    EXPECT_GT(at_rest("a100", "pcie4"), 0.0) << "a switch";
}

/// View hardware: activations that kernels move are not divided, and neither is the host.
TEST(Several, over_instant_links_halve_what_divides) {
    Assumptions assumptions;
    assumptions.view = View::hardware;
    Machine gpu("gpu", assumptions);
    Settings const request{{"llm", "llama-2-7b"}, {"input", "512"}, {"output", "32"}, {"layer_overhead", "0 us"}};
    auto const two = with(with(request, instant), {{"devices", "2"}});
    for (auto const* time : {"ttft", "itl", "latency"})
        EXPECT_NEAR(gpu.value(time, two), gpu.value(time, request) / 2.0, 1e-4 * gpu.value(time, request)) << time;
    double const of_links = links_at_rest(gpu, request, two) * gpu.value("latency", two);
    EXPECT_NEAR(gpu.value("energy", two) - of_links, gpu.value("energy", request), 1e-2 * gpu.value("energy", request));
}

/// A request whose first token is not that of its prompt has one step more: as one of another token whose first is.
TEST(Several, have_every_step_of_requests_that_do_not_count_the_first_token) {
    Machine umdam("umdam");
    for (Settings const& group : {Settings{{"devices", "2"}}, Settings{{"devices", "2"}, {"pipeline_parallel", "2"}},
                                  Settings{{"devices", "2"}, {"pipeline_parallel", "2"}, {"micro_batches", "2"}}}) {
        for (int output : {1, 2, 5}) {
            auto const of = [&](int tokens, char const* counted) {
                return with(with({{"llm", "llama-3.2-1b"}, {"input", "64"}, {"batch", "2"}}, group),
                            {{"output", std::to_string(tokens)}, {"count_first", counted}});
            };
            auto const uncounted = of(output, "false"), counted = of(output + 1, "true");
            for (auto const* same : {"ttft", "latency", "energy", "time_per_token"})
                EXPECT_NEAR(umdam.value(same, uncounted), umdam.value(same, counted), 1e-9 * umdam.value(same, counted))
                    << same << " " << output;
        }
    }
}

TEST(Several, are_never_faster_than_their_share_of_the_work) {
    for (auto const& [name, settings] : requests()) {
        Machine machine(name);
        for (char const* devices : {"2", "4", "8"}) {
            auto const group = with(with(settings, instant), {{"devices", devices}});
            if (!machine.rule(group).empty()) continue;
            double const share = machine.value("latency", settings) / std::stod(devices);
            EXPECT_GE(machine.value("latency", group), 0.95 * share) << name << " " << devices;
        }
    }
}

// Two devices draw twice the idle power for half of the time, hold some vectors twice and exchange sums. A mesh is as
// large as the model: the parts have shorter routes, and the gates of idle layers are closed for longer.
TEST(Several, save_no_energy_by_dividing_alone) {
    for (auto const& [name, settings] : requests()) {
        if (name == "cim_mesh") continue;
        Machine machine(name);
        for (auto const& divided : std::vector<Settings>{{{"devices", "2"}},
                                                         {{"devices", "4"}},
                                                         {{"devices", "2"}, {"pipeline_parallel", "2"}},
                                                         {{"devices", "2"}, {"data_parallel", "2"}}}) {
            auto const group = with(settings, divided);
            if (!machine.rule(group).empty()) continue;
            EXPECT_GE(machine.value("energy", group), 0.999 * machine.value("energy", settings))
                << name << " " << divided.back().first;
        }
    }
}

/// Mean power of the time that a larger value of this parameter adds [W].
double added_power(Machine& machine, Settings const& settings, char const* parameter) {
    auto const less = with(settings, {{parameter, "10 us"}}), more = with(settings, {{parameter, "1 ms"}});
    return (machine.value("energy", more) - machine.value("energy", less)) /
           (machine.value("latency", more) - machine.value("latency", less));
}

// A device that waits for a link draws what it draws while it waits for a launch: rows stay open. (A mesh opens the
// gates of a layer before it launches it.)
TEST(Several, wait_for_links_as_one_waits_for_launches) {
    for (auto const& [name, settings] : requests()) {
        if (name == "cim_mesh") continue;
        Machine machine(name);
        double const alone = added_power(machine, settings, "layer_overhead");
        for (auto const& divided : std::vector<Settings>{{{"devices", "2"}},
                                                         {{"devices", "2"}, {"pipeline_parallel", "2"}},
                                                         {{"devices", "4"}, {"pipeline_parallel", "2"}}}) {
            auto const group = with(settings, divided);
            if (!machine.rule(group).empty()) continue;
            double const expected = std::stod(divided.front().second) * alone + links_at_rest(machine, settings, group);
            EXPECT_NEAR(added_power(machine, group, "link_latency"), expected, 1e-4 * expected) << name;
        }
    }
}

TEST(Several, account_for_all_time_energy_and_area) {
    for (auto const& [name, settings] : requests()) {
        for (auto const host : {Host::excluded, Host::included}) {
            Assumptions assumptions;
            assumptions.host = host;
            Machine machine(name, assumptions);
            for (auto const& divided :
                 std::vector<Settings>{{{"devices", "2"}},
                                       {{"devices", "4"}, {"pipeline_parallel", "2"}},
                                       {{"devices", "4"}, {"pipeline_parallel", "2"}, {"draft", "3"}},
                                       {{"devices", "4"}, {"pipeline_parallel", "4"}, {"micro_batches", "4"}}}) {
                auto const all = machine.explain(with(settings, divided));
                auto const* metrics = std::get_if<Metrics>(&all.outcome);
                if (metrics == nullptr) continue;
                auto const near = [&](std::vector<Share> const& shares, char const* metric) {
                    double const value = machine.metric(*metrics, metric).value;
                    EXPECT_NEAR(sum_of(shares), value, 1e-9 * value) << name << " " << metric;
                };
                near(all.time, "latency");
                near(all.energy, "energy");
                near(all.area, "area");
                auto const value = [&](char const* metric) { return machine.metric(*metrics, metric).value; };
                EXPECT_NEAR(value("power") * value("latency"), value("energy"), 1e-9 * value("energy"));
                double const phases =
                    value("prefill_power") * value("ttft") + value("decode_power") * (value("latency") - value("ttft"));
                EXPECT_NEAR(phases, value("energy"), 1e-9 * value("energy")) << name;
                EXPECT_GE(value("peak_power"), value("power") * (1.0 - 1e-9)) << name;
                for (auto const& metric : *metrics)
                    if (std::isfinite(metric.value)) {
                        EXPECT_LE(metric.lower, metric.value * (1.0 + 1e-12));
                        EXPECT_GE(metric.upper, metric.value * (1.0 - 1e-12));
                    }
            }
        }
    }
}

/// Ends of energy and of time are of different designs: their ratio was 57 kW for eight boards of 700 W.
TEST(Several, draw_at_most_what_their_devices_may) {
    Assumptions assumptions;
    assumptions.view = View::hardware;
    Machine board("h100", assumptions);
    Settings const request{{"llm", "llama-3.1-70b"}, {"input", "130000"}, {"output", "64"}, {"weights", "fp8"}};
    double const watts = 700.0;
    for (Settings const& group :
         {Settings{{"devices", "8"}}, Settings{{"devices", "8"}, {"pipeline_parallel", "2"}},
          Settings{{"devices", "8"}, {"pipeline_parallel", "4"}, {"batch", "2"}, {"micro_batches", "2"}},
          Settings{{"devices", "8"}, {"data_parallel", "2"}, {"batch", "2"}}}) {
        auto const settings = with(with(request, group), instant);
        auto const outcome = board.outcome(settings);
        auto const* metrics = std::get_if<Metrics>(&outcome);
        ASSERT_NE(metrics, nullptr) << std::get<Infeasible>(outcome).reason;
        double const idle = 8.0 * 70.0, beside = board.metric(*metrics, "idle_power").value - idle;
        for (auto const* name : {"power", "prefill_power", "decode_power", "peak_power"}) {
            auto const found = board.metric(*metrics, name);
            EXPECT_LE(found.upper, 1.02 * 8.0 * watts + beside) << name << ": 2 % for what links move";
            EXPECT_GE(found.lower, idle * (1.0 - 1e-12)) << name;
            EXPECT_LE(found.lower, found.value) << name;
            EXPECT_GE(found.upper, found.value) << name;
        }
    }
}

TEST(Several, hold_the_keys_and_values_of_all_their_micro_batches) {
    Machine gpu("gpu");
    Settings const stages{{"llm", "llama-2-70b"}, {"devices", "4"},   {"pipeline_parallel", "4"},
                          {"input", "2048"},      {"output", "2048"}, {"batch", "64"}};
    Settings const parts = with(stages, {{"micro_batches", "4"}});
    EXPECT_NEAR(gpu.value("footprint", parts), gpu.value("footprint", stages), 1.0);
    EXPECT_EQ(gpu.rule(with(parts, {{"batch", "256"}})), gpu.rule(with(stages, {{"batch", "256"}})));
    EXPECT_EQ(gpu.rule(with(parts, {{"batch", "256"}})), "memory");
}

TEST(Several, say_what_does_not_divide) {
    Machine gpu("gpu");
    EXPECT_EQ(gpu.rule({{"devices", "3"}}), "division");  // 32 heads
    EXPECT_EQ(gpu.rule({{"devices", "4"}, {"tensor_parallel", "3"}}), "devices");
    EXPECT_EQ(gpu.rule({{"devices", "4"}, {"pipeline_parallel", "3"}}), "devices");
    EXPECT_EQ(gpu.rule({{"tensor_parallel", "2"}}), "devices");
    EXPECT_EQ(gpu.rule({{"devices", "2"}, {"data_parallel", "2"}}), "batch");
    EXPECT_EQ(gpu.rule({{"devices", "2"}, {"expert_parallel", "2"}, {"batch", "2"}}), "division");
    EXPECT_EQ(gpu.rule({{"devices", "2"}, {"micro_batches", "2"}, {"batch", "2"}}), "micro_batches");
    EXPECT_EQ(gpu.rule({{"device", "rtx_a6000"}, {"devices", "4"}}), "nvlink");
    EXPECT_EQ(gpu.rule({{"device", "rtx_a6000"}, {"devices", "4"}, {"link", "pcie4"}}), "");
    EXPECT_EQ(gpu.rule({{"devices", "32"}, {"link", "nvlink3"}}), "reach");
    EXPECT_EQ(gpu.rule({{"devices", "32"}, {"link", "nvlink4"}}), "");
    EXPECT_EQ(gpu.rule({{"llm", "llama-2-70b"}}), "memory");
    EXPECT_EQ(gpu.rule({{"llm", "llama-2-70b"}, {"devices", "2"}}), "");
    EXPECT_EQ(Machine("upmem").rule({{"devices", "2"}}), "devices");
    EXPECT_EQ(Machine("dplena").rule({{"devices", "2"}}), "devices");
}

TEST(Several, count_the_cache_of_a_head_on_every_board_that_has_its_queries) {
    Machine gpu("gpu");
    auto const cached = [&](char const* boards) {
        Settings const at{{"llm", "qwen2.5-3b"}, {"input", "16384"}, {"output", "1024"}, {"devices", boards}};
        return gpu.value("footprint", with(at, {{"batch", "2"}})) - gpu.value("footprint", at);
    };
    // Two heads of keys and of values: every one of eight boards holds one.
    EXPECT_DOUBLE_EQ(cached("1"), 2 * 17408.0 * 128 * 2 * 36 * 2);
    EXPECT_DOUBLE_EQ(cached("2"), cached("1"));
    EXPECT_DOUBLE_EQ(cached("8"), 4.0 * cached("1"));
    Settings const eight{{"llm", "qwen2.5-3b"}, {"input", "16384"}, {"output", "1024"}, {"devices", "8"}};
    EXPECT_EQ(gpu.rule(with(eight, {{"batch", "254"}})), "");
    EXPECT_EQ(gpu.rule(with(eight, {{"batch", "255"}})), "memory");
}

TEST(Several, of_experts_send_tokens_to_all_of_them) {
    Machine gpu("gpu");
    Settings const request{{"llm", "qwen3-30b-a3b"}, {"input", "512"}, {"output", "64"}, {"batch", "16"}};
    auto const by_experts = with(request, {{"devices", "4"}, {"expert_parallel", "4"}, {"data_parallel", "1"}});
    auto const by_copies = with(request, {{"devices", "4"}, {"data_parallel", "4"}});
    EXPECT_LT(gpu.value("footprint", by_experts), 0.5 * gpu.value("footprint", by_copies));
    EXPECT_GT(gpu.value("itl", by_experts), gpu.value("itl", with(by_experts, instant)));
    EXPECT_LT(gpu.value("itl", with(by_experts, instant)), gpu.value("itl", by_copies))
        << "a device reads fewer experts";
}

/// Another value of a number, doubled or halved.
Value scaled(Parameter const& p, Value const& value, double factor) {
    if (value.kind() == Kind::integer)
        return Value::integer(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(factor * static_cast<double>(value.as_integer()))));
    double const v = value.as_quantity() * factor;
    return p.upper > 0.0 && (v < p.lower || v > p.upper) ? value : Value::quantity(v);
}

// What an architecture declares about its bounds, and what is declared about the number of devices.
TEST(Several, go_where_their_bounds_are_declared_to_go) {
    std::vector<Settings> const groups{{{"devices", "2"}},
                                       {{"devices", "4"}, {"pipeline_parallel", "2"}},
                                       {{"devices", "4"}, {"pipeline_parallel", "4"}, {"micro_batches", "2"}},
                                       {{"devices", "4"}, {"data_parallel", "2"}}};
    for (auto const& [name, settings] : requests()) {
        auto const& architecture = find_architecture(name);
        auto const table = architecture.metrics();
        auto parameters = architecture.parameters();
        auto const inputs = prepare(architecture, parameters);
        int compared = 0;
        for (auto const& law : architecture.proofs.monotone_lower_bounds(inputs)) {
            if (law.one_device) continue;
            auto const at = static_cast<std::size_t>(find_parameter(parameters, law.parameter));
            auto const metric = static_cast<std::size_t>(find_metric(table, law.metric));
            for (auto const& group : groups) {
                auto const less = point_with(parameters, with(settings, group));
                auto more = less;
                more[at] = scaled(parameters[at], less[at], 2.0);
                if (law.parameter == devices_name) more[at] = Value::integer(2 * less[at].as_integer());
                auto const a = architecture.evaluate(inputs, less, Fidelity::analytic);
                auto const b = architecture.evaluate(inputs, more, Fidelity::analytic);
                if (!std::holds_alternative<Metrics>(a) || !std::holds_alternative<Metrics>(b)) continue;
                auto const bound = [&](Outcome const& outcome) {
                    auto const& estimate = std::get<Metrics>(outcome)[metric];
                    bool const up = table[metric].better == Sense::maximize;
                    EXPECT_EQ(up ? estimate.kinds.upper : estimate.kinds.lower, Bound::proved) << law.metric;
                    return up ? estimate.upper : estimate.lower;
                };
                double const before = bound(a), after = bound(b), slack = 1e-12 * std::abs(before);
                if (law.slope != Slope::up) {
                    EXPECT_LE(after, before + slack) << name << " " << law.parameter << " " << law.metric;
                }
                if (law.slope != Slope::down) {
                    EXPECT_GE(after, before - slack) << name << " " << law.parameter << " " << law.metric;
                }
                ++compared;
            }
        }
        EXPECT_GT(compared, 5) << name;
    }
}

// A draft model runs where the logits are: in the last stage, whole on each of its devices.
TEST(Several, propose_tokens_in_the_last_stage) {
    Machine gpu("gpu");
    Settings const stages{{"llm", "llama-2-70b"}, {"devices", "4"}, {"pipeline_parallel", "2"}, {"draft", "4"}};
    auto const proposed = with(stages, {{"draft_llm", "llama-2-7b"}});
    double const draft = gpu.value("footprint", with({}, {{"llm", "llama-2-7b"}}));
    EXPECT_NEAR(gpu.value("footprint", proposed) - gpu.value("footprint", stages), 2.0 * draft, 1e-3 * draft);
    EXPECT_GT(gpu.value("itl", proposed), gpu.value("itl", stages));
    EXPECT_LT(gpu.value("itl", stages), gpu.value("itl", with(stages, {{"draft", "0"}})));
}

TEST(Several, pay_for_their_hosts_once) {
    Assumptions with_host;
    with_host.host = Host::included;
    Machine without("gpu"), included("gpu", with_host);
    Settings const eight{{"devices", "8"}};
    double const latency = without.value("latency", eight);
    EXPECT_NEAR(included.value("energy", eight) - without.value("energy", eight), 100.0 * latency,
                1e-9 * included.value("energy", eight));
    EXPECT_NEAR(included.value("peak_power", eight) - without.value("peak_power", eight), 100.0, 1e-6);
    Settings const sixteen{{"devices", "16"}, {"link", "pcie4"}, {"batch", "16"}, {"data_parallel", "2"}};
    EXPECT_NEAR(included.value("peak_power", sixteen) - without.value("peak_power", sixteen), 200.0, 1e-6);
}

TEST(Several, take_the_energy_of_links_from_the_technology) {
    Settings const two{{"devices", "2"}, {"link", "nvlink3"}};
    auto const of_links = [&](char const* per_bit) {
        Assumptions assumptions;
        assumptions.constants = ConstantSource::technology;
        assumptions.technology.emplace_back("board_link", per_bit);
        for (auto const& share : Machine("gpu", assumptions).explain(two).energy)
            if (share.what == "links") return share.amount;
        return 0.0;
    };
    // the rest are ports and switches at rest
    double const more = of_links("6 pJ/bit") - of_links("3 pJ/bit");
    EXPECT_GT(more, 0.0);
    EXPECT_NEAR(of_links("9 pJ/bit") - of_links("6 pJ/bit"), more, 1e-6 * more);
}

}  // namespace
}  // namespace pimdse::models::chips::several_test
