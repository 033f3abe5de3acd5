#include "law_count.hpp"
#include "models/find_architecture.hpp"
#include "models/free_of_cost.hpp"
#include "served_points.hpp"
#include "sim/base/words.hpp"

#include <gtest/gtest.h>
#include <algorithm>

/// Nothing is free: what makes the same request faster costs area, silicon, idle power or energy, or its parameter says
/// why not (models/free_of_cost.cpp).
namespace pimdse::laws::free_hardware_test {
namespace {

using models::Architecture;
using models::Fidelity;
using models::Kind;
using models::Value;

class Free : public ::testing::TestWithParam<Architecture const*> {};

/// All choices, or numbers from a quarter to four times the value.
Values other_values(ServedMachine const& machine, Values const& point, std::size_t which) {
    auto const& p = machine.parameters()[which];
    Values all;
    if (p.kind == Kind::flag) all.push_back(Value::flag(!point[which].as_flag()));
    if (p.kind == Kind::choice) {
        for (std::size_t i = 0; i < p.choices.size(); ++i)
            if (built(p, Value::choice(i)) && Value::choice(i) != point[which]) all.push_back(Value::choice(i));
    }
    if (p.kind == Kind::integer || p.kind == Kind::quantity) {
        for (double const factor : {0.25, 0.5, 2.0, 4.0})
            if (auto const value = machine.scaled(which, point[which], factor)) all.push_back(*value);
    }
    return all;
}

struct Change {
    std::string_view faster;  ///< a time that fell by more than a thousandth; "" if there is none
    bool trades = false;      ///< another time rose
};

Change change(ServedMachine const& machine, models::Metrics const& before, models::Metrics const& after) {
    constexpr double noticed = 1e-3;
    Change found;
    for (std::string_view const time : {"ttft", "itl", "latency"}) {
        double const ratio = machine.value(after, time) / machine.value(before, time);
        if (ratio > 1.0 + noticed) found.trades = true;
        if (ratio < 1.0 - noticed && found.faster.empty()) found.faster = time;
    }
    return found;
}

/// Less of a resource: that a machine is faster for having less of something is no gain (routes on a smaller mesh are
/// shorter, one board exchanges nothing).
bool is_less(models::Parameter const& p, Value const& before, Value const& after) {
    if (!p.resource) return false;
    return p.kind == Kind::integer ? after.as_integer() < before.as_integer()
                                   : after.as_quantity() < before.as_quantity();
}

/// The same for choices: `serial` leaves out the adders of `tree`, and is faster where a model takes few crossbars.
bool has_less_silicon(ServedMachine const& machine, models::Metrics const& before, models::Metrics const& after) {
    constexpr double rounding = 1e-9;
    return machine.value(after, "silicon") < machine.value(before, "silicon") * (1.0 - rounding);
}

bool costs_more(ServedMachine const& machine, models::Metrics const& before, models::Metrics const& after) {
    constexpr double rounding = 1e-9;
    for (auto const* cost : {"area", "memory_area", "silicon", "idle_power", "energy"}) {
        if (machine.value(after, cost) > machine.value(before, cost) * (1.0 + rounding)) return true;
    }
    return false;
}

/// A design that no drawn request reaches (a kernel, a placement by genes, cycle level) and a change that makes it
/// faster at no cost.
struct Example {
    std::string_view architecture;
    std::vector<std::pair<std::string_view, std::string>> settings;
    std::string_view parameter;
    std::string from, to;
    Fidelity fidelity = Fidelity::analytic;
};

std::vector<Example> const& examples() {
    auto const placed = [](std::string_view parameter, std::string from, std::string to) {
        return Example{"cim_mesh",
                       {{"llm", "llama-3.2-1b"}, {"lora_targets", "none"}, {"input", "128"}, {"placement", "genes"}},
                       parameter,
                       std::move(from),
                       std::move(to)};
    };
    auto const in_rectangles = [&](std::string_view parameter) {
        auto example = placed(parameter, "4", "8");
        example.settings.emplace_back("shape", "rectangles");
        for (auto const* rows : {"attention_rows", "up_rows", "down_rows"}) example.settings.emplace_back(rows, "8");
        return example;
    };
    static std::vector<Example> const all{{"umdam",
                                           {{"llm", "qwen2.5-0.5b"},
                                            {"input", "1"},
                                            {"output", "17"},
                                            {"channels", "32"},
                                            {"global_buffer_elements", "117312"}},
                                           "double_buffer",
                                           "true",
                                           "false"},
                                          {"upmem", {{"kernel", "va"}, {"lock", "none"}}, "streams", "1", "8"},
                                          {"upmem", {{"kernel", "va"}}, "preset", "upimulator-go", "upimulator-cpp"},
                                          {"upmem", {{"kernel", "va"}, {"streams", "64"}}, "joint", "false", "true"},
                                          {"upmem", {{"kernel", "red"}, {"streams", "16"}}, "reduction", "host", "dpu"},
                                          {"dplena",
                                           {{"scope", "end_to_end"},
                                            {"generation", "autoregressive"},
                                            {"llm", "opt-125m"},
                                            {"input", "16"},
                                            {"generation_length", "16"},
                                            {"overlap", "prefetch"},
                                            {"buffers", "2"}},
                                           "preload",
                                           "16",
                                           "4"},
                                          placed("attention_order", "q-k-v-o", "v-o-q-k"),
                                          placed("ffn_order", "down-up-gate", "gate-up-down"),
                                          placed("band_height", "1", "8"),
                                          placed("tile_order", "reversed", "snake"),
                                          {"cim_mesh",
                                           {{"llm", "llama-3-8b"},
                                            {"lora_targets", "none"},
                                            {"placement", "genes"},
                                            {"band_height", "8"},
                                            {"attention_rows", "4"},
                                            {"up_rows", "8"},
                                            {"down_rows", "8"}},
                                           "shape",
                                           "bands",
                                           "rectangles"},
                                          placed("adc_bits", "14", "9"),
                                          in_rectangles("attention_rows"),
                                          in_rectangles("up_rows"),
                                          in_rectangles("down_rows")};
    return all;
}

bool has_example(std::string_view architecture, std::string_view parameter) {
    return std::ranges::any_of(
        examples(), [&](auto const& e) { return e.architecture == architecture && e.parameter == parameter; });
}

/// With `parameter` at `value`. The default table lacks choices of one's own (an order of matrices).
std::optional<models::Metrics> result_of(Example const& example, std::string const& value) {
    auto const& architecture = models::find_architecture(example.architecture);
    std::vector<std::pair<std::string, std::string>> settings(example.settings.begin(), example.settings.end());
    settings.emplace_back(example.parameter, value);
    auto parameters = architecture.parameters();
    auto const point = models::point_with(parameters, settings);
    auto const outcome = architecture.evaluate(models::prepare(architecture, parameters), point, example.fidelity);
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    return metrics == nullptr ? std::nullopt : std::optional(*metrics);
}

TEST(FreeOfCost, has_an_example_where_no_drawn_request_reaches) {
    for (auto const& example : examples()) {
        SCOPED_TRACE(fmt::format("{} {}", example.architecture, example.parameter));
        ServedMachine const machine(models::find_architecture(example.architecture));
        auto const before = result_of(example, example.from), after = result_of(example, example.to);
        ASSERT_TRUE(before && after);
        EXPECT_FALSE(costs_more(machine, *before, *after));
        EXPECT_FALSE(change(machine, *before, *after).faster.empty());
        EXPECT_FALSE(models::free_because(example.architecture, example.parameter).empty());
    }
}

TEST_P(Free, is_only_what_says_why) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("nothing is free", GetParam()->name);
    Bits bits(41);
    auto const parameters = GetParam()->parameters();
    std::vector<bool> was_free(parameters.size()), violated(parameters.size());
    for (std::uint64_t n = 0; n < designs_of(1000, 1000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const before = machine.result(point);
        if (!before) continue;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (is_workload(parameters[i].name)) continue;
            for (auto const& value : other_values(machine, point, i)) {
                if (is_less(parameters[i], point[i], value)) continue;
                auto changed = point;
                changed[i] = value;
                auto const after = machine.result(changed);
                if (!after) continue;
                count.tried();
                auto const [time, trades] = change(machine, *before, *after);
                if (time.empty() || costs_more(machine, *before, *after)) continue;
                was_free[i] = true;
                if (!models::free_because(GetParam()->name, parameters[i].name).empty() || violated[i]) continue;
                // A machine that selects its units phase by phase may trade one phase for the other: a slower
                // multiplier in the banks sends the prompt to the NPU, which moves the weights before the first token
                // and no longer after it.
                if (trades) continue;
                if (parameters[i].kind == Kind::choice && has_less_silicon(machine, *before, *after)) continue;
                violated[i] = true;
                count.violated(fmt::format(
                    "{} from {} to {} makes {} {:.4g} of what it was and costs nothing: {}", parameters[i].name,
                    models::print_value(parameters[i], point[i]), models::print_value(parameters[i], value), time,
                    machine.value(*after, time) / machine.value(*before, time), machine.command(changed)));
            }
        }
    }
    for (std::size_t i = 0; in_campaign() && i < parameters.size(); ++i) {
        bool const of_group = machines.front().is_of_group(parameters[i].name);
        bool const is_needed = of_group || was_free[i] || has_example(GetParam()->name, parameters[i].name);
        EXPECT_TRUE(models::free_because(GetParam()->name, parameters[i].name).empty() || is_needed)
            << GetParam()->name << ": " << parameters[i].name
            << " costs something wherever it makes anything faster; its "
            << "row of models/free_of_cost.cpp is not needed";
    }
    EXPECT_TRUE(count.holds());
}

TEST(FreeOfCost, names_parameters_that_there_are_and_no_hardware) {
    auto const names_in = [](std::string_view names) { return sim::words_of(names, ' '); };
    for (auto const& row : models::parameters_free_of_cost()) {
        EXPECT_GE(std::ranges::count(row.because, ' '), 2) << row.parameters << ": " << row.because;
        for (auto const& architecture : names_in(row.architectures.empty() ? "gpu" : row.architectures)) {
            auto const parameters = models::find_architecture(architecture).parameters();
            for (auto const& name : names_in(row.parameters)) {
                int const at = models::find_parameter(parameters, name);
                ASSERT_GE(at, 0) << architecture << " " << name;
                // The size of a mesh follows from its part of a model.
                bool const is_of_model = architecture == "cim_mesh" && name == models::devices_name;
                EXPECT_TRUE(is_of_model || !parameters[static_cast<std::size_t>(at)].resource)
                    << architecture << " " << name;
                EXPECT_EQ(models::free_because(architecture, name), row.because) << "one reason for each";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Free, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::free_hardware_test
