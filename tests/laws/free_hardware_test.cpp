#include "law_count.hpp"
#include "models/find_architecture.hpp"
#include "models/free_of_cost.hpp"
#include "served_points.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>

/// Nothing is free: what makes the same request faster costs area, silicon, idle power or energy, or its parameter says
/// why not (models/free_of_cost.cpp).
namespace pimdse::laws {
namespace {

using models::Architecture;
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
    for (std::string_view const time : {"ttft", "itl"}) {
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

TEST_P(Free, is_only_what_says_why) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("nothing is free", GetParam()->name);
    Bits bits(41);
    auto const parameters = GetParam()->parameters();
    std::vector<bool> was_free(parameters.size()), violated(parameters.size());
    for (std::uint64_t n = 0; n < designs_of(2500); ++n) {
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
        EXPECT_TRUE(models::free_because(GetParam()->name, parameters[i].name).empty() || was_free[i])
            << GetParam()->name << ": " << parameters[i].name
            << " costs something wherever it makes anything faster; its "
            << "row of models/free_of_cost.cpp is not needed";
    }
    EXPECT_TRUE(count.holds());
}

TEST(FreeOfCost, names_parameters_that_there_are_and_no_hardware) {
    for (auto const& row : models::parameters_free_of_cost()) {
        auto const parameters = models::find_architecture(row.architecture).parameters();
        int const at = models::find_parameter(parameters, row.parameter);
        ASSERT_GE(at, 0) << row.architecture << " " << row.parameter;
        EXPECT_FALSE(parameters[static_cast<std::size_t>(at)].resource) << row.architecture << " " << row.parameter;
        EXPECT_GE(std::count(row.because.begin(), row.because.end(), ' '), 2) << row.parameter << ": " << row.because;
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Free, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws
