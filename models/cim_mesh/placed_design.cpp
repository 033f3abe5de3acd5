#include "models/cim_mesh/placed_design.hpp"

#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/power.hpp"

#include <array>
#include <utility>

namespace pimdse::models::cim_mesh {

namespace {

/// Takes the hubs with the lowest latency on the placed layer: every rule for the attention with every rule for the
/// feed-forward part. Of equal ones the first, so that the centroids stay unless others are faster.
template <class Latency>
void move_hubs(Floor& floor, MachineConstants const& machine, Memory const& memory, LayerKey key,
               Latency const& latency) {
    auto best = latency(floor.layer);
    constexpr std::array rules{Hubs::centroid, Hubs::median, Hubs::center};
    for (auto const attention : rules) {
        for (auto const ffn : rules) {
            key.attention_hub = attention;
            key.ffn_hubs = ffn;
            auto const layer = memory.layers.get(machine, key);
            auto const now = latency(layer);
            if (!(now < best)) continue;
            best = now;
            floor.layer = layer;
        }
    }
}

/// The placement of one kind. `latency` of a placed layer, which fits, is that of the request.
template <class Latency>
Floor layout_of(MachineConstants const& machine, Memory const& memory, KindOnMesh const& kind, Fidelity fidelity,
                Latency const& latency) {
    auto const& [design, partition] = kind;
    auto const packed = layer_key(machine, design, partition, packed_genes(partition));
    auto key = packed;
    Floor floor;
    if (design.placement == PlacementChoice::genes) key.genes = chosen_genes(design, partition);
    bool const searched = design.searches_placement();
    floor.open = (searched || design.hubs == Hubs::searched) && fidelity == Fidelity::analytic;
    if (searched && floor.open) floor.gain = {0.0, 0.0, 1.0, sim::Bound::proved};
    if (design.searches_placement() && !floor.open) {
        auto const& found = memory.searches.get({packed, judge_of(design)}, search_placement, machine);
        key.genes = found.genes;
        floor.gain = found.gain;
    }
    floor.layer = memory.layers.get(machine, key);
    bool const judged = design.placement == PlacementChoice::judged && !floor.open;
    if (auto const before = judged ? memory.layers.get(machine, packed) : nullptr; before && before->fits()) {
        // A layer that does not fit has no latency: only placements that exist are compared.
        if (!floor.layer->fits() || latency(before) <= latency(floor.layer)) {
            floor.layer = before;
            key.genes = packed.genes;
            floor.gain = 0.0;
        }
    }
    if (design.placement == PlacementChoice::genes && floor.layer->fits()) {
        auto const before = memory.layers.get(machine, packed);
        floor.gain = placement_gain(machine, *floor.layer, *before, judge_of(design));
    }
    if (design.hubs == Hubs::searched && !floor.open && floor.layer->fits())
        move_hubs(floor, machine, memory, key, latency);
    floor.genes = std::move(key.genes);
    return floor;
}

}  // namespace

/// Kinds are placed one after the other. Where latencies are compared, the other kinds have the placements that were
/// chosen for them, or are packed, so that no choice makes the request slower.
std::vector<Floor> layout(MachineConstants const& machine, Memory const& memory, std::vector<KindOnMesh> const& kinds,
                          Fidelity fidelity) {
    CyclesOfKinds first, later;
    auto const take = [&](std::size_t i, std::shared_ptr<PlacedLayer const> const& layer) {
        Floor const floor{{}, {}, false, layer};
        PlacedKind const placed(machine, kinds[i], floor, fidelity);
        first[i] = sum_of(placed.parts(first_pass(kinds[i].design)).parts);
        later[i] = sum_of(placed.parts(later_pass(machine, kinds[i].design)).parts);
    };
    auto const start = [&] {
        first.resize(kinds.size());
        later.resize(kinds.size());
        for (std::size_t i = 0; kinds.size() > 1 && i < kinds.size(); ++i) {
            auto const& [design, partition] = kinds[i];
            auto const packed =
                memory.layers.get(machine, layer_key(machine, design, partition, packed_genes(partition)));
            if (packed->fits()) take(i, packed);
        }
    };
    std::vector<Floor> floors;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        floors.push_back(layout_of(machine, memory, kinds[i], fidelity, [&](auto const& layer) {
            if (first.empty()) start();
            take(i, layer);
            auto const times = times_of(machine, kinds, first, later);
            return times.ttft.value + times.rest.value;
        }));
        if (!first.empty() && kinds.size() > 1 && floors[i].layer->fits()) take(i, floors[i].layer);
    }
    return floors;
}

BatchPasses batch_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds, CyclesOfKinds const& cycles,
                     double heads) {
    auto const& d = kinds.front().design;
    BatchPasses batch{d.sequences()};
    for (std::size_t i = 0; i < kinds.size(); ++i)
        batch.kinds.push_back({static_cast<double>(kinds[i].design.model->layers), cycles[i] / d.frequency});
    batch.head = head_cycles(machine, d, kinds.front().partition, heads) / d.frequency;
    return batch;
}

AdapterSwap swap_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds) {
    AdapterSwap swap;
    swap.batches = kinds.front().design.batches_per_swap();
    for (auto const& [design, partition] : kinds)
        swap.kinds.push_back({static_cast<double>(design.model->layers), reprogram_time(machine, design, partition)});
    return swap;
}

RequestTimes times_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds, CyclesOfKinds const& first,
                      CyclesOfKinds const& later) {
    auto const& [d, p] = kinds.front();
    auto const prompts = batch_of(machine, kinds, first, first_heads(d));
    auto const before = programming(machine, d, p).time + swap_of(machine, kinds).before(prompts);
    return {before + prompts.alone(), d.later_passes() * batch_of(machine, kinds, later, later_heads(d)).round()};
}

void add_rest(MachineConstants const& machine, PlacedDesign const& placed, Standby& to) {
    for (std::size_t i = 0; i < placed.kinds.size(); ++i) {
        auto const& [d, p] = placed.kinds[i];
        auto const columns = placed.layouts[i].layer->placement().used_cols;
        static_power(machine, d, p, powered(machine, d, p, columns))
            .rest.each(1.0, {}, [&](EnergyPart part, sim::Bounded const& watts) { to.add(part, watts.value); });
    }
}

std::optional<Infeasible> first_broken(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds) {
    for (auto const& [design, parts] : kinds)
        if (auto rule = broken_rule(machine, design, parts)) return rule;
    return std::nullopt;
}

PlacedDesign placed(Prepared const& prepared, Design const& all, Fidelity fidelity,
                    std::function<Design(Design)> const& served) {
    auto const& machine = prepared.machine;
    PlacedDesign c{kinds_of(all, machine.value_bits)};
    for (auto const& [design, parts] : c.kinds) {
        c.broken = broken_rule(machine, served(design), parts);
        if (c.broken) return c;
        if (design.placement != PlacementChoice::genes) continue;
        auto why = why_no_rectangles(ground_of(design, parts), chosen_genes(design, parts));
        if (why.empty()) continue;
        c.broken = Infeasible{"placement", std::move(why)};
        return c;
    }
    c.layouts = layout(machine, prepared.memory, c.kinds, fidelity);
    for (std::size_t i = 0; i < c.kinds.size() && !c.broken; ++i) {
        auto const& [design, parts] = c.kinds[i];
        if (!c.layouts[i].layer->fits())
            c.broken = Infeasible{"placement", why_no_room(ground_of(design, parts), parts, c.layouts[i].genes)};
    }
    return c;
}

}  // namespace pimdse::models::cim_mesh
