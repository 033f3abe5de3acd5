#include "models/cim_mesh/answer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/layer/head.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "models/cim_mesh/search.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

RequestTime time_of(MachineConstants const& machine, Design const& d, Partition const& p, LayerTime const& layer) {
    return compose(machine, d, p, {layer.prefill_total(), layer.decode_total(), head_cycles(machine, d, p)});
}

std::int64_t active_parameters(sim::LanguageModel const& m) {
    return m.layers * sim::layer_weights(m, sim::Experts::active) + sim::lm_head_weights(m);
}

/// A graphics processor at its memory roofline: weights once per later pass of the batch, its keys in each, the prompt
/// free. H100 in mode primal, A100 in mode leap, as the papers compare.
double gpu_throughput(MachineConstants const& m, Design const& d) {
    auto const& model = *d.model;
    double const bandwidth = d.mode == Mode::primal ? m.h100_bandwidth.si : m.a100_bandwidth.si;
    double const context = static_cast<double>(d.input) + static_cast<double>(d.output) / 2.0;
    bool const causal = model.attention == sim::Attention::causal;
    double const keys = causal ? context * static_cast<double>(model.layers * sim::kv_elements_per_token(model)) : 0.0;
    double const bytes = m.gpu_weight_bytes.si * (static_cast<double>(active_parameters(model)) + d.sequences() * keys);
    double const passes = std::max(1.0, d.later_passes());
    return d.sequences() * static_cast<double>(d.longest_context()) / (passes * bytes / bandwidth);
}

double headroom(MachineConstants const& machine, Design const& d, Partition const& p) {
    KvCache const cache(machine, d, p);
    auto const needed = cache.needed_by_all(d.longest_context());
    return needed == 0 ? 1.0 : 1.0 - static_cast<double>(needed) / static_cast<double>(cache.capacity());
}

}  // namespace

Floor layout(MachineConstants const& machine, Design const& design, Partition const& partition) {
    switch (design.placement) {
        case PlacementChoice::packed:
            return {packed_genes(partition), 0.0};
        case PlacementChoice::searched: {
            auto const found = search_placement(machine, design, partition);
            return {found.genes, found.gain};
        }
        case PlacementChoice::genes:
            break;
    }
    auto const genes = chosen_genes(design, partition);
    auto const placed = place(design, partition, genes);
    if (placed.matrices.empty()) return {genes, 0.0};
    return {genes, placement_gain(machine, design, partition, placed)};
}

Answer answer(MachineConstants const& machine, Design const& d, Partition const& p, Floor const& layout,
              Fidelity fidelity) {
    Answer a;
    bool const serial = d.schedule == Schedule::serial;
    // Under the serial schedule the ideal is a comparison: its closed form at every fidelity.
    auto const placement = place(d, p, layout.genes);
    TreeProgram const program(machine, d, p, placement);
    auto const counts = count_mesh(machine, d, p, placement, program);
    auto const tree = tree_layer(machine, d, p, program, counts, serial ? Fidelity::analytic : fidelity);
    a.layer = serial ? serial_layer(machine, d, p, placement, program, counts, fidelity) : tree;
    a.time = time_of(machine, d, p, a.layer);
    a.ideal = time_of(machine, d, p, tree);
    a.pair = pair_power(machine, d);
    auto const pairs = powered(machine, d, p, placement);
    a.static_power = average_power(pairs, a.pair);
    a.idle_power = idle_power(pairs, a.pair);
    a.paper_power = paper_power(machine, d, a.pair, a.static_power);
    a.energy = energy_rows_of(machine, p, pairs, a.pair, a.time);
    a.activity_energy = activity_energy(machine, d, p);
    a.saving = gating_saving(machine, d, pairs);
    a.tile = tile_area(machine, d);
    a.kv_headroom = headroom(machine, d, p);
    a.busiest_link = counts.busiest_link;
    auto const tokens = prompt_tokens(d);
    a.prompt_link = counts.prompt_link;
    // The pace of the service times is the same at every fidelity, and so is whether a design breaks the rule.
    auto const prompt =
        serial ? sim::Bounded(ClosedForm(machine, d, p, counts).prefill(static_cast<double>(tokens)).total())
               : a.layer.prefill_total();
    double const occupied = saturated_cycles(a.prompt_link, program.flits()) * static_cast<double>(tokens);
    a.prompt_pace = prompt.value / static_cast<double>(tokens);
    a.prompt_load = occupied / prompt;
    a.value_bits = machine.value_bits;
    a.adapter_bytes = adapter_bytes(d, p);
    a.adapter_weights = a.adapter_bytes * MachineConstants::bits_per_byte / machine.value_bits;
    a.placement_gain = layout.gain;
    a.gpu_throughput = gpu_throughput(machine, d);
    a.gpu_power = d.mode == Mode::primal ? machine.h100_power.si : machine.a100_power.si;
    return a;
}

}  // namespace pimdse::models::cim_mesh
