#include "models/text/cost.hpp"

#include "sim/base/each_number.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::models::text {
namespace {

void accumulate(auto& to, auto const& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

void lengthen(auto& numbers, std::size_t size) { numbers.resize(std::max(numbers.size(), size)); }

constexpr std::size_t waiting_limit = no_component;
constexpr auto links_row = energy_row("links"), sram_row = energy_row("sram"),
               background_row = energy_row("dram_background");

/// How much longer work takes at this share of the nominal clock.
double slowed(double clock_share, double clock) { return clock < clock_share ? clock_share / clock : 1.0; }

}  // namespace

PassCost& PassCost::add(PassCost const& o, double times) {
    sim::each_number<PassNumbers>(*this, o, [times](double& to, double from) { to += from * times; });
    lengthen(amounts, o.amounts.size());
    for (std::size_t u = 0; u < o.amounts.size(); ++u) {
        lengthen(amounts[u], o.amounts[u].size());
        for (std::size_t i = 0; i < o.amounts[u].size(); ++i) amounts[u][i] += o.amounts[u][i] * times;
    }
    return *this;
}

PassCost PassCost::times(double n) const {
    PassCost all = *this;
    sim::each_number<PassNumbers>(all, *this, [n](double& number, double) { number *= n; });
    for (auto& of_unit : all.amounts)
        for (auto& amount : of_unit) amount *= n;
    return all;
}

double CostLaw::joules_in(std::size_t row, PassCost const& cost) const {
    double joules = cost.unclocked[row];
    for (std::size_t u = 0; u < hardware_.units.size(); ++u)
        joules += cost.scaled_operations[u] * hardware_.units[u].energy[row];
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        auto const& memory = hardware_.memories[m];
        bool const scaled = follows_voltage(row);
        joules += (scaled ? cost.scaled_read[m] : cost.read[m]) * memory.energy[row] +
                  (scaled ? cost.scaled_written[m] : cost.written[m]) * memory.write_energy[row];
    }
    return joules;
}

double CostLaw::joules(PassCost const& cost) const {
    double sum = sum_of(cost.unclocked);
    for (std::size_t u = 0; u < hardware_.units.size(); ++u)
        sum += cost.scaled_operations[u] * hardware_.units[u].scaled;
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        auto const& memory = hardware_.memories[m];
        sum += cost.read[m] * memory.fixed + cost.scaled_read[m] * memory.scaled +
               cost.written[m] * memory.write_fixed + cost.scaled_written[m] * memory.write_scaled;
    }
    return sum;
}

double CostLaw::min_joules(PassCost const& cost) const {
    double const voltage = hardware_.voltage_floor + (1.0 - hardware_.voltage_floor) * hardware_.lowest_clock;
    double const factor = hardware_.limit > 0.0 ? voltage * voltage : 1.0;
    auto const& must = cost.compulsory;
    double sum = sum_of(cost.unclocked) - cost.unclocked[background_row] - cost.joules_below;
    if (hardware_.limit > 0.0) sum -= cost.unclocked[sram_row];  // of arrays at their clock
    for (std::size_t u = 0; u < hardware_.units.size(); ++u)
        sum += must.drawing[u] * hardware_.units[u].scaled * factor;
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        auto const& memory = hardware_.memories[m];
        sum += must.read[m] * (memory.fixed + memory.scaled * factor) +
               must.written[m] * (memory.write_fixed + memory.write_scaled * factor);
    }
    return sum;
}

CostLaw::Loads CostLaw::loads_of(ComponentWork const& work) const {
    Loads loads;
    loads.waiting = work.waiting;
    loads.joules = work.sent * hardware_.link_energy;
    auto const add_load = [&](Load load) {
        auto const group = machine_.group_of(load.component);
        load.group = loads.groups;
        for (auto const& other : loads.list())
            if (machine_.group_of(other.component) == group) load.group = other.group;
        if (load.group == loads.groups) ++loads.groups;
        loads.all[loads.count++] = load;
    };
    if (work.banks.seconds.value > 0.0)
        add_load({max_memories + work.unit, 0, work.banks.seconds.value, 0.0, sum_of(work.banks.joules), 0.0});
    else if (work.busy > 0.0) {
        auto const& unit = hardware_.units[work.unit];
        add_load({max_memories + work.unit, 0, work.busy / unit.attained + work.later, 1.0, 0.0,
                  work.drawing * unit.scaled + work.busy * unit.busy_energy});
    }
    if (work.operations_beside > 0.0) {
        auto const& unit = hardware_.units[work.unit_beside];
        add_load({max_memories + work.unit_beside, 0, work.operations_beside / unit.attained, 1.0, 0.0,
                  work.operations_beside * unit.scaled});
    }
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        double const read = work.read[m], written = work.written[m];
        if (read == 0.0 && written == 0.0) continue;
        auto const& memory = hardware_.memories[m];
        add_load({m, 0, MemoryFigures::seconds(read, written, memory.attained, memory.write_attained),
                  memory.clock_share, read * memory.fixed + written * memory.write_fixed,
                  read * memory.scaled + written * memory.write_scaled});
    }
    return loads;
}

CostLaw::Clocked CostLaw::run(Loads const& loads, double clock) const {
    Clocked run;
    run.clock = clock;
    run.joules = loads.joules;
    double const voltage = hardware_.voltage_floor + (1.0 - hardware_.voltage_floor) * clock;
    run.factor = voltage * voltage;
    std::array<double, no_component> longest;
    for (std::size_t g = 0; g < loads.groups; ++g) longest[g] = 0.0;
    for (auto const& load : loads.list()) {
        double const seconds = load.seconds * slowed(load.clock_share, clock);
        longest[load.group] = std::max(longest[load.group], seconds);
        run.joules += load.fixed + load.scaled * run.factor;
    }
    for (std::size_t g = 0; g < loads.groups; ++g) run.seconds += longest[g];
    run.seconds += loads.waiting;
    return run;
}

/// The limit holds while components work: waiting beside the work, as a kernel starts, spares nothing for it.
/// A higher clock takes more energy in less time, so power grows with the clock: the highest clock within the limit is
/// found by false position, halving the weight of an end that stays (Illinois). Work that exceeds the limit even at the
/// lowest clock takes longer.
CostLaw::Clocked CostLaw::run_within_limit(Loads const& loads) const {
    auto const nominal = run(loads, 1.0);
    double const budget = hardware_.limit - hardware_.rest.waiting();
    auto const excess = [&](Clocked const& at) { return at.joules - budget * (at.seconds - loads.waiting); };
    double above = hardware_.limit == 0.0 ? 0.0 : excess(nominal);
    if (above <= 0.0) return nominal;
    auto within = run(loads, hardware_.lowest_clock);
    double below = excess(within), upper = 1.0;
    if (below > 0.0) {
        within.seconds = within.joules / budget + loads.waiting;
        return within;
    }
    constexpr int max_steps = 60;
    constexpr double precision = 0x1p-52;
    for (int i = 0, side = 0; i < max_steps && upper - within.clock > precision * upper && below < 0.0; ++i) {
        double middle = upper - above * (upper - within.clock) / (above - below);
        if (!(middle > within.clock && middle < upper)) middle = 0.5 * (within.clock + upper);
        auto const at = run(loads, middle);
        double const found = excess(at);
        if (found <= 0.0) {
            within = at;
            below = found;
            if (side < 0) above *= 0.5;
            side = -1;
            if (-found <= precision * at.joules) break;
        } else {
            upper = middle;
            above = found;
            if (side > 0) below *= 0.5;
            side = 1;
        }
    }
    return within;
}

/// Its time does not depend on the clock; it takes longer where it would draw more than the limit.
void CostLaw::add(PartCost const& part, std::size_t rule, double waiting, PassCost& to) const {
    auto const unit = machine_.rules()[rule].unit, memory = machine_.weights_in();
    double joules = sum_of(part.joules);
    if (memory != no_component) {
        joules += part.read * (hardware_.memories[memory].fixed + hardware_.memories[memory].scaled);
        for (auto* const bytes : {&to.read, &to.scaled_read, &to.compulsory.read}) (*bytes)[memory] += part.read;
    }
    auto const within_limit = [&](double seconds, double drawn) {
        if (hardware_.limit == 0.0) return seconds + waiting;
        Loads loads{.count = 1, .groups = 1, .waiting = waiting};
        loads.all[0] = {max_memories + unit, 0, seconds, 0.0, drawn, 0.0};
        return run_within_limit(loads).seconds;
    };
    double const seconds = within_limit(part.seconds.value, joules);
    for (auto* const all : {&to.seconds[rule], &to.limited[max_memories + unit]}) *all += seconds;
    for (auto* const least : {&to.alone[rule], &to.compulsory.seconds[unit]}) *least += part.seconds.lower;
    to.below += seconds - within_limit(part.seconds.lower, joules - part.joules_below);
    to.above += within_limit(part.seconds.upper, joules + part.joules_above) - seconds;
    to.joules_below += part.joules_below;
    to.joules_above += part.joules_above;
    to.max += hardware_.slower * seconds;
    accumulate(to.unclocked, part.joules);
    if (part.amounts.empty()) return;
    lengthen(to.amounts, unit + 1);
    lengthen(to.amounts[unit], part.amounts.size());
    accumulate(to.amounts[unit], part.amounts);
}

void CostLaw::set_times(TimedWork& timed) const {
    auto const& work = timed.work;
    auto const loads = loads_of(work);
    auto const run = run_within_limit(loads);
    timed.seconds = run.seconds;
    timed.factor = run.factor;
    timed.joules = loads.joules;
    timed.limiter = waiting_limit;
    double longest = work.waiting, sum = work.waiting;
    for (auto const& load : loads.list()) {
        double const seconds = load.seconds * slowed(load.clock_share, run.clock);
        sum += seconds;
        if (seconds <= longest) continue;
        longest = seconds;
        timed.limiter = load.component;
    }
    timed.max = hardware_.slower * std::max(sum, run.seconds);
    if (work.banks.seconds.value > 0.0)
        timed.alone = work.banks.seconds.lower;
    else if (work.busy > 0.0)
        timed.alone = work.operations / hardware_.units[work.unit].peak;
    if (work.operations_beside > 0.0)
        timed.alone = std::max(timed.alone, work.operations_beside / hardware_.units[work.unit_beside].peak);
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        if (work.read[m] == 0.0 && work.written[m] == 0.0) continue;
        auto const& memory = hardware_.memories[m];
        timed.alone = std::max(timed.alone, MemoryFigures::seconds(work.read[m], work.written[m], memory.bandwidth,
                                                                   memory.write_bandwidth));
    }
}

void CostLaw::add(TimedWork const& timed, std::size_t rule, PassCost& to) const {
    auto const& work = timed.work;
    to.seconds[rule] += timed.seconds;
    to.unclocked[links_row] += timed.joules;
    auto const add_operations = [&](std::size_t unit, double operations, double drawing, double busy) {
        if (double const watts = hardware_.units[unit].waiting; watts > 0.0)  // which it does not draw as it works
            to.unclocked[energy_row("idle_units")] -= watts * (operations / hardware_.units[unit].peak);
        to.operations[unit] += operations;
        to.scaled_operations[unit] += drawing * timed.factor;
        to.busy[unit] += busy;
    };
    if (work.banks.seconds.value > 0.0) {
        to.operations[work.unit] += work.operations;
        to.compulsory.seconds[work.unit] += work.banks.seconds.lower;
        accumulate(to.unclocked, work.banks.joules);
    } else if (work.busy > 0.0) {
        to.unclocked[sram_row] += work.busy * hardware_.units[work.unit].busy_energy * timed.factor;
        add_operations(work.unit, work.operations, work.drawing, work.busy);
    }
    if (double const beside = work.operations_beside; beside > 0.0)
        add_operations(work.unit_beside, beside, beside, beside);
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m) {
        if (work.read[m] == 0.0 && work.written[m] == 0.0) continue;
        to.read[m] += work.read[m];
        to.scaled_read[m] += work.read[m] * timed.factor;
        to.written[m] += work.written[m];
        to.scaled_written[m] += work.written[m] * timed.factor;
    }
    to.limited[timed.limiter] += timed.seconds;
    to.alone[rule] += timed.alone;
    to.max += timed.max;
}

/// Every component at its peak, all at the same time.
double CostLaw::min_seconds(CompulsoryWork const& must) const {
    double longest = 0.0;
    for (std::size_t u = 0; u < hardware_.units.size(); ++u) {
        double const peak = hardware_.units[u].peak;
        double const seconds = must.operations[u] > 0.0 ? must.operations[u] / peak : 0.0;
        longest = std::max(longest, seconds + must.seconds[u]);
    }
    for (std::size_t m = 0; m < hardware_.memories.size(); ++m)
        longest =
            std::max(longest, MemoryFigures::seconds(must.read[m], must.written[m], hardware_.memories[m].bandwidth,
                                                     hardware_.memories[m].write_bandwidth));
    return longest;
}

template <class To>
void CostLaw::each_able(RuleChoice const& choice, std::vector<PassCost> const& alternatives, To const& to) const {
    auto const first = machine_.rules()[choice.first].position, end = first + choice.count;
    double least = std::numeric_limits<double>::infinity();
    for (auto at = first; at < end; ++at) least = std::min(least, alternatives[at].refused);
    for (auto at = first; at < end; ++at)
        if (alternatives[at].refused <= least) to(at);
}

double CostLaw::min_seconds(CompulsoryWork const& must, std::vector<PassCost> const& alternatives,
                            std::size_t choice) const {
    if (choice == machine_.choices().size()) return min_seconds(must);
    double min = std::numeric_limits<double>::infinity();
    each_able(machine_.choices()[choice], alternatives, [&](std::size_t at) {
        auto taken = must;
        sim::add_numbers(taken, alternatives[at].compulsory);
        min = std::min(min, min_seconds(taken, alternatives, choice + 1));
    });
    return min;
}

/// At another fidelity a choice may take another of its alternatives: the lower bounds are those of the least, and the
/// upper bound that of what it would take by its own measure.
void CostLaw::add_chosen(std::vector<PassCost> const& alternatives, PassCost& cost) const {
    for (auto const& choice : machine_.choices()) {
        std::size_t best = max_rules;
        double least = std::numeric_limits<double>::infinity(), max = choice.by_energy ? 0.0 : least,
               min_joules_of_all = least;
        each_able(choice, alternatives, [&](std::size_t at) {
            auto const& one = alternatives[at];
            double const seconds = one.total();
            double const measure = choice.by_energy ? joules(one) + hardware_.rest.waiting() * seconds : seconds;
            if (best == max_rules || measure < least) best = at;
            least = std::min(least, measure);
            max = choice.by_energy ? std::max(max, one.max) : std::min(max, one.max);
            min_joules_of_all = std::min(min_joules_of_all, min_joules(one));
        });
        double const min = cost.min, max_of_others = cost.max, joules_of_others = cost.min_joules;
        cost += alternatives[best];
        cost.min = min;
        cost.max = max_of_others + max;
        cost.min_joules = joules_of_others + min_joules_of_all;
    }
}

PassSum CostLaw::nothing() const {
    PassSum sum{{}, std::vector<PassCost>(machine_.alternatives()), {}};
    auto const& rules = machine_.rules();
    sum.joined.reserve(rules.size());
    for (std::size_t at = 0; at < rules.size(); ++at)
        if (rules[at].together && rules[at].roof_of == max_rules) sum.joined.emplace_back(at, ComponentWork{});
    return sum;
}

std::optional<PartCost> CostLaw::on_part(Operator op, std::size_t at, OperatorWork const& work,
                                         LlmRequest const& r) const {
    auto const& rule = machine_.rules()[at];
    if (rule.part == nullptr || !rule.part->takes_operator(op)) return std::nullopt;
    return hardware_.units[rule.unit].part->cost(op, work, r);
}

TimedWork CostLaw::timed(OperatorWork const& op, std::size_t at, LlmRequest const& r) const {
    auto const& rule = machine_.rules()[at];
    TimedWork own{works_.of(op, rule, r)};
    if (rule.together) return own;
    works_.place_moved(own.work);
    set_times(own);
    return own;
}

void CostLaw::add(OperatorWork const& op, std::size_t at, PartCost const& part, PassSum& to) const {
    auto const& rule = machine_.rules()[at];
    auto const& numbers = hardware_.numbers;
    add(part, at, numbers[rule.wait] * op.executions + numbers[rule.kernel] * op.kernels, to.cost);
}

void CostLaw::add(OperatorWork const& op, std::size_t at, TimedWork const& timed, LlmRequest const& r,
                  PassSum& to) const {
    auto const& rule = machine_.rules()[at];
    auto const& own = timed.work;
    auto& part = to.part(rule);
    if (rule.unit != no_component && hardware_.units[rule.unit].bank != nullptr && !op.for_banks) part.refused += 1.0;
    works_.add_compulsory(op, rule, r, part.compulsory);
    if (!rule.together) return add(timed, at, part);
    bool const is_beside = rule.roof_of != max_rules;
    auto const with = is_beside ? rule.roof_of : at;
    auto& all = std::ranges::find(to.joined, with, &std::pair<std::size_t, ComponentWork>::first)->second;
    (is_beside ? all.unit_beside : all.unit) = own.unit;
    (is_beside ? all.operations_beside : all.operations) += own.operations;
    if (!is_beside) {
        all.drawing += own.drawing;
        all.busy += own.busy;
        all.later += own.later;
    }
    if (own.banks.seconds.value > 0.0) {
        all.banks.seconds += own.banks.seconds;
        accumulate(all.banks.joules, own.banks.joules);
    }
    all.waiting += own.waiting;
    all.sent += own.sent;
    all.moved += own.moved;
    all.kernels += own.kernels;
    accumulate(all.read, own.read);
    accumulate(all.written, own.written);
}

template <class To>
void CostLaw::each_rule(Operator op, Phase phase, To const& to) const {
    auto const first = machine_.rule_of(phase, op), end = first + machine_.rules_of(phase, op).size();
    for (auto at = first; at < end; ++at) {
        auto const& rule = machine_.rules()[at];
        if (rule.free.empty() && (rule.part == nullptr || !rule.part->takes_passes())) to(at);
    }
}

void CostLaw::take(Operator op, OperatorWork const& work, LlmRequest const& r, Phase phase, PassSum& to) const {
    each_rule(op, phase, [&](std::size_t at) {
        if (auto const part = on_part(op, at, work, r)) return add(work, at, *part, to);
        add(work, at, timed(work, at, r), r, to);
    });
}

PassCost CostLaw::finished(PassSum sum) const {
    for (auto& [rule, work] : sum.joined) {
        works_.place_moved(work);
        TimedWork timed{work};
        set_times(timed);
        add(timed, rule, sum.part(machine_.rules()[rule]));
    }
    auto& cost = sum.cost;
    cost.min = min_seconds(cost.compulsory, sum.alternatives, 0);
    cost.min_joules = min_joules(cost);
    if (!sum.alternatives.empty()) add_chosen(sum.alternatives, cost);
    return std::move(cost);
}

BegunPass CostLaw::begun(LlmRequest const& r, std::vector<LayerKindWork> const& layers, PassPositions const& positions,
                         Phase phase, double logit) const {
    BegunPass begun{nothing(), {}};
    auto const take_one = [&](Operator op, OperatorWork const& work) { take(op, work, r, phase, begun.sum); };
    auto const keep_one = [&](Operator op, OperatorWork const& work) {
        each_rule(op, phase, [&](std::size_t at) {
            auto part = on_part(op, at, work, r);
            auto const own = part ? TimedWork{} : timed(work, at, r);
            begun.behind.back().push_back({at, work, own, std::move(part)});
        });
    };
    layer_operators(layers.front(), r, positions.tokens, TakeOperator(take_one));
    for (std::size_t i = 1; i < layers.size(); ++i) {
        constexpr std::size_t of_layer = 8;  // beside its matrices
        begun.behind.emplace_back().reserve(layers[i].matrices.size() + of_layer);
        layer_operators(layers[i], r, positions.tokens, TakeOperator(keep_one));
    }
    constexpr std::size_t of_head = 4;
    begun.behind.emplace_back().reserve(of_head);
    head_operators(positions, r, logit, TakeOperator(keep_one));
    return begun;
}

PassCost CostLaw::pass(BegunPass const& begun, LlmRequest const& r, std::vector<LayerKindWork> const& layers,
                       std::vector<SummedKeys> const& attended, Phase phase) const {
    auto sum = begun.sum;
    auto const take_one = [&](Operator op, OperatorWork const& work) { take(op, work, r, phase, sum); };
    for (std::size_t i = 0; i < layers.size(); ++i) {
        attention_operators(layers[i], attended[i], TakeOperator(take_one));
        for (auto const& taken : begun.behind[i]) {
            if (taken.part)
                add(taken.op, taken.rule, *taken.part, sum);
            else
                add(taken.op, taken.rule, taken.timed, r, sum);
        }
    }
    return finished(std::move(sum));
}

PassCost CostLaw::pass(LlmRequest const& r, std::vector<LayerKindWork> const& layers,
                       std::vector<SummedKeys> const& attended, PassPositions const& positions, Phase phase,
                       double logit) const {
    auto sum = nothing();
    auto const take_one = [&](Operator op, OperatorWork const& work) { take(op, work, r, phase, sum); };
    TakeOperator const taken(take_one);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layer_operators(layers[i], r, positions.tokens, taken);
        attention_operators(layers[i], attended[i], taken);
    }
    head_operators(positions, r, logit, taken);
    return finished(std::move(sum));
}

bool CostLaw::attends_in_steps(Phase phase) const {
    auto const in_steps = [&](Rule const& rule) {
        if (rule.unit == no_component) return false;
        auto const& unit = hardware_.units[rule.unit];
        return unit.bank != nullptr || (unit.rows > 0.0 && !unit.packed);
    };
    return std::ranges::any_of(machine_.rules_of(phase, Operator::scores), in_steps) ||
           std::ranges::any_of(machine_.rules_of(phase, Operator::values), in_steps);
}

QueryTile CostLaw::query_tile(Phase phase) const {
    QueryTile tile;
    for (auto const op : tiled_operators)
        for (auto const& rule : machine_.rules_of(phase, op)) {
            if (rule.unit == no_component) continue;
            if (auto const of_unit = hardware_.units[rule.unit].query_tile(); of_unit.rows > tile.rows) tile = of_unit;
        }
    return tile;
}

PassCost CostLaw::operators(LlmRequest const& r, std::vector<std::pair<Operator, OperatorWork>> const& operators,
                            Phase phase) const {
    auto sum = nothing();
    for (auto const& [op, work] : operators) take(op, work, r, phase, sum);
    return finished(std::move(sum));
}

}  // namespace pimdse::models::text
