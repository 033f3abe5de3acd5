#include "models/cim_mesh/cim_mesh.hpp"

#include "models/chips/group.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/flow_graph.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_program.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/result.hpp"
#include "models/cim_mesh/step.hpp"
#include "models/contract/common_metrics.hpp"

#include <fmt/format.h>

namespace pimdse::models::cim_mesh {
namespace {

PlacedDesign read_point(Prepared const& prepared, Point point, Fidelity fidelity) {
    return placed(prepared, design_of(prepared, point), fidelity);
}

/// Models and constants are those of `inputs`, which live longer than the engine. An engine needs a cache of at least
/// two positions.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = design_of(prepared, point);
    if (auto rule = broken_step_rule(design)) return *std::move(rule);
    auto const c = placed_for_steps(prepared, design, fidelity);
    if (c.broken) return *c.broken;
    return service_engine(prepared.machine, c.kinds, c.layouts, fidelity);
}

double layers_of(KindOnMesh const& kind) { return static_cast<double>(kind.design.model->layers); }

std::vector<Share> time_shares(std::vector<KindOnMesh> const& kinds, Result const& a) {
    auto const& d = kinds.front().design;
    double const later = d.later_passes();
    std::vector<Share> shares{{"load/programming of cells", a.time.load},
                              {"reprogram/first layer", a.time.reprogram_first},
                              {"reprogram/not hidden", a.time.reprogram_later.value}};
    auto const add = [&](std::string const& phase, auto parts, double passes) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            double const per_cycle = layers_of(kinds[i]) / d.frequency;
            for (auto const& part : a.layers[i].*parts)
                add_share(shares, phase + part.what, passes * per_cycle * part.cycles.value);
        }
    };
    add("prefill/", &LayerTime::prefill, 1.0);
    add("decode/", &LayerTime::decode, later);
    shares.push_back({"prefill/LM head", a.time.head});
    shares.push_back({"decode/LM head", later * a.time.later_head});
    shares.push_back({"batch/prompts behind the first", a.time.behind.value});
    shares.push_back({"batch/waiting for other requests", later * a.time.waiting});
    std::erase_if(shares, [](Share const& share) { return share.amount == 0.0; });
    return shares;
}

/// The part of a phase that takes longest in all layers, those of the same name together, and its share of the phase.
PhaseLimit limit_of(std::string const& phase, std::vector<KindOnMesh> const& kinds, Result const& a,
                    std::vector<LayerPart> LayerTime::*member) {
    std::vector<Share> parts;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        double const layers = kinds.size() == 1 ? 1.0 : layers_of(kinds[i]);
        for (auto const& part : a.layers[i].*member) add_share(parts, part.what, layers * part.cycles.value);
    }
    auto const longest = std::ranges::max_element(parts, {}, &Share::amount);
    double const all = sum_of(parts);
    return {phase, longest->what, all > 0.0 ? longest->amount / all : 0.0, 1.0, "1"};
}

Breakdown breakdown_of(MachineConstants const& machine, PlacedDesign const& c, Result const& a) {
    Breakdown all{time_shares(c.kinds, a), {}, area_rows_of(machine, c.kinds)};
    all.limits.push_back(limit_of("prefill", c.kinds, a, &LayerTime::prefill));
    if (c.design().later_passes() > 0.0) all.limits.push_back(limit_of("decode", c.kinds, a, &LayerTime::decode));
    for (auto const& row : a.spent.rows) all.energy.push_back({std::string(row.what.name), row.joules().value});
    return all;
}

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    if (c.broken) return *c.broken;
    auto const a = result_of(prepared.machine, c.kinds, c.layouts, fidelity);
    if (breakdown != nullptr) *breakdown = breakdown_of(prepared.machine, c, a);
    return request_result(a, chips::economy_of(inputs));
}

/// States of the compute tiles of every layer from the first weight or LoRA word to the first decoded token. Layers of
/// a kind follow each other.
Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_point(prepared, point, fidelity);
    Trace bars;
    if (c.broken) return bars;
    auto const a = result_of(prepared.machine, c.kinds, c.layouts, fidelity);
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
    auto const seconds = [&](sim::Bounded const& cycles) { return cycles.value / c.design().frequency; };
    auto const reprogram = [&](std::size_t layer) {
        auto const& [design, parts] = c.kinds[kind_of[layer]];
        return reprogram_time(prepared.machine, design, parts);
    };
    double now = a.time.load, ready = now + reprogram(0);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) bar("program cells", layer, 0.0, now);
    if (ready > now) bar("reprogram", 0, now, ready);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        now = std::max(now, ready);
        double const next = layer + 1 < kind_of.size() ? reprogram(layer + 1) : 0.0;
        if (next > 0.0) bar("reprogram", layer + 1, now, now + next);
        ready = now + next;
        double const prompt = seconds(a.layers[kind_of[layer]].prefill_total());
        bar("active: prompt", layer, now, now + prompt);
        now += prompt;
    }
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        double const token = seconds(a.layers[kind_of[layer]].decode_total());
        bar("active: token", layer, now, now + token);
        now += token;
    }
    return bars;
}

/// A point whose layer serves one decoded token at a time; throws InputError for others.
PlacedDesign read_token(Prepared const& prepared, Point point, Fidelity fidelity) {
    auto c = read_point(prepared, point, fidelity);
    if (c.broken) throw sim::InputError(c.broken->reason);
    if (c.design().diffuses())
        throw sim::InputError(
            "a denoising step is a pipeline of positions, not one token (use generation = autoregressive)");
    if (c.design().verifies())
        throw sim::InputError("a pass over proposed tokens is a pipeline of positions, not one token (use draft = 0)");
    return c;
}

/// Of a decoded token.
FlowGraph flow_graph(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_token(prepared, point, fidelity);
    if (c.design().searches_schedule())
        throw sim::InputError("a graph shows one schedule (use schedule = serial or schedule = tree)");
    auto const a = result_of(prepared.machine, c.kinds, c.layouts, fidelity);
    return flow_graph_of(prepared.machine, c.design(), c.parts(), c.layer(), a.layers.front());
}

}  // namespace

sim::noc::NetworkProgram network_program(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const c = read_token(prepared, point, Fidelity::cycle);
    if (c.design().schedule != Schedule::tree)
        throw sim::InputError(
            "a program of the network has spanning trees, which the serial schedule does not use (use schedule = "
            "tree)");
    if (c.design().multiplies_in_place())
        throw sim::InputError(
            "a program of the network is that of a token whose queries travel to the keys (use dynamic_products = "
            "routers)");
    auto const a = result_of(prepared.machine, c.kinds, c.layouts, Fidelity::cycle);
    return layer_program(prepared.machine, c.design(), c.parts(), c.layer(), a.layers.front().decode,
                         middle_keys(c.design()));
}

Architecture architecture() {
    return answering(
        {.name = "cim_mesh",
         .summary = "compute-in-memory mesh: RRAM and SRAM crossbars on a network of computing routers (PRIMAL, LEAP)",
         .results_version = 13,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metric_list,
         .prepare = prepare,
         .request = request,
         .trace = trace,
         .engine = engine,
         .flow_graph = flow_graph,
         .network_program =
             [](Inputs const& inputs, Point point) {
                 std::ostringstream text;
                 sim::noc::write_program(text, network_program(inputs, point));
                 return "# cim_mesh: one decoded token in one layer; pimdse noc run simulates it\n" + text.str();
             },
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().bindings.models; },
             .host = [](Inputs const& inputs) { return inputs.as<Prepared>().machine.host.si; },
             .own_link = chips::joined_by<chips::link_kind("ucie_x64")>}});
}

}  // namespace pimdse::models::cim_mesh
