#include "models/dplena/dplena.hpp"

#include "models/dplena/answer.hpp"
#include "models/dplena/cycle.hpp"

namespace pimdse::models::dplena {
namespace {

std::shared_ptr<void const> prepare(Parameters const& parameters) {
    auto const llm = static_cast<std::size_t>(find_parameter(parameters, "llm"));
    return std::make_shared<Machine>(Machine::load(parameters[llm].choices));
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& machine = machine_of(inputs);
    auto const design = read_design(point, machine.vocabularies);
    if (auto const rule = broken_rule(design, machine)) return *rule;
    return metrics_of(answer(design, machine, fidelity), design, machine);
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& machine = machine_of(inputs);
    auto const design = read_design(point, machine.vocabularies);
    if (broken_rule(design, machine)) return {};
    return breakdown_of(answer(design, machine, fidelity), design, machine);
}

Trace trace(Inputs const& inputs, Point point, Fidelity) {
    constexpr std::size_t most_bars = 500'000;
    auto const& machine = machine_of(inputs);
    auto const design = read_design(point, machine.vocabularies);
    if (broken_rule(design, machine)) return {};
    return timeline_trace(Program(design, machine.costs), machine, most_bars);
}

}  // namespace

Machine const& machine_of(Inputs const& inputs) { return inputs.as<Machine>(); }

Architecture architecture() {
    return {.name = "dplena",
            .summary = "NPU that samples diffusion language models: vector unit, HBM, top-k remasking",
            .fidelities = {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle},
            .parameters = parameters,
            .metrics = metrics,
            .prepare = prepare,
            .evaluate = evaluate,
            .explain = explain,
            .trace = trace};
}

}  // namespace pimdse::models::dplena
