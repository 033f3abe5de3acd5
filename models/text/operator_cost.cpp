#include "models/text/operator_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace pimdse::models::text {
namespace {

using Operators = std::vector<std::pair<Operator, OperatorWork>>;

/// Tokens of the expert at `rank` (0 to 1, from the least busy) under a power law, before they are scaled to all
/// tokens.
double by_power_law(double rank, double exponent, double smallest, double largest) {
    if (exponent == 1.0) return smallest * std::pow(largest / smallest, rank);
    double const power = 1.0 - exponent, from = std::pow(smallest, power), to = std::pow(largest, power);
    return std::pow(from + (to - from) * rank, 1.0 / power);
}

OperatorWork product_of(double executions, double rows, double inputs, double outputs, LlmRequest const& r) {
    OperatorWork work;
    work.executions = executions;
    work.rows = rows;
    work.inputs = inputs;
    work.outputs = outputs;
    work.operations = 2.0 * executions * rows * inputs * outputs;
    work.weight_bytes = executions * inputs * outputs * r.weight_bytes;
    work.taken = executions * rows * inputs;
    work.made = executions * rows * outputs;
    return work;
}

Operators products(OperatorShape const& s, LlmRequest const& r) {
    auto work = product_of(1.0, s.m, s.k, s.n, r);
    work.kernels = 1.0;
    return {{Operator::o, work}};
}

Operators attention(OperatorShape const& s, LlmRequest const& r, QueryTile tile) {
    LanguageModel layer;
    layer.layers = 1;
    layer.heads = s.heads;
    layer.kv_heads = s.kv_heads;
    layer.head_dimension = s.head_width;
    LayerKindWork work{&layer, {}, {}};
    work.read_bytes = work.written_bytes = static_cast<double>(attention_elements(layer)) * r.cache_bytes;
    PassShape const pass{s.queries, {s.keys - s.queries + 1.0, s.keys}, s.keys, 0.0, s.queries == 1.0};
    Operators all;
    attention_operators(work, summed(layer, pass, s.batch, tile),
                        [&](Operator op, OperatorWork const& of) { all.emplace_back(op, of); });
    return all;
}

/// Experts with so many tokens each.
struct ExpertLoad {
    double experts = 0.0, tokens = 0.0;
};

std::vector<ExpertLoad> loads_by(Routing const& routing, double tokens, double experts, double active) {
    double const chosen = tokens * active;
    if (routing.kind != Routing::Kind::power_law) {
        double const touched = routing.kind == Routing::Kind::balanced
                                   ? std::min(experts, chosen)
                                   : experts * (1.0 - std::pow(1.0 - active / experts, tokens));
        return {{touched, chosen / touched}};
    }
    // Before they are scaled to all choices: from one token to 4/5 of them, or from 1/100 to 2 where most have none.
    bool const many = chosen > experts;
    double const smallest = many ? 1.0 : 1.0 / 100, largest = many ? std::max(1.0, 4 * tokens / 5) : 2.0;
    std::vector<double> loads(static_cast<std::size_t>(experts));
    for (std::size_t i = 0; i < loads.size(); ++i)
        loads[i] = by_power_law((static_cast<double>(i) + 0.5) / experts, routing.exponent, smallest, largest);
    // Scaled so that all choices are made and no expert has a token twice. Less than one token is so often one.
    double left = chosen, sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    auto capped = loads.size();
    for (; capped > 0 && left * loads[capped - 1] > tokens * sum; left -= tokens) sum -= loads[--capped];
    std::vector<ExpertLoad> all;
    if (capped < loads.size()) all.push_back({static_cast<double>(loads.size() - capped), tokens});
    for (std::size_t i = 0; i < capped; ++i) {
        double const count = left / sum * loads[i];
        all.push_back({std::min(1.0, count), std::max(1.0, count)});
    }
    return all;
}

Operators expert_products(OperatorShape const& s, LlmRequest const& r) {
    Operators all;
    for (auto const& [experts, rows] : loads_by(s.routing, s.tokens, s.experts, s.active)) {
        auto const widening = product_of(experts, rows, s.hidden, s.ffn, r);
        for (auto const& work : {widening, widening, product_of(experts, rows, s.ffn, s.hidden, r)})
            all.emplace_back(Operator::experts, work);
    }
    all.front().second.kernels = 1.0;
    OperatorWork activation;
    activation.executions = activation.kernels = 1.0;
    activation.elements = s.tokens * s.active * s.ffn;
    all.emplace_back(Operator::activation, activation);
    return all;
}

Operators operators_of(OperatorShape const& s, LlmRequest const& r, QueryTile tile) {
    switch (s.kind) {
        case OperatorShape::Kind::product:
            return products(s, r);
        case OperatorShape::Kind::attention:
            return attention(s, r, tile);
        case OperatorShape::Kind::experts:
            break;
    }
    return expert_products(s, r);
}

std::string limit_of(PassCost const& cost, MachineFile const& file) {
    auto const at = static_cast<std::size_t>(std::ranges::max_element(cost.limited) - cost.limited.begin());
    if (at >= no_component) return "the time of a kernel";
    return at >= max_memories ? file.units[at - max_memories].name : file.memories[at].name;
}

/// The machine whose memories take no time.
MachineFigures without_memories(MachineFigures hardware) {
    for (auto& memory : hardware.memories) memory.bandwidth = memory.write_bandwidth = 0.0;
    return hardware;
}

/// The machine as it reads what its cache still has.
MachineFigures from_cache(MachineFigures hardware, CompiledMachine const& machine) {
    auto const& cache = hardware.memories[machine.repeated()];
    for (auto const home : {machine.weights_in(), machine.cache_in()}) {
        if (home == no_component) continue;
        hardware.memories[home].attained = cache.attained;
        hardware.memories[home].bandwidth = cache.bandwidth;
    }
    return hardware;
}

}  // namespace

double touched_by(Routing const& routing, double tokens, double experts, double active) {
    double touched = 0.0;
    for (auto const& load : loads_by(routing, tokens, experts, active)) touched += load.experts;
    return touched;
}

std::variant<OperatorCost, Infeasible> operator_cost(Prepared const& prepared, Point point,
                                                     OperatorShape const& shape) {
    auto const& machine = prepared.machine();
    auto design = read_design(prepared, point);
    if (auto rule = broken_operator_rule(design, point)) return *std::move(rule);
    auto const& r = design.request;
    auto const phase =
        shape.kind == OperatorShape::Kind::attention && shape.queries > 1.0 ? Phase::prefill : Phase::decode;
    if (auto const whole = machine.whole(phase); whole != max_rules)
        return infeasible("operator", "{} takes whole passes: no operator has a time of its own",
                          machine.file().units[machine.rules()[whole].unit].name);
    auto const tile = CostLaw(machine, design.hardware, Fidelity::analytic).query_tile(phase);
    auto const operators = operators_of(shape, r, tile);
    auto const cost_on = [&](MachineFigures const& hardware) {
        return CostLaw(machine, hardware, Fidelity::analytic).operators(r, operators, phase);
    };
    auto cost = cost_on(design.hardware);
    OperatorCost found;
    found.lower = cost.min;
    found.arithmetic = cost_on(without_memories(design.hardware)).min;
    for (auto const& [_, work] : operators) found.bytes += work.weight_bytes + work.cache_read;
    if (machine.repeated() != no_component) {
        auto const& slots = machine.memories()[machine.repeated()];
        found.cached = found.bytes <= 2.0 * design.hardware.numbers[slots.capacity];
        if (shape.repeated && found.bytes <= design.hardware.memories[machine.repeated()].capacity) {
            cost = cost_on(from_cache(design.hardware, machine));
            found.lower = found.arithmetic;
        }
    }
    found.seconds = cost.total();
    found.spread = design.hardware.numbers[machine.spread()];
    found.limit = limit_of(cost, machine.file());
    return found;
}

}  // namespace pimdse::models::text
