#include "models/cim_mesh/mesh_part.hpp"

#include "models/cim_mesh/flow_graph.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_program.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/power.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace pimdse::models::cim_mesh {

using text::PartCost;

namespace {

double shipped_bits() {
    static double const bits = shipped_constants().number("value_bits");
    return bits;
}

/// Adds a share to the one of the same name.
void add_share(std::vector<Share>& shares, std::string const& name, double amount) {
    if (amount == 0.0) return;
    auto const same = std::ranges::find(shares, name, &Share::what);
    (same == shares.end() ? shares.emplace_back(name) : *same).amount += amount;
}

}  // namespace

MeshPart::MeshPart(Prepared const& prepared, Design design, Fidelity fidelity)
    : prepared_(prepared),
      design_(std::move(design)),
      fidelity_(fidelity),
      on_mesh_(placed(prepared, design_, fidelity)) {}

MeshPart::Kinds const& MeshPart::kinds() const {
    std::call_once(asked_for_kinds_, [&] {
        for (std::size_t i = 0; !on_mesh_.broken && i < on_mesh_.kinds.size(); ++i)
            kinds_.push_back(
                std::make_unique<PlacedKind>(machine(), on_mesh_.kinds[i], on_mesh_.layouts[i], fidelity_));
    });
    return kinds_;
}

PartCost MeshPart::pass(text::WholePass const& pass) const {
    if (pass.is_step) return of_step(pass);
    return cost_of(at(pass.sequences.front().shape), pass.begins);
}

MeshPart::BesidePasses MeshPart::beside_passes(text::LlmRequest const&) const {
    BesidePasses beside;
    auto const& [d, p] = on_mesh_.kinds.front();
    auto& cost = beside.first;
    if (d.weight_load == CellProgramming::once) {
        cost.seconds = programming(machine(), d, p).time;
        for (auto const& kind : kinds())
            add(cost.joules, programming_joules(machine(), kind->design(), kind->partition(), kind->each()));
    }
    cost.amounts = {cost.seconds.value};
    return beside;
}

std::optional<Infeasible> MeshPart::broken_step_rule() const {
    if (auto rule = cim_mesh::broken_step_rule(design_)) return rule;
    return steps().placed.broken;
}

std::optional<sim::serving::StepCost> MeshPart::step(sim::serving::StepWork const& work, bool least) const {
    if (design_.diffuses()) return std::nullopt;
    return steps().costs->cost(work, least ? &sim::Bounded::lower : &sim::Bounded::value);
}

std::vector<Share> MeshPart::areas() const { return area_rows_of(machine(), on_mesh_.kinds); }

/// A request that a mesh cannot serve may be one of many that its engine can.
void MeshPart::add_rest(Standby& to) const {
    if (!on_mesh_.broken) return cim_mesh::add_rest(machine(), on_mesh_, to);
    if (cim_mesh::broken_step_rule(design_)) return;
    auto const any = placed_for_steps(prepared_, design_, fidelity_);
    if (!any.broken) cim_mesh::add_rest(machine(), any, to);
}

void MeshPart::set_engine(ServiceEngine& engine) const {
    steps().costs->set_cache(engine);
    engine.bounds_requests = false;  // parts of a prompt compute fewer pairs than the whole
}

std::optional<Infeasible> MeshPart::broken_rule(text::LlmRequest const& request) const {
    if (!weight_bytes(request))
        return infeasible("weights", "the routers of a mesh compute with values of {:g} bit, not of {:g}",
                          machine().value_bits, MachineConstants::bits_per_byte * request.weight_bytes);
    if (request.batch == design_.batch && request.input == design_.input && request.output == design_.output)
        return on_mesh_.broken;
    auto asked = design_;
    static_cast<ModelRequest&>(asked) = request;
    return first_broken(machine(), kinds_of(asked, machine().value_bits));
}

std::optional<double> MeshPart::weight_bytes(text::LlmRequest const& request) const {
    double const bits = MachineConstants::bits_per_byte * request.weight_bytes;
    for (double const width : {machine().value_bits, shipped_bits()})
        if (std::round(std::log2(bits / width)) == 0.0) return machine().value_bits / MachineConstants::bits_per_byte;
    return std::nullopt;
}

void MeshPart::refine(RequestResult& common, text::Result const& request) const {
    constexpr double of_sums = 0x1p-44;  // of the same numbers in another order
    for (auto const& kind : kinds()) {
        common.footprint += adapter_bytes(kind->design(), kind->partition());
        if (!kind->floor().open) continue;
        auto const idle = kind->idle();
        for (auto* const watts : {&common.idle_power, &common.waiting_power}) {
            auto const is = *watts;
            double const rounding = of_sums * is.value;
            *watts = {is.value, is.lower - (idle.value - idle.lower) - rounding,
                      is.upper + (idle.upper - idle.value) + rounding, sim::Bound::proved};
        }
    }
    auto const& prepared = *request.design.prepared;
    if (!prepared.machine().is_one_part() || !prepared.machine().memories().empty()) return;
    auto power = common.peak_power;  // of this mesh alone, and of the host
    for (auto* const end : {&power.value, &power.lower, &power.upper}) *end -= prepared.host();
    common.package_power = power / static_cast<double>(on_mesh_.parts().all_layer_tiles);
}

Metrics MeshPart::metrics(text::Result const& result, RequestResult const& common) const {
    auto const& prompts = first();
    auto const mean = later();
    return own_metrics_of({prepared_, on_mesh_, kinds(), prompts.times, prompts.kinds, mean, result, common});
}

MeshPart::BatchPass const& MeshPart::first() const { return at(passes_of(design_).first.front().shape); }

std::vector<PlacedKind::Pass> MeshPart::later() const {
    if (!design_.diffuses()) return at(passes_of(design_).round.front().shape).kinds;
    std::vector<PlacedKind::Pass> mean;
    for (auto const& kind : kinds()) mean.push_back(kind->served(later_pass(machine(), kind->design())));
    return mean;
}

MeshPart::BatchPass const& MeshPart::at(PassShape const& shape) const {
    return passes_.get(
        ShapeKey{shape.queries, shape.contexts.first, shape.contexts.last, shape.heads},
        [](ShapeKey const&, MeshPart const* part, PassShape const& asked) { return part->computed(asked); }, this,
        shape);
}

MeshPart::BatchPass MeshPart::computed(PassShape const& shape) const {
    BatchPass batch;
    CyclesOfKinds cycles;
    double const requests = design_.sequences();
    for (auto const& kind : kinds()) {
        auto const& served = batch.kinds.emplace_back(kind->served(pass_of(machine(), kind->design(), shape)));
        cycles.push_back(sum_of(served.parts));
        auto joules = joules_of(kind->each(), served.events());
        auto const head =
            joules_of(kind->each(), head_events(machine(), kind->design(), kind->partition(), kind->counts()));
        double const sum = models::sum_of(joules);
        double const rounding = kind->floor().open ? machine().allowance.rounding_share : 0.0;
        double least = sum, most = sum;
        for (auto const& [events, route] : served.alternatives) {
            auto other = joules_of(kind->each(), events);
            least = std::min(least, models::sum_of(other) * (1.0 - rounding));
            other[energy_row("interconnect")] *= route;
            most = std::max(most, models::sum_of(other));
        }
        add(joules, head, shape.heads);
        add(batch.joules, joules, requests);
        batch.below += requests * (sum - least);
        batch.above += requests * (most - sum);
    }
    batch.times = batch_of(machine(), on_mesh_.kinds, cycles, shape.heads);
    batch.round = round_of(shape, batch.times);
    return batch;
}

sim::Bounded MeshPart::round_of(PassShape const& shape, BatchPasses const& mean) const {
    std::int64_t const first = std::llround(shape.contexts.first), last = std::llround(shape.contexts.last);
    bool const varies = shape.decodes && shape.queries == 1.0 && last > first;
    if (!varies || mean.requests == 1.0 || (kinds().size() == 1 && mean.head == 0.0)) return mean.round();
    auto const at = [&](std::int64_t context) {
        CyclesOfKinds cycles;
        for (auto const& kind : kinds())
            cycles.push_back(sum_of(kind->parts(token_pass(machine(), kind->design(), context, context)).parts));
        return batch_of(machine(), on_mesh_.kinds, cycles, shape.heads);
    };
    if (at(first).limits() == at(last).limits()) return mean.round();
    auto const most = sim::whole_part(machine().allowance.contexts);
    sim::Bounded all;
    if (double const count = static_cast<double>(last - first + 1); last - first < most)
        for (auto context = first; context <= last; ++context) all += at(context).round() * (1.0 / count);
    else
        for (auto const& [context, weight] : sampled_contexts(first - 1, last - first + 2, most))
            all += at(context).round() * weight;
    return all;
}

PartCost MeshPart::cost_of(BatchPass const& batch, bool fills) const {
    auto const& times = batch.times;
    PartCost cost{fills ? times.alone() : batch.round, batch.joules};
    sim::Bounded at_work;
    for (std::size_t i = 0; i < kinds().size(); ++i) {
        auto const& power = kinds()[i]->power();
        at_work += times.requests * power.layer * times.kinds[i].layers * times.kinds[i].layer +
                   times.requests * power.head * times.head;
    }
    if (fills) {
        auto const swap = swap_of(machine(), on_mesh_.kinds);
        cost.seconds += swap.before(times);
        for (auto const& kind : kinds())
            add(cost.joules, adapter_joules(machine(), kind->design(), kind->partition(), kind->each()),
                1.0 / swap.batches);
    }
    cost.joules[energy_row("idle_units")] += at_work.value;
    cost.joules_below = batch.below + at_work.value - at_work.lower;
    cost.joules_above = batch.above + at_work.upper - at_work.value;
    // The power at rest of a placement that is not yet known.
    for (auto const& kind : kinds()) {
        if (!kind->floor().open) continue;
        auto const idle = kind->idle();
        cost.joules_below += (idle.value - idle.lower) * cost.seconds.upper;
        cost.joules_above += (idle.upper - idle.value) * cost.seconds.upper;
    }
    cost.amounts = {cost.seconds.value};
    return cost;
}

MeshPart::Steps const& MeshPart::steps() const {
    std::call_once(asked_for_steps_, [&] {
        steps_.placed = placed_for_steps(prepared_, design_, fidelity_);
        if (!steps_.placed.broken) steps_.costs.emplace(machine(), steps_.placed, fidelity_);
    });
    return steps_;
}

PartCost MeshPart::of_step(text::WholePass const& pass) const {
    sim::serving::StepWork work;
    work.heads = std::llround(pass.positions.heads);
    std::vector<PassShape> denoised;
    for (auto const& [shape, count] : pass.sequences) {
        if (design_.diffuses()) {
            denoised.push_back(shape);
            continue;
        }
        auto const context = std::llround(shape.contexts.first);
        if (shape.decodes)
            work.contexts.push_back(context);
        else
            work.chunks.push_back({std::llround(shape.queries), context - 1});
    }
    auto const at = [&](MeshSteps::End end) {
        if (!design_.diffuses()) return steps().costs->cost(work, end);
        return steps().costs->denoising(denoised, std::llround(pass.positions.yielding), pass.begins, end);
    };
    auto const value = at(&sim::Bounded::value);
    PartCost cost{{value.seconds,
                   at(&sim::Bounded::lower).seconds,
                   at(&sim::Bounded::upper).seconds,
                   {sim::Bound::proved, sim::Bound::calibrated}}};
    cost.joules[energy_row("idle_units")] = value.joules;
    return cost;
}

bool MeshPart::is_first(std::string const& phase) const {
    return phase == (design_.diffuses() ? "first step" : "prefill");
}

/// The time of a phase is divided among what is before its passes and the parts of its layers, those of the same name
/// together; what is left is that of the LM head, and of requests that wait for others. Energy is divided among what
/// draws it: events, and the power of units at work beyond that of the mesh at rest.
bool MeshPart::explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const {
    constexpr double rounding = 0x1p-40;
    bool const of_first = is_first(phase);
    auto const passes = of_first ? first().kinds : later();
    double const times = of_first ? 1.0 : design_.later_passes();
    double left = amounts.front();
    auto const before = [&](std::string const& what, double seconds) {
        add_share(to.time, what, seconds);
        left -= seconds;
    };
    auto const named = [&](EnergyByRow const& joules, std::string const& what, double share) {
        for (std::size_t row = 0; row < joules.size(); ++row)
            add_share(to.energy, fmt::format("{}/{}", energy_rows[row].name, what), share * joules[row]);
    };
    if (of_first) {
        auto const swap = swap_of(machine(), on_mesh_.kinds);
        before("load/programming of cells", programming(machine(), on_mesh_.design(), on_mesh_.parts()).time);
        before("reprogram/first layer", swap.first());
        before("reprogram/not hidden",
               swap.later([&](std::size_t kind) { return kinds()[kind]->seconds(passes[kind].parts).value; }));
    }
    std::vector<Share> parts;
    double in_layers = 0.0, at_work = 0.0;
    for (std::size_t i = 0; i < kinds().size(); ++i) {
        auto const& kind = *kinds()[i];
        auto const& d = kind.design();
        double seconds = 0.0;
        for (auto const& part : passes[i].parts) {
            double const of_part = times * kind.layers() * part.cycles.value / d.frequency;
            add_share(parts, std::string(part.what), of_part);
            seconds += of_part;
        }
        in_layers += seconds;
        at_work += d.sequences() * kind.power().layer * seconds;
        double const heads = of_first ? first_heads(d) : later_heads(d);
        auto const of_head = head_events(machine(), d, kind.partition(), kind.counts());
        for (auto const& share : shares_of(kind.each(), passes[i].events() + heads * of_head))
            add_share(to.energy, share.what, d.sequences() * times * share.amount);
        at_work += d.sequences() * times * kind.power().head *
                   head_cycles(machine(), on_mesh_.design(), on_mesh_.parts(), heads) / d.frequency;
        if (!of_first) continue;
        named(adapter_joules(machine(), d, kind.partition(), kind.each()), "writing adapters",
              1.0 / d.batches_per_swap());
        named(programming_joules(machine(), d, kind.partition(), kind.each()), "programming of cells", 1.0);
    }
    add_share(to.energy, "idle_units/crossbars and routers at work", at_work);
    for (auto const& share : parts) to.time.push_back({phase + "/" + share.what, share.amount});
    if (left - in_layers > rounding * amounts.front())
        to.time.push_back({phase + "/LM head, and waiting for other requests", left - in_layers});
    if (in_layers > 0.0) {
        auto const longest = std::ranges::max_element(parts, {}, &Share::amount);
        to.limits.push_back({phase, longest->what, longest->amount / in_layers, 1.0, "1"});
    }
    return true;
}

Trace MeshPart::trace() const {
    auto const& c = on_mesh_;
    auto const& prompts = first().kinds;
    auto const tokens = later();
    Trace bars;
    std::vector<std::size_t> kind_of;
    for (std::size_t i = 0; i < c.kinds.size(); ++i)
        kind_of.insert(kind_of.end(), static_cast<std::size_t>(c.kinds[i].design.model->layers), i);
    std::vector<double> since(kind_of.size(), 0.0);
    std::string const waiting = c.design().gating == Gating::srpg ? "gated" : "ungated";
    auto const bar = [&](std::string const& state, std::size_t layer, double start, double end) {
        auto& from = since[layer];
        auto const unit = fmt::format("layer {}", layer);
        if (start > from) bars.push_back({waiting, unit, from, start - from});
        if (end > start) bars.push_back({state, unit, start, end - start});
        from = std::max(from, end);
    };
    auto const seconds = [&](PlacedKind::Pass const& pass) { return sum_of(pass.parts).value / c.design().frequency; };
    auto const reprogram = [&](std::size_t layer) {
        auto const& [design, parts] = c.kinds[kind_of[layer]];
        return reprogram_time(machine(), design, parts);
    };
    double now = programming(machine(), c.design(), c.parts()).time, ready = now + reprogram(0);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) bar("program cells", layer, 0.0, now);
    if (ready > now) bar("reprogram", 0, now, ready);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        now = std::max(now, ready);
        double const next = layer + 1 < kind_of.size() ? reprogram(layer + 1) : 0.0;
        if (next > 0.0) bar("reprogram", layer + 1, now, now + next);
        ready = now + next;
        double const prompt = seconds(prompts[kind_of[layer]]);
        bar("active: prompt", layer, now, now + prompt);
        now += prompt;
    }
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        double const token = seconds(tokens[kind_of[layer]]);
        bar("active: token", layer, now, now + token);
        now += token;
    }
    return bars;
}

void MeshPart::expect_token() const {
    if (design_.diffuses())
        throw sim::InputError(
            "a denoising step is a pipeline of positions, not one token (use generation = autoregressive)");
    if (on_mesh_.design().verifies())
        throw sim::InputError("a pass over proposed tokens is a pipeline of positions, not one token (use draft = 0)");
}

FlowGraph MeshPart::flow_graph() const {
    expect_token();
    auto const& c = on_mesh_;
    if (c.design().searches_schedule())
        throw sim::InputError("a graph shows one schedule (use schedule = serial or schedule = tree)");
    return flow_graph_of(machine(), c.design(), c.parts(), c.layer(), later().front().parts);
}

std::string MeshPart::network_program() const {
    expect_token();
    auto const& c = on_mesh_;
    if (c.design().schedule != Schedule::tree)
        throw sim::InputError(
            "a program of the network has spanning trees, which the serial schedule does not use (use schedule = "
            "tree)");
    if (c.design().multiplies_in_place())
        throw sim::InputError(
            "a program of the network is that of a token whose queries travel to the keys (use dynamic_products = "
            "routers)");
    std::int64_t const keys = middle_keys(c.design());
    auto const token = kinds().front()->parts({{{keys, 1.0}}, 1.0, static_cast<double>(keys)}).parts;
    std::ostringstream text;
    sim::noc::write_program(text, layer_program(machine(), c.design(), c.parts(), c.layer(), token, keys));
    return "# one decoded token in one layer of " + c.design().model->name + "; pimdse noc run simulates it\n" +
           text.str();
}

}  // namespace pimdse::models::cim_mesh
