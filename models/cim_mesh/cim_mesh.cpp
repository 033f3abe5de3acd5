#include "models/cim_mesh/cim_mesh.hpp"

#include "models/cim_mesh/cycle_key.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/flow_graph.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/result.hpp"

#include <fmt/format.h>

namespace pimdse::models::cim_mesh {
namespace {

/// A decoded point with its partition and placement, or the rule that it breaks.
struct ReadPoint {
    Design design;
    Partition parts;
    Floor layout;
    std::optional<Infeasible> broken;
};

ReadPoint read_point(Prepared const& prepared, Point point, Fidelity fidelity) {
    ReadPoint c{on_its_machine(prepared.machine, read_design(prepared.bindings, point)), {}, {}, {}};
    c.parts = partition(c.design, prepared.machine.value_bits);
    c.broken = broken_rule(prepared.machine, c.design, c.parts);
    if (c.broken) return c;
    auto const ground = ground_of(c.design, c.parts);
    bool const chosen = c.design.placement == PlacementChoice::genes;
    if (auto why = chosen ? why_no_rectangles(ground, chosen_genes(c.design, c.parts)) : ""; !why.empty()) {
        c.broken = Infeasible{"placement", std::move(why)};
        return c;
    }
    c.layout = layout(prepared.machine, prepared.memory, c.design, c.parts, fidelity);
    if (!c.layout.layer->fits()) c.broken = Infeasible{"placement", why_no_room(ground, c.parts, c.layout.genes)};
    return c;
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    if (c.broken) return *c.broken;
    auto const a = result_of(prepared.machine, c.design, c.parts, c.layout, fidelity);
    return to_metrics({a, c.parts, c.design});
}

std::vector<Share> time_shares(Design const& d, Result const& a) {
    double const per_cycle = static_cast<double>(d.model->layers) / d.frequency;
    double const later = d.later_passes();
    std::vector<Share> shares{{"load/programming of cells", a.time.load},
                              {"reprogram/first layer", a.time.reprogram_first},
                              {"reprogram/not hidden", a.time.reprogram_later.value}};
    for (auto const& part : a.layer.prefill) shares.push_back({"prefill/" + part.what, per_cycle * part.cycles.value});
    for (auto const& part : a.layer.decode)
        shares.push_back({"decode/" + part.what, later * per_cycle * part.cycles.value});
    shares.push_back({"prefill/LM head", a.time.head});
    shares.push_back({"decode/LM head", later * a.time.head});
    shares.push_back({"batch/prompts behind the first", a.time.behind.value});
    shares.push_back({"batch/waiting for other requests", later * a.time.waiting});
    std::erase_if(shares, [](Share const& share) { return share.amount == 0.0; });
    return shares;
}

/// The part of a phase that takes longest, and its share of the phase.
PhaseLimit limit_of(std::string const& phase, std::vector<LayerPart> const& parts) {
    PhaseLimit limit{phase, "", 0.0, 1.0, "1"};
    double all = 0.0, max = -1.0;
    for (auto const& part : parts) {
        all += part.cycles.value;
        if (part.cycles.value <= max) continue;
        max = part.cycles.value;
        limit.limiter = part.what;
    }
    limit.attained = all > 0.0 ? max / all : 0.0;
    return limit;
}

Explained explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    if (c.broken) return {{}, *c.broken};
    auto const a = result_of(prepared.machine, c.design, c.parts, c.layout, fidelity);
    Explained breakdown{{time_shares(c.design, a), {}, area_rows_of(prepared.machine, c.design, a.tile, c.parts)},
                        to_metrics({a, c.parts, c.design})};
    breakdown.limits.push_back(limit_of("prefill", a.layer.prefill));
    if (c.design.later_passes() > 0.0) breakdown.limits.push_back(limit_of("decode", a.layer.decode));
    for (auto const& row : a.energy) breakdown.energy.push_back({std::string(row.what), row.joules().value});
    return breakdown;
}

/// States of the compute tiles of every layer from the first weight or LoRA word to the first decoded token.
Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    Trace bars;
    if (c.broken) return bars;
    auto const a = result_of(prepared.machine, c.design, c.parts, c.layout, fidelity);
    auto const layers = c.design.model->layers;
    std::vector<double> since(static_cast<std::size_t>(layers), 0.0);
    std::string const waiting = c.design.gating == Gating::srpg ? "gated" : "ungated";
    auto const bar = [&](std::string const& state, std::int64_t layer, double start, double end) {
        auto& from = since[static_cast<std::size_t>(layer)];
        auto const unit = fmt::format("layer {}", layer);
        if (start > from) bars.push_back({waiting, unit, from, start - from});
        if (end > start) bars.push_back({state, unit, start, end - start});
        from = std::max(from, end);
    };
    double const reprogram = reprogram_time(prepared.machine, c.design, c.parts);
    double const prompt = a.layer.prefill_total().value / c.design.frequency,
                 token = a.layer.decode_total().value / c.design.frequency;
    double now = a.time.load, ready = now + reprogram;
    for (std::int64_t layer = 0; layer < layers; ++layer) bar("program cells", layer, 0.0, now);
    if (reprogram > 0.0) bar("reprogram", 0, now, ready);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        now = std::max(now, ready);
        if (layer + 1 < layers && reprogram > 0.0) bar("reprogram", layer + 1, now, now + reprogram);
        ready = now + reprogram;
        bar("active: prompt", layer, now, now + prompt);
        now += prompt;
    }
    for (std::int64_t layer = 0; layer < layers; ++layer, now += token) bar("active: token", layer, now, now + token);
    return bars;
}

}  // namespace

FlowGraph flow_graph(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    if (c.broken) throw sim::InputError(c.broken->reason);
    if (c.design.diffuses())
        throw sim::InputError(
            "a denoising step is a pipeline of positions, not one token (use generation = "
            "autoregressive)");
    if (c.design.searches_schedule())
        throw sim::InputError("a graph shows one schedule (use schedule = serial or schedule = tree)");
    auto const a = result_of(prepared.machine, c.design, c.parts, c.layout, fidelity);
    return flow_graph_of(prepared.machine, c.design, c.parts, *c.layout.layer, a.layer);
}

sim::noc::NetworkProgram network_program(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, Fidelity::cycle);
    if (c.broken) throw sim::InputError(c.broken->reason);
    if (c.design.schedule != Schedule::tree)
        throw sim::InputError(
            "a program of the network has spanning trees, which the serial schedule does not use (use schedule = "
            "tree)");
    if (c.design.diffuses() || c.design.multiplies_in_place())
        throw sim::InputError(
            "a program of the network is that of a decoded token whose queries travel to the keys (use generation = "
            "autoregressive and dynamic_products = routers)");
    auto const tree = c.layout.layer->program().carrying(vector_flits(prepared.machine, c.design));
    sim::noc::NetworkProgram program{tree.mesh(), router_timing(prepared.machine, c.design), {}};
    for (auto& stage : tree.stages(middle_keys(c.design))) {
        if (!stage.phase.messages.empty()) program.stages.push_back({std::string(stage.name), std::move(stage.phase)});
    }
    return program;
}

std::string network_program_text(Inputs const& inputs, Point point) {
    std::ostringstream text;
    sim::noc::write_program(text, network_program(inputs, point));
    return "# cim_mesh: one decoded token in one layer; pimdse noc run simulates it\n" + text.str();
}

Architecture architecture() {
    return {
        .name = "cim_mesh",
        .summary = "compute-in-memory mesh: RRAM and SRAM crossbars on a network of computing routers (PRIMAL, LEAP)",
        .results_version = 4,
        .fidelities = {Fidelity::analytic, Fidelity::cycle},
        .parameters = parameters,
        .metrics = metric_list,
        .prepare = prepare,
        .evaluate = evaluate,
        .explain = explain,
        .trace = trace,
        .ledger = ledger,
        .cycle_key = cycle_key,
        .key_parts = key_parts(),
        .monotone_lower_bounds = monotone_lower_bounds};
}

}  // namespace pimdse::models::cim_mesh
