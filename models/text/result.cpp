#include "models/text/result.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/text/component_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace pimdse::models::text {
namespace {

/// Joules beyond the power at rest, of which parts know in what interval they are.
Estimate joules_of(CostLaw const& law, PassCost const& cost) {
    double const value = law.joules(cost);
    return Estimate::within(value, value - cost.joules_below, value + cost.joules_above,
                            {Bound::proved, Bound::calibrated})
        .on({Bound::proved, Bound::calibrated});
}

/// Of the times of parts with laws in C++.
constexpr sim::BoundKinds in_parts{Bound::proved, Bound::calibrated};

/// The largest part of its time that a component of these would need at its peak; does not apply if none says what it
/// does, as parts with laws of their own.
template <class SecondsOf>
Estimate peak_share(Result const& a, std::size_t components, SecondsOf seconds_of) {
    double longest = 0.0;
    for (std::size_t i = 0; i < components; ++i) longest = std::max(longest, seconds_of(i));
    return longest > 0.0 ? Estimate::unbounded(longest / a.all().total()) : does_not_apply();
}

Estimate compute_share(Result const& a) {
    auto const& units = a.design.hardware.units;
    auto const& operations = a.all().operations;
    return peak_share(a, units.size(),
                      [&](std::size_t u) { return operations[u] > 0.0 ? operations[u] / units[u].peak : 0.0; });
}

Estimate bandwidth_share(Result const& a) {
    auto const& memories = a.design.hardware.memories;
    auto const& all = a.all();
    return peak_share(a, memories.size(), [&](std::size_t m) {
        return MemoryFigures::seconds(all.read[m], all.written[m], memories[m].bandwidth, memories[m].write_bandwidth);
    });
}

Estimate precision(Result const& a) {
    auto const& r = a.design.request;
    double const products = bits_per_byte * (r.weight_bytes - r.weight_scale);
    return Estimate(r.stored_as_file() ? std::min(products, r.model->weight_format.usual.bits) : products);
}

/// Bytes in the memories of the file. Parts that take all passes hold nothing there if they have memory dies.
double footprint_of(Result const& a) {
    auto const& machine = a.design.prepared->machine();
    auto const in_own_dies = [&](Phase phase) {
        auto const rule = machine.whole(phase);
        return rule != max_rules && a.design.hardware.units[machine.rules()[rule].unit].part->memory_area() > 0.0;
    };
    if (in_own_dies(Phase::prefill) && in_own_dies(Phase::decode)) return 0.0;
    auto const bytes = footprint(a.design);
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

/// Whether sampling has a time of its own: not if a part takes passes of prompts as a whole.
bool samples(Result const& a) {
    return a.design.request.diffuses() && a.design.prepared->machine().whole(Phase::prefill) == max_rules;
}

/// The sum of these seconds by rule over the rules of sampling: what has another name, as the host, is none of it.
double of_sampling(Result const& a, std::array<double, max_rules> const& seconds) {
    auto const& machine = a.design.prepared->machine();
    auto at = machine.rule_of(Phase::prefill, Operator::sampling);
    double sum = 0.0;
    for (auto const& rule : machine.rules_of(Phase::prefill, Operator::sampling)) {
        if (rule.name.empty()) sum += seconds[at];
        ++at;
    }
    return sum;
}

/// Area of all dies but those of memories, m2.
double logic_area(Design const& design) {
    double area = design.hardware.area;
    for (auto const number : design.prepared->machine().cost().areas) area += design.hardware.numbers[number];
    return area;
}

Estimate sampling_time(Result const& a) {
    if (!samples(a)) return does_not_apply();
    double const seconds = of_sampling(a, a.first.seconds);
    double const lower = of_sampling(a, a.first.alone);
    if (!a.design.differs_in_parts_only())
        return Estimate::within(seconds, lower, seconds, {Bound::proved, Bound::none});
    if (a.design.fidelity == Fidelity::cycle) return Estimate::exact(seconds);
    return Estimate::within(seconds, lower, seconds + a.first.above, in_parts).on(in_parts);
}

Estimate sampling_share(Result const& a) {
    if (!samples(a)) return does_not_apply();
    auto const& all = a.all();
    return Estimate::unbounded(of_sampling(a, all.seconds) / all.total());
}

/// What every machine has beside the common metrics, unless parts with laws of their own take all passes.
MetricTable<Result> const& table() {
    static auto const made = [] {
        MetricTable<Result> rows;
        rows.row({"compute_share", "1", "operations divided by those at the peak of the data sheet in the latency",
                  maximize},
                 compute_share);
        rows.row({"bandwidth_share", "1", "bytes divided by those at the bandwidth of the data sheet in the latency",
                  maximize},
                 bandwidth_share);
        std::vector<Need> const diffusion{needs("generation", "diffusion")};
        rows.row(needing({"sampling_time", "s", "diffusion: time of sampling in one step", minimize}, diffusion),
                 sampling_time);
        rows.row(
            needing({"sampling_share", "1", "diffusion: fraction of the latency for sampling", minimize}, diffusion),
            sampling_share);
        return rows;
    }();
    return made;
}

economy::Materials materials_of(Design const& design) {
    auto const& machine = design.prepared->machine();
    auto const& numbers = design.hardware.numbers;
    auto const& cost = machine.cost();
    economy::Materials m;
    m.process = economy::process_of(numbers[cost.node]);
    m.dies = numbers[cost.dies];
    m.product = numbers[cost.product];
    m.bank_logic = design.hardware.bank_area + (cost.area_in_banks ? numbers[*cost.area_in_banks] : 0.0);
    m.logic = std::max(0.0, logic_area(design) - m.bank_logic);
    m.memory = design.hardware.memory_area;
    for (auto const& slots : machine.memories()) {
        double const bytes = installed(slots, numbers), cost_of_byte = numbers[slots.cost],
                     carbon_of_byte = numbers[slots.carbon];
        m.other_cost += std::max(0.0, cost_of_byte) * bytes;
        m.other_carbon += std::max(0.0, carbon_of_byte) * bytes;
        if (slots.is_tier && m.product > 0.0) m.product += cost_of_byte * bytes;  // bought beside the product
        if (!slots.type) continue;
        auto const kind = static_cast<std::size_t>(*slots.type);
        if (cost_of_byte < 0.0) m.bought[kind] += bytes;
        if (carbon_of_byte < 0.0) m.made[kind] += bytes;
        m.stacked = m.stacked || economy::is_stacked(*slots.type);
    }
    return m;
}

}  // namespace

double Result::seconds_on(PartLaw const& part, PassCost const& cost) const {
    double sum = 0.0;
    auto const& rules = design.prepared->machine().rules();
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (rules[i].part != nullptr && design.hardware.units[rules[i].unit].part.get() == &part)
            sum += cost.seconds[i];
    return sum;
}

std::vector<double> const& Result::amounts_on(PartLaw const& part, PassCost const& cost) const {
    static std::vector<double> const none;
    for (std::size_t u = 0; u < cost.amounts.size(); ++u)
        if (design.hardware.units[u].part.get() == &part) return cost.amounts[u];
    return none;
}

Estimate Result::seconds_of(PassCost const& cost) const {
    double const value = cost.total();
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    if (design.differs_in_parts_only())
        return Estimate::within(value, value - cost.below, value + cost.above, in_parts).on(in_parts);
    double const lower = std::min(value, cost.min);  // sums of the same numbers in another order
    if (design.hardware.slower == 0.0) return Estimate::within(value, lower, value, {Bound::proved, Bound::none});
    return Estimate::within(value, lower, std::max(value, cost.max), {Bound::proved, Bound::calibrated});
}

double Result::host_energy() const { return design.prepared->host() * all().total(); }

Estimate Result::energy() const {
    auto const& request = all();
    auto const& h = design.hardware;
    double const host = design.prepared->host(), standing = h.rest.waiting() + host;
    CostLaw const law(design.prepared->machine(), h, design.fidelity);
    double const value = h.rest.waiting() * request.total() + host_energy() + law.joules(request);
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    if (design.differs_in_parts_only()) return seconds_of(request) * standing + joules_of(law, request);
    if (h.slower == 0.0)  // the machine is what its file says; otherwise, a real one may need less for an operation
        return Estimate::within(value, std::min(value, standing * request.min + request.min_joules), value,
                                {Bound::proved, Bound::none});
    if (h.limit == 0.0) return Estimate::within(value, standing * request.min, value, {Bound::proved, Bound::none});
    return Estimate::within(value, standing * request.min, std::max(value, (h.limit + host) * request.max),
                            {Bound::proved, Bound::calibrated});
}

/// Mean power of machine and host: at least what flows whatever they do, at most the power limit.
Estimate Result::mean_power(PassCost const& cost) const {
    if (!(cost.total() > 0.0)) return does_not_apply();
    auto const& h = design.hardware;
    double const host = design.prepared->host(), standing = h.rest.waiting() + host;
    CostLaw const law(design.prepared->machine(), h, design.fidelity);
    double const value = standing + law.joules(cost) / cost.total();
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    double const limit = std::max(value, h.limit + host);
    if (design.differs_in_parts_only()) {
        auto const watts = Estimate(standing) + joules_of(law, cost) / seconds_of(cost);
        return h.limit == 0.0 ? watts : smaller(watts, Estimate(limit));
    }
    if (h.limit == 0.0) return Estimate::within(value, standing, value, {Bound::proved, Bound::none});
    return Estimate::within(value, standing, limit, {Bound::proved, Bound::proved});
}

/// The bounds are those of its time.
Estimate Result::package_watts(PassCost const& cost) const {
    Estimate most;
    if (!(cost.total() > 0.0)) return most;
    for (std::size_t m = 0; m < design.hardware.memories.size(); ++m) {
        auto const& memory = design.hardware.memories[m];
        if (memory.packages <= 0.0) continue;
        double const joules = cost.read[m] * memory.fixed + cost.written[m] * memory.write_fixed;
        most = larger(most, (Estimate(joules) / seconds_of(cost) + Estimate(design.hardware.rest.memory())) /
                                Estimate(memory.packages));
    }
    return most;
}

Estimate Result::package_power() const {
    auto const in_phases = larger(package_watts(first), package_watts(rest));
    double const watts = in_phases.value;
    double limit = 0.0;
    for (auto const& memory : design.hardware.memories)
        if (memory.packages > 0.0)
            limit = std::max(
                limit, (memory.bandwidth * std::max(memory.fixed, memory.write_fixed) + design.hardware.rest.memory()) /
                           memory.packages);
    if (watts == 0.0 && limit == 0.0) return does_not_apply();
    if (design.differs_in_parts_only()) return in_phases;
    return Estimate::within(watts, 0.0, std::max(watts, limit), {Bound::proved, Bound::proved});
}

void Result::add_package_power(RequestResult& common, PartLaw const& part,
                               std::function<Estimate(std::vector<double> const&)> const& watts_of) const {
    for (auto const* phase : {&first, &rest}) {
        if (seconds_on(part, *phase) == 0.0) continue;
        auto const watts = watts_of(amounts_on(part, *phase));
        common.package_power = applies(common.package_power) ? larger(common.package_power, watts) : watts;
    }
}

PartCost times(PartCost cost, double n) {
    cost.seconds = cost.seconds * sim::Bounded(n);
    for (auto* const amount : {&cost.read, &cost.joules_below, &cost.joules_above}) *amount *= n;
    for (auto& joules : cost.joules) joules *= n;
    for (auto& amount : cost.amounts) amount *= n;
    return cost;
}

PhaseLimit Result::limit_of(std::string phase, PassCost const& cost) const {
    auto const at = static_cast<std::size_t>(std::ranges::max_element(cost.limited) - cost.limited.begin());
    auto const& file = design.prepared->machine().file();
    double const time = cost.total();
    if (at >= no_component) return {std::move(phase), "waiting", cost.limited[at] / time, 1.0, "1"};
    if (at >= max_memories) {
        auto const unit = at - max_memories;
        if (design.hardware.units[unit].part != nullptr)
            return {std::move(phase), file.units[unit].name, cost.limited[at] / time, 1.0, "1"};
        return {std::move(phase), file.units[unit].name, cost.operations[unit] / time, design.hardware.units[unit].peak,
                "FLOP/s"};
    }
    auto const& memory = design.hardware.memories[at];
    auto const& name = file.memories[at].name;
    if (memory.write_bandwidth == 0.0) return {std::move(phase), name, cost.bytes(at) / time, memory.bandwidth, "B/s"};
    if (cost.written[at] * memory.bandwidth > cost.read[at] * memory.write_bandwidth)  // the port that is busier
        return {std::move(phase), name, cost.written[at] / time, memory.write_bandwidth, "B/s"};
    return {std::move(phase), name, cost.read[at] / time, memory.bandwidth, "B/s"};
}

std::vector<PhaseLimit> Result::limits() const {
    if (design.alone) return {limit_of(std::string(operator_names[static_cast<std::size_t>(design.alone->op)]), all())};
    bool const tokens = !design.request.diffuses();
    std::vector<PhaseLimit> limits{limit_of(tokens ? "prefill" : "first step", first)};
    if (rest.total() > 0.0) limits.push_back(limit_of(tokens ? "decode" : "later steps", rest));
    return limits;
}

Result analytic(Design const& design) {
    CostLaw const law(design.prepared->machine(), design.hardware, design.fidelity);
    if (design.alone) return {design, cost_of_operator(law, design.request, design.alone->op, design.alone->work)};
    return {design, cost_of_request(law, design.request, design.logit_bytes())};
}

MetricList metrics_of_machine(CompiledMachine const& machine) {
    auto own = machine.parts_take_all() ? MetricList() : table().metrics_but(machine.metrics_of_parts());
    std::ranges::copy(machine.metrics_of_parts(), std::back_inserter(own));
    for (auto const& of_file : machine.file().metrics) own.push_back(of_file.metric);
    bool const is_sold = machine.numbers().written(machine.cost().product).text != no_product;
    std::vector<MetricNote> notes{
        {"energy", "the machine, and the host if it is included"},
        {"package_power", "array and pins of the memory"},
        {"area", "all dies but those of memories"},
        {"footprint", "weights, keys and values up to the last token, with diffusion also the logits of one step"},
        {"precision", "that of the products, or of the model's file if it has fewer"},
        {"cost", is_sold ? "a product, at what its file says instead of a bill" : ""}};
    RequestNeeds needs;
    if (auto const of_model = machine.needed_for_models()) {
        needs.tokens = {*of_model};
        needs.later_tokens.insert(needs.later_tokens.begin(), *of_model);
        notes.push_back({"precision", "", false, {*of_model}});
    }
    for (auto const& unit : machine.units()) {
        if (unit.part == nullptr || (unit.part->takes_passes() && !machine.is_one_part())) continue;
        for (auto const& particular : unit.part->metric_notes) {
            std::erase_if(notes, [&](MetricNote const& note) { return note.metric == particular.metric; });
            notes.push_back(particular);
        }
    }
    auto all = with_common(std::move(own), notes, needs);
    if (!machine.states_power()) leave_out_power(all, "is not stated: the machine file states no power");
    return all;
}

RequestResult request_result(Result const& a, economy::Economy const& economy) {
    RequestResult r;
    r.latency = a.latency();
    auto const& request = a.design.request;
    auto const& machine = a.design.prepared->machine();
    if (machine.states_power()) {
        r.energy = a.energy();
        r.power = a.mean_power(a.all());
        auto const of_first = a.mean_power(a.first), of_rest = a.mean_power(a.rest);
        r.peak_power = applies(of_rest) ? larger(of_first, of_rest) : of_first;
        if (a.yields_tokens()) r.prefill_power = of_first;
        if (a.yields_tokens() && request.output > 1) r.decode_power = of_rest;
        r.package_power = a.package_power();
        r.idle_power = a.design.hardware.rest.idle();
        r.waiting_power = a.design.hardware.rest.waiting();
    }
    if (a.design.alone) r.footprint = a.design.alone->footprint;
    r.area = logic_area(a.design);
    r.memory_area = a.design.hardware.memory_area;
    if (a.yields_tokens()) {
        r.ttft = a.ttft();
        r.rest = a.seconds_of(a.rest);
        r.later_tokens = static_cast<double>(request.output - 1);
        r.footprint = footprint_of(a);
        r.precision = precision(a);
        r.tokens = request.sequences() * static_cast<double>(request.output);
        r.positions = request.sequences() * static_cast<double>(request.longest_context());
    }
    for (auto const& unit : a.design.hardware.units)
        if (unit.part != nullptr && a.yields_tokens()) unit.part->refine(r, a);
    if (request.output > 1) r.itl = r.rest / Estimate(r.later_tokens);
    if (!machine.parts_take_all()) r.own = table().of(a, machine.metrics_of_parts());
    for (std::size_t u = 0; u < machine.units().size(); ++u)
        if (machine.has_own_metrics(u))
            std::ranges::copy(a.design.hardware.units[u].part->metrics(a, r), std::back_inserter(r.own));
    for (auto const& own : machine.file().metrics)
        r.own.emplace_back(a.design.hardware.numbers[machine.numbers().at(own.number)]);
    economy.add_bill(r, materials_of(a.design));
    return r;
}

}  // namespace pimdse::models::text
