#include "models/cim_mesh/cim_mesh.hpp"

#include "models/cim_mesh/feasible.hpp"
#include "models/cim_mesh/metrics.hpp"

namespace pimdse::models::cim_mesh {
namespace {

struct Prepared {
    Machine machine;
    Bindings bindings;
};

std::shared_ptr<void const> prepare_all(Parameters const& table) { return std::make_shared<Prepared const>(Prepared{load_machine(), bind_choices(table)}); }

bool is_diffusion(Design const& d) { return d.model->attention == sim::Attention::bidirectional; }

/// Cycles of one layer for the prompt and for the mean token; a diffusion step is a pass over the whole sequence.
template <class Form>
RequestTime request(Machine const& machine, Design const& d, Partition const& p, Form const& form, auto&& cycles) {
    if (is_diffusion(d)) {
        double const step = cycles(form.prefill(static_cast<double>(d.longest_context())));
        return compose(machine, d, p, step, step);
    }
    double const context = static_cast<double>(d.input) + static_cast<double>(d.output) / 2.0;
    return compose(machine, d, p, cycles(form.prefill(static_cast<double>(d.input))), cycles(form.decode(context)));
}

struct Cycles {
    double operator()(double cycles) const { return cycles; }
    double operator()(DecodeTime const& t) const { return t.total(); }
    double operator()(PrefillTime const& t) const { return t.total(); }
};

Answer answer(Machine const& machine, Design const& d, Partition const& p) {
    Answer a;
    a.time = request(machine, d, p, ClosedForm(machine, d, p), Cycles{});
    a.ideal = request(machine, d, p, IdealForm(machine, d, p), Cycles{});
    a.pair = pair_power(machine, d);
    a.power = average_power(d, p, a.pair);
    a.energy = state_energy(d, p, a.pair, a.time);
    a.activity_energy = activity_energy(machine, d, p);
    a.saving = gating_saving(machine, d, p);
    a.tile = tile_area(machine, d);
    if (!is_diffusion(d)) {
        KvCache const cache(machine, d, p);
        a.kv_headroom = 1.0 - static_cast<double>(cache.needed(d.longest_context())) / static_cast<double>(cache.capacity());
    }
    compare_with_gpu(machine, d, a);
    return a;
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(prepared.bindings, point);
    auto const parts = partition(design, prepared.machine.value_bits);
    if (auto broken = broken_rule(prepared.machine, design, parts)) return *broken;
    return to_metrics(answer(prepared.machine, design, parts), parts);
}

std::vector<Share> time_shares(Machine const& machine, Design const& d, Partition const& p, RequestTime const& t) {
    ClosedForm const form(machine, d, p);
    double const per_cycle = static_cast<double>(d.model->layers) / d.frequency;
    bool const diffusion = is_diffusion(d);
    double const passes = diffusion ? static_cast<double>(d.output) : 1.0;
    auto const prompt = form.prefill(static_cast<double>(diffusion ? d.longest_context() : d.input));
    std::vector<Share> shares{{"reprogram/first layer", t.reprogram_first},
                              {"reprogram/not hidden", t.reprogram_later},
                              {"prefill/partial sums", passes * per_cycle * prompt.vectors},
                              {"prefill/adapters", passes * per_cycle * prompt.adapters},
                              {"prefill/attention", passes * per_cycle * prompt.attention}};
    if (diffusion) return shares;
    auto const token = form.decode(static_cast<double>(d.input) + static_cast<double>(d.output) / 2.0);
    double const all = per_cycle * static_cast<double>(d.output);
    shares.insert(shares.end(), {{"decode/partial sums", all * token.partial_sums},
                                 {"decode/key and value stream", all * token.key_stream},
                                 {"decode/way to keys and values", all * token.key_distance},
                                 {"decode/softmax", all * token.softmax},
                                 {"decode/adapters", all * token.adapters},
                                 {"decode/crossbars", all * token.crossbars}});
    return shares;
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity) {
    auto const& [machine, bindings] = inputs.as<Prepared>();
    auto const design = read_design(bindings, point);
    auto const parts = partition(design, machine.value_bits);
    if (broken_rule(machine, design, parts)) return {};
    auto const a = answer(machine, design, parts);
    auto const tiles = static_cast<double>(parts.total_tiles);
    return {time_shares(machine, design, parts, a.time),
            {{"layer at work", a.energy.active},
             {"layers waiting", a.energy.waiting},
             {"embedding and LM head", a.energy.tables},
             {"reprogramming", a.energy.reprogramming}},
            {{"RRAM crossbars", tiles * a.tile.rram},
             {"SRAM-DCIM", tiles * a.tile.sram},
             {"scratchpads", tiles * a.tile.scratchpad},
             {"routers", tiles * a.tile.router},
             {"controller and edge", tiles * a.tile.edge}}};
}

}  // namespace

Architecture architecture() {
    return {"cim_mesh", "compute-in-memory mesh: RRAM and SRAM crossbars on a network of computing routers (PRIMAL, LEAP)",
            {Fidelity::analytic}, parameters, metric_table, prepare_all, evaluate, explain, nullptr};
}

}  // namespace pimdse::models::cim_mesh
