#include "models/text/cost.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::text {
namespace {

template <class Array>
void accumulate(Array& to, Array const& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

template <class Array>
void scale(Array& all, double n) {
    for (auto& one : all) one *= n;
}

constexpr std::size_t waiting_limit = no_component;

}  // namespace

double PassCost::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

PassCost& PassCost::operator+=(PassCost const& o) {
    accumulate(seconds, o.seconds);
    accumulate(alone, o.alone);
    accumulate(limited, o.limited);
    min += o.min;
    max += o.max;
    accumulate(operations, o.operations);
    accumulate(scaled_operations, o.scaled_operations);
    accumulate(bytes, o.bytes);
    accumulate(scaled_bytes, o.scaled_bytes);
    return *this;
}

PassCost PassCost::times(double n) const {
    PassCost all = *this;
    scale(all.seconds, n);
    scale(all.alone, n);
    scale(all.limited, n);
    all.min *= n;
    all.max *= n;
    scale(all.operations, n);
    scale(all.scaled_operations, n);
    scale(all.bytes, n);
    scale(all.scaled_bytes, n);
    return all;
}

EnergyByRow CostLaw::energy_of(PassCost const& cost) const {
    EnergyByRow joules{};
    for (std::size_t row = 0; row < joules.size(); ++row) {
        for (std::size_t u = 0; u < hardware_.units.size(); ++u)
            joules[row] += cost.scaled_operations[u] * hardware_.units[u].energy[row];
        for (std::size_t m = 0; m < hardware_.memories.size(); ++m)
            joules[row] +=
                (follows_voltage(row) ? cost.scaled_bytes[m] : cost.bytes[m]) * hardware_.memories[m].energy[row];
    }
    return joules;
}

double CostLaw::joules(PassCost const& cost) const {
    double sum = 0.0;
    for (std::size_t u = 0; u < hardware_.units.size(); ++u)
        sum += cost.scaled_operations[u] * hardware_.units[u].scaled;
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m)
        sum += cost.bytes[m] * hardware_.memories[m].fixed + cost.scaled_bytes[m] * hardware_.memories[m].scaled;
    return sum;
}

CostLaw::Clocked CostLaw::run(ComponentWork const& work, double clock) const {
    Clocked run;
    double const voltage = hardware_.voltage_floor + (1.0 - hardware_.voltage_floor) * clock;
    run.factor = voltage * voltage;
    std::array<double, no_component> by_group{};
    auto const take = [&](std::size_t component, double seconds) {
        auto& longest = by_group[machine_.group_of(component)];
        longest = std::max(longest, seconds);
    };
    if (work.operations > 0.0) {
        auto const& unit = hardware_.units[work.unit];
        run.unit = work.operations / (unit.attained * clock);
        take(max_memories + work.unit, run.unit);
        run.joules += work.operations * unit.scaled * run.factor;
    }
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        if (work.bytes[m] == 0.0) continue;
        auto const& memory = hardware_.memories[m];
        double const slowed = memory.clock_share > 0.0 ? std::min(1.0, clock / memory.clock_share) : 1.0;
        run.memory[m] = work.bytes[m] / (memory.attained * slowed);
        take(m, run.memory[m]);
        run.joules += work.bytes[m] * (memory.fixed + memory.scaled * run.factor);
    }
    for (double const longest : by_group) run.seconds += longest;
    run.seconds += work.waiting;
    return run;
}

bool CostLaw::within_limit(Clocked const& run) const {
    return run.joules <= (hardware_.limit - hardware_.idle) * run.seconds;
}

/// A higher clock takes more energy in less time, so power grows with the clock. Work that exceeds the limit even at
/// the lowest clock takes longer.
CostLaw::Clocked CostLaw::run_within_limit(ComponentWork const& work) const {
    auto const nominal = run(work, 1.0);
    if (hardware_.limit == 0.0 || within_limit(nominal)) return nominal;
    double lower = hardware_.lowest_clock, upper = 1.0;
    auto slowest = run(work, lower);
    if (!within_limit(slowest)) {
        slowest.seconds = slowest.joules / (hardware_.limit - hardware_.idle);
        return slowest;
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        double const middle = 0.5 * (lower + upper);
        (within_limit(run(work, middle)) ? lower : upper) = middle;
    }
    return run(work, lower);
}

void CostLaw::add(ComponentWork const& work, std::size_t rule, PassCost& to) const {
    auto const run = run_within_limit(work);
    to.seconds[rule] += run.seconds;
    std::size_t limiter = waiting_limit;
    double longest = work.waiting, sum = work.waiting, alone = 0.0;
    auto const compare = [&](std::size_t component, double seconds) {
        sum += seconds;
        if (seconds > longest) {
            longest = seconds;
            limiter = component;
        }
    };
    if (work.operations > 0.0) {
        compare(max_memories + work.unit, run.unit);
        alone = work.operations / hardware_.units[work.unit].peak;
        to.operations[work.unit] += work.operations;
        to.scaled_operations[work.unit] += work.operations * run.factor;
    }
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        if (work.bytes[m] == 0.0) continue;
        compare(m, run.memory[m]);
        alone = std::max(alone, work.bytes[m] / hardware_.memories[m].bandwidth);
        to.bytes[m] += work.bytes[m];
        to.scaled_bytes[m] += work.bytes[m] * run.factor;
    }
    to.limited[limiter] += run.seconds;
    to.alone[rule] += alone;
    to.max += hardware_.slower * std::max(sum, run.seconds);
}

ComponentWork CostLaw::work_of(OperatorWork const& op, Rule const& rule) const {
    ComponentWork work;
    auto const& numbers = hardware_.numbers;
    work.waiting = numbers[rule.wait] * op.executions;
    if (rule.unit == no_component) return work;
    work.unit = rule.unit;
    work.operations = op.operations + op.elements * numbers[rule.work];
    double const reads = numbers[rule.reads] * (rule.per_token ? std::max(1.0, op.rows) : 1.0);
    auto const from = [&](std::size_t memory, double bytes) {
        if (memory != no_component && bytes > 0.0) work.bytes[memory] += bytes;
    };
    from(machine_.weights_in(), op.weight_bytes * reads);
    from(machine_.cache_in(), op.cache_bytes * numbers[rule.reads]);
    from(machine_.weights_in(), op.logit_bytes * numbers[rule.reads]);
    return work;
}

PassCost CostLaw::pass(LlmRequest const& r, std::vector<LayerKindWork> const& layers,
                       std::vector<SummedKeys> const& attended, PassPositions const& positions, Phase phase,
                       double logit) const {
    PassCost cost;
    std::array<ComponentWork, max_rules> joined{};
    auto const take = [&](Operator op, OperatorWork const& work) {
        auto const at = machine_.rule_of(phase, op);
        auto const& rule = machine_.rules()[at];
        if (rule.is_free) return;
        auto const own = work_of(work, rule);
        if (!rule.together) return add(own, at, cost);
        auto& all = joined[at];
        all.unit = own.unit;
        all.operations += own.operations;
        all.waiting += own.waiting;
        for (std::size_t m = 0; m < max_memories; ++m) all.bytes[m] += own.bytes[m];
    };
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layer_operators(layers[i], r, positions.tokens, take);
        attention_operators(layers[i], attended[i], take);
    }
    head_operators(positions, r, logit, take);
    for (std::size_t at = 0; at < machine_.rules().size(); ++at)
        if (machine_.rules()[at].together) add(joined[at], at, cost);
    for (std::size_t u = 0; u < hardware_.units.size(); ++u)
        if (cost.operations[u] > 0.0) cost.min = std::max(cost.min, cost.operations[u] / hardware_.units[u].peak);
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m)
        cost.min = std::max(cost.min, cost.bytes[m] / hardware_.memories[m].bandwidth);
    return cost;
}

PassCost CostLaw::pass(LlmRequest const& r, std::vector<LayerKindWork> const& layers, PassShape const& shape,
                       Phase phase, double logit) const {
    std::vector<SummedKeys> attended;
    for (auto const& kind : layers) attended.push_back(attended_by(*kind.alike, r, shape));
    PassPositions const positions{r.sequences() * shape.queries, r.sequences() * shape.heads, r.sequences()};
    return pass(r, layers, attended, positions, phase, logit);
}

}  // namespace pimdse::models::text
