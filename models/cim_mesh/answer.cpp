#include "models/cim_mesh/answer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/layer/head.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"

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

/// Energy over latency: never below what the machine draws while it waits, which is closer than the quotient of ends.
sim::Bounded power_of(Answer const& a, double rounding) {
    auto const quotient = sum_of(a.energy) / a.time.latency;
    if (quotient.is_exact()) return quotient;
    return {quotient.value, std::min(quotient.value, a.idle_power * (1.0 - rounding)), quotient.high,
            sim::BoundKinds{sim::Bound::proved, quotient.kinds.high}};
}

}  // namespace

Floor layout(MachineConstants const& machine, Memory const& memory, Design const& design, Partition const& partition) {
    auto const packed = layer_key(design, partition, packed_genes(partition));
    auto key = packed;
    Floor floor;
    if (design.placement == PlacementChoice::genes) key.genes = chosen_genes(design, partition);
    if (design.placement == PlacementChoice::searched) {
        auto const& found = memory.searches.get({packed, judge_of(design)}, search_placement, machine);
        key.genes = found.genes;
        floor.gain = found.gain;
    }
    floor.layer = memory.layers.get(machine, key);
    if (design.placement == PlacementChoice::genes && floor.layer->fits()) {
        auto const before = memory.layers.get(machine, packed);
        floor.gain = placement_gain(machine, *floor.layer, *before, judge_of(design));
    }
    floor.genes = std::move(key.genes);
    return floor;
}

Answer answer(MachineConstants const& machine, Design const& d, Partition const& p, Floor const& layout,
              Fidelity fidelity) {
    Answer a;
    bool const serial = d.schedule == Schedule::serial;
    // Under the serial schedule the ideal is a comparison: its closed form at every fidelity.
    auto const& layer = *layout.layer;
    auto const counts = count_mesh(machine, d, p, layer);
    auto const tree = tree_layer(machine, d, p, layer, counts, serial ? Fidelity::analytic : fidelity);
    a.layer = serial ? serial_layer(machine, d, p, layer, counts, fidelity) : tree;
    a.time = time_of(machine, d, p, a.layer);
    a.ideal = time_of(machine, d, p, tree);
    a.pair = pair_power(machine, d);
    auto const pairs = powered(machine, d, p, layer.placement());
    a.static_power = average_power(pairs, a.pair);
    a.idle_power = idle_power(pairs, a.pair);
    a.paper_power = paper_power(machine, d, a.pair, a.static_power);
    a.energy = energy_rows_of(machine, p, pairs, a.pair, a.time);
    a.power = power_of(a, machine.allowance.rounding_share);
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
    double const occupied = saturated_cycles(a.prompt_link, vector_flits(machine, d)) * static_cast<double>(tokens);
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
