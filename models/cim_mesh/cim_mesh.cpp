#include "models/cim_mesh/cim_mesh.hpp"

#include "models/chips/group.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/flow_graph.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_program.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/placed_design.hpp"
#include "models/cim_mesh/power.hpp"
#include "models/contract/common_metrics.hpp"

#include <fmt/format.h>

namespace pimdse::models::cim_mesh {
namespace {

text::FileOfArchitecture const file_of_machine{
    "cim_mesh", "cim_mesh.toml", {}, {{"weights", "int8"}, {"kv_cache", "8bit"}}};

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    static auto const machine = text::machine_of(file_of_machine);
    auto made = std::make_shared<Prepared>(load_constants(options), bind_choices(parameters));
    made->file = std::make_unique<text::AnsweringFile const>(file_of_machine, machine, parameters, metric_list(),
                                                             options, made->bindings.models);
    return made;
}

/// A point on its mesh, and a first pass and the mean later one there, by kind of layers.
struct OnMesh {
    PlacedDesign placed;
    std::vector<std::unique_ptr<PlacedKind>> kinds{};
    std::vector<PlacedKind::Pass> first{}, later{};

    OnMesh(Prepared const& prepared, Point point, Fidelity fidelity)
        : placed(cim_mesh::placed(prepared, design_of(prepared, point), fidelity)) {
        for (std::size_t i = 0; !placed.broken && i < placed.kinds.size(); ++i) {
            auto const& kind = *kinds.emplace_back(
                std::make_unique<PlacedKind>(prepared.machine, placed.kinds[i], placed.layouts[i], fidelity));
            first.push_back(kind.served(first_pass(kind.design())));
            later.push_back(kind.served(later_pass(prepared.machine, kind.design())));
        }
    }
};

/// Adds a share to the one of the same name.
void add_share(std::vector<Share>& shares, std::string const& name, double amount) {
    auto const same = std::ranges::find(shares, name, &Share::what);
    (same == shares.end() ? shares.emplace_back(name) : *same).amount += amount;
}

constexpr std::string_view outside = "LM head, and waiting for other requests";

/// Divides the time of a phase among what is `before` its passes and the parts of its layers, those of the same name
/// together: what is left is that of the LM head, and of requests that wait for others. The part that takes longest
/// limits the phase.
void divide(Breakdown& all, std::string const& phase, OnMesh const& mesh, std::vector<PlacedKind::Pass> const& of_kinds,
            double passes, std::vector<Share> before = {}) {
    std::vector<Share> shares;
    double in_layers = 0.0;
    for (std::size_t i = 0; i < of_kinds.size(); ++i)
        for (auto const& part : of_kinds[i].parts) {
            double const seconds =
                passes * mesh.kinds[i]->layers() * part.cycles.value / mesh.placed.design().frequency;
            if (seconds > 0.0) add_share(shares, std::string(part.what), seconds);
            in_layers += seconds;
        }
    auto const limit = std::ranges::find(all.limits, phase, &PhaseLimit::phase);
    auto const longest = std::ranges::max_element(shares, {}, &Share::amount);
    if (limit != all.limits.end() && in_layers > 0.0) {
        limit->limiter = longest->what;
        limit->attained = longest->amount / in_layers;
    }
    auto const whole = std::ranges::find(all.time, phase + "/*", &Share::what);
    if (whole == all.time.end()) return;
    constexpr double rounding = 0x1p-40;
    double const left = whole->amount - in_layers - sum_of(before);
    for (auto const& share : shares) before.push_back({phase + "/" + share.what, share.amount});
    if (left > rounding * whole->amount) before.push_back({phase + "/" + std::string(outside), left});
    std::erase_if(before, [](Share const& share) { return share.amount == 0.0; });
    all.time.insert(all.time.erase(whole), before.begin(), before.end());
}

/// Divides the rows of energy that the mesh is asked for by pass among what draws it, and the power of units at work
/// from that of the machine at rest.
void divide_energy(Breakdown& all, MachineConstants const& machine, OnMesh const& mesh, double seconds) {
    std::vector<Share> shares;
    auto const add = [&](std::vector<Share> const& more, double times) {
        for (auto const& share : more) add_share(shares, share.what, times * share.amount);
    };
    auto const named = [&](EnergyByRow const& joules, std::string const& what, double times) {
        for (std::size_t row = 0; row < joules.size(); ++row)
            if (joules[row] > 0.0)
                add_share(shares, std::string(energy_rows[row].name) + "/" + what, times * joules[row]);
    };
    double at_rest = 0.0;
    for (std::size_t i = 0; i < mesh.kinds.size(); ++i) {
        auto const& kind = mesh.kinds[i];
        auto const& d = kind->design();
        auto const& p = kind->partition();
        auto const of = [&](PlacedKind::Pass const& pass, double heads, double times) {
            auto const events = pass.events() + heads * head_events(machine, d, p, kind->counts());
            add(shares_of(kind->each(), events), d.sequences() * times);
        };
        of(mesh.first[i], first_heads(d), 1.0);
        if (d.later_passes() > 0.0) of(mesh.later[i], later_heads(d), d.later_passes());
        named(adapter_joules(machine, d, p, kind->each()), "writing adapters", 1.0 / d.batches_per_swap());
        named(programming_joules(machine, d, p, kind->each()), "programming of cells", 1.0);
        kind->power().rest.each(seconds, {}, [&](EnergyPart part, sim::Bounded const& joules) {
            if (part.row == energy_row("idle_units")) at_rest += joules.value;
        });
    }
    double idle = 0.0;
    for (auto const& share : all.energy)
        if (share.what.starts_with("idle_units")) idle += share.amount;
    for (auto& share : all.energy)
        if (share.what.starts_with("idle_units")) {
            share.amount -= idle - at_rest;
            break;
        }
    shares.push_back({"idle_units/crossbars and routers at work", idle - at_rest});
    std::erase_if(all.energy, [](Share const& share) { return share.what.find('/') == std::string::npos; });
    std::ranges::move(shares, std::back_inserter(all.energy));
}

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& prepared = inputs.as<Prepared>();
    auto result = prepared.file->request(point, fidelity, chips::economy_of(inputs), breakdown);
    if (breakdown == nullptr || std::holds_alternative<Infeasible>(result)) return result;
    OnMesh const mesh(prepared, point, fidelity);
    auto const& d = mesh.placed.design();
    divide_energy(*breakdown, prepared.machine, mesh, std::get<RequestResult>(result).latency.value);
    auto const swap = swap_of(prepared.machine, mesh.placed.kinds);
    auto const prompt = [&](std::size_t kind) { return mesh.kinds[kind]->seconds(mesh.first[kind].parts).value; };
    divide(*breakdown, d.diffuses() ? "first step" : "prefill", mesh, mesh.first, 1.0,
           {{"load/programming of cells", programming(prepared.machine, d, mesh.placed.parts()).time},
            {"reprogram/first layer", swap.first()},
            {"reprogram/not hidden", swap.later(prompt)}});
    divide(*breakdown, d.diffuses() ? "later steps" : "decode", mesh, mesh.later, d.later_passes());
    return result;
}

std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    return inputs.as<Prepared>().file->engine(point, fidelity);
}

/// States of the compute tiles of every layer from the first weight or LoRA word to the first decoded token. Layers of
/// a kind follow each other.
Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    OnMesh const mesh(prepared, point, fidelity);
    auto const& c = mesh.placed;
    Trace bars;
    if (c.broken) return bars;
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
        return reprogram_time(prepared.machine, design, parts);
    };
    double now = programming(prepared.machine, c.design(), c.parts()).time, ready = now + reprogram(0);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) bar("program cells", layer, 0.0, now);
    if (ready > now) bar("reprogram", 0, now, ready);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        now = std::max(now, ready);
        double const next = layer + 1 < kind_of.size() ? reprogram(layer + 1) : 0.0;
        if (next > 0.0) bar("reprogram", layer + 1, now, now + next);
        ready = now + next;
        double const prompt = seconds(mesh.first[kind_of[layer]]);
        bar("active: prompt", layer, now, now + prompt);
        now += prompt;
    }
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        double const token = seconds(mesh.later[kind_of[layer]]);
        bar("active: token", layer, now, now + token);
        now += token;
    }
    return bars;
}

/// A point whose layer serves one decoded token at a time; throws InputError for others.
OnMesh read_token(Prepared const& prepared, Point point, Fidelity fidelity) {
    OnMesh mesh(prepared, point, fidelity);
    if (mesh.placed.broken) throw sim::InputError(mesh.placed.broken->reason);
    if (mesh.placed.design().diffuses())
        throw sim::InputError(
            "a denoising step is a pipeline of positions, not one token (use generation = autoregressive)");
    if (mesh.placed.design().verifies())
        throw sim::InputError("a pass over proposed tokens is a pipeline of positions, not one token (use draft = 0)");
    return mesh;
}

/// Of a decoded token.
FlowGraph flow_graph(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const mesh = read_token(prepared, point, fidelity);
    auto const& c = mesh.placed;
    if (c.design().searches_schedule())
        throw sim::InputError("a graph shows one schedule (use schedule = serial or schedule = tree)");
    return flow_graph_of(prepared.machine, c.design(), c.parts(), c.layer(), mesh.later.front().parts);
}

}  // namespace

sim::noc::NetworkProgram network_program(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const mesh = read_token(prepared, point, Fidelity::cycle);
    auto const& c = mesh.placed;
    if (c.design().schedule != Schedule::tree)
        throw sim::InputError(
            "a program of the network has spanning trees, which the serial schedule does not use (use schedule = "
            "tree)");
    if (c.design().multiplies_in_place())
        throw sim::InputError(
            "a program of the network is that of a token whose queries travel to the keys (use dynamic_products = "
            "routers)");
    std::int64_t const keys = middle_keys(c.design());
    auto const token = mesh.kinds.front()->parts({{{keys, 1.0}}, 1.0, static_cast<double>(keys)}).parts;
    return layer_program(prepared.machine, c.design(), c.parts(), c.layer(), token, keys);
}

Architecture architecture() {
    return answering(
        {.name = "cim_mesh",
         .summary = "compute-in-memory mesh: RRAM and SRAM crossbars on a network of computing routers (PRIMAL, LEAP)",
         .results_version = 15,
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
