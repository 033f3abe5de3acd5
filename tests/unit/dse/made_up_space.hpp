#pragma once

#include "dse/space/space.hpp"
#include "models/contract/architecture.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/random.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::testing {

/// An architecture that no catalogue has: rows, depth, mode, clock and order. Its analytic lower bounds are proved, and
/// those of latency fall with rows and rise with depth, those of energy the other way round; nothing is known along
/// mode. Clock and order decide nothing, so that several points have the same key. It refuses designs with rows * depth
/// above 600.
inline models::Parameters made_up_parameters() {
    using models::Kind;
    using models::Value;
    return {
        {.name = "rows", .kind = Kind::integer, .default_value = Value::integer(8)},
        {.name = "depth", .kind = Kind::integer, .default_value = Value::integer(8)},
        {.name = "mode", .kind = Kind::choice, .default_value = Value::choice(0), .choices = {"plain", "wide", "deep"}},
        {.name = "clock", .kind = Kind::quantity, .unit = "GHz", .default_value = Value::quantity(1e9)},
        {.name = "order",
         .kind = Kind::permutation,
         .default_value = Value::permutation(0),
         .items = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                   "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"}}};
}

inline models::MetricList made_up_metrics() {
    return {{.name = "latency", .unit = "s"},
            {.name = "energy", .unit = "J"},
            {.name = "speed", .unit = "1", .better = models::Sense::maximize}};
}

inline models::Outcome made_up_outcome(models::Inputs const&, models::Point point, models::Fidelity fidelity) {
    auto const rows = static_cast<double>(point[0].as_integer()), depth = static_cast<double>(point[1].as_integer());
    auto const mode = static_cast<double>(point[2].as_choice());
    if (rows * depth > 600.0) return models::Infeasible{"fits", "rows * depth is above 600"};
    std::uint64_t const design = static_cast<std::uint64_t>(rows * 4096 + depth * 4 + mode);
    double const latency = 100.0 / rows + depth + 3.0 * mode, energy = rows * (4.0 - mode) + 200.0 / depth;
    if (fidelity == models::Fidelity::cycle) {
        double const more = 1.0 + sim::mixed_fraction(design) / 4.0;
        return models::Metrics{models::Estimate::exact(latency * more), models::Estimate::exact(energy * more),
                               models::Estimate::exact(1.0 / (latency * more))};
    }
    auto const around = [](double lower) {
        return models::Estimate::within(1.1 * lower, lower, 1.25 * lower, models::Bound::proved);
    };
    return models::Metrics{
        around(latency), around(energy),
        models::Estimate::within(0.9 / latency, 0.8 / latency, 1.0 / latency, models::Bound::proved)};
}

inline models::CycleKey made_up_key(models::Inputs const&, models::Point point) {
    return models::CycleKeyMaker()
        .add(point[0].as_integer())
        .add(point[1].as_integer())
        .add(static_cast<std::uint64_t>(point[2].as_choice()))
        .key();
}

inline std::vector<models::MonotoneLowerBound> made_up_slopes(models::Inputs const&) {
    using models::Slope;
    return {{"rows", "latency", Slope::down}, {"depth", "latency", Slope::up},  {"clock", "latency", Slope::flat},
            {"rows", "energy", Slope::up},    {"depth", "energy", Slope::down}, {"clock", "energy", Slope::flat}};
}

inline models::Architecture const& made_up_architecture() {
    static models::Architecture const architecture{
        .name = "made_up",
        .summary = "for tests",
        .fidelities = {models::Fidelity::analytic, models::Fidelity::cycle},
        .parameters = &made_up_parameters,
        .metrics = &made_up_metrics,
        .prepare = [](models::Parameters const&, models::ModelOptions const&) { return std::shared_ptr<void const>(); },
        .evaluate = &made_up_outcome,
        .explain = nullptr,
        .proofs = {.cycle_key = &made_up_key, .monotone_lower_bounds = &made_up_slopes},
    };
    return architecture;
}

/// An axis for each parameter; what is missing takes its default.
struct MadeUpAxes {
    std::vector<std::int64_t> rows{8}, depth{8};
    std::size_t modes = 1;
    std::vector<double> clocks{1e9};
    std::size_t ordered = 0;  ///< items that are permuted; 0: none
};

inline space::Machine made_up_machine(MadeUpAxes const& said, std::vector<std::string> const& conditions = {},
                                      std::string const& name = "made_up") {
    using models::Value;
    space::Machine machine;
    machine.name = name;
    machine.architecture = &made_up_architecture();
    machine.inputs = {made_up_parameters(), nullptr};
    std::vector<Value> rows, depth, modes, clocks;
    for (auto const value : said.rows) rows.push_back(Value::integer(value));
    for (auto const value : said.depth) depth.push_back(Value::integer(value));
    for (std::size_t mode = 0; mode < said.modes; ++mode) modes.push_back(Value::choice(mode));
    for (auto const value : said.clocks) clocks.push_back(Value::quantity(value));
    machine.axes = {
        space::Axis::list(rows), space::Axis::list(depth), space::Axis::list(modes), space::Axis::list(clocks),
        said.ordered == 0 ? space::Axis::list({Value::permutation(0)}) : space::Axis::permutations(said.ordered)};
    for (auto const& text : conditions) {
        auto condition = models::parse_condition(text, {machine.parameters(), machine.metrics()});
        bool const parameters_only = !condition.uses_metrics();
        machine.constraints.push_back({"rule " + text, std::move(condition), parameters_only});
    }
    return machine;
}

/// Of these machines, with the first `objectives` metrics as objectives.
inline space::Space made_up_space(std::vector<space::Machine> machines, std::size_t objectives = 2) {
    space::Space::Parts parts;
    parts.machines = std::move(machines);
    for (std::size_t i = 0; i < objectives; ++i) parts.objectives.push_back({i, made_up_metrics()[i].better});
    return space::Space(std::move(parts));
}

inline std::vector<std::int64_t> up_to(std::int64_t last) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 1; i <= last; ++i) numbers.push_back(i);
    return numbers;
}

}  // namespace pimdse::dse::testing
