#include "models/cim_mesh/result.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/searched_schedule.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "models/contract/common_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <array>
#include <utility>

namespace pimdse::models::cim_mesh {

namespace {

KindPasses passes_of(MachineConstants const& machine, KindOnMesh const& kind, LayerTime const& layer) {
    return {&kind.design,
            &kind.partition,
            {layer.prefill_total(), layer.decode_total(), head_cycles(machine, kind.design, kind.partition),
             later_head_cycles(machine, kind.design, kind.partition)}};
}

double headroom(MachineConstants const& machine, Design const& d, Partition const& p) {
    KvCache const cache(machine, d, p);
    auto const needed = cache.needed_by_all(max_keys(d, d.longest_context()));
    return needed == 0 ? 1.0 : 1.0 - static_cast<double>(needed) / static_cast<double>(cache.capacity());
}

/// Cycles of a layer for a prompt, from service times alone.
double services_of_prompt(MachineConstants const& machine, Design const& d, Partition const& p,
                          MeshCounts const& counts) {
    ClosedForm const form(machine, d, p, counts);
    std::int64_t const tokens = prompt_tokens(d);
    return (d.diffuses() ? form.pass(static_cast<double>(tokens), tokens) : form.prefill(tokens)).total();
}

/// Energy over time. Its lower bound is the power of the waiting machine, which is tighter than the quotient of bounds.
sim::Bounded mean_power(sim::Bounded const& joules, sim::Bounded const& seconds, sim::Bounded const& idle,
                        double rounding) {
    auto const quotient = joules / seconds;
    if (quotient.is_exact()) return quotient;
    return {quotient.value, std::min(quotient.value, idle.lower * (1.0 - rounding)), quotient.upper,
            sim::BoundKinds{sim::Bound::proved, quotient.kinds.upper}};
}

/// Sets what follows from times and energies of the whole request.
void add_request(Result& a, Design const& d, Partition const& p, double rounding) {
    auto const& time = a.time;
    auto const mean = [&](sim::Bounded const& joules, sim::Bounded const& seconds) {
        return mean_power(joules, seconds, a.idle_power, rounding);
    };
    a.latency = time.latency;
    a.ttft = time.ttft;
    a.itl = time.itl;
    a.tokens = d.output_tokens();
    a.energy = sum_of(a.spent.rows);
    auto tiles = a.spent.rows;
    std::erase_if(tiles, [](RowEnergy const& row) { return row.what.row == energy_row("host_compute"); });
    a.power = mean(a.energy, time.latency);
    a.prefill_power = a.peak_power = mean(sum_of(a.spent.rows, &RowEnergy::prefill), time.ttft);
    auto all_tiles = mean(sum_of(tiles, &RowEnergy::prefill), time.ttft);
    if (d.later_passes() > 0.0) {
        a.decode_power = mean(sum_of(a.spent.rows, &RowEnergy::decode), time.rounds);
        a.peak_power = larger(a.prefill_power, a.decode_power);
        all_tiles = larger(all_tiles, mean(sum_of(tiles, &RowEnergy::decode), time.rounds));
    }
    // Requests use all layers equally; the power of the idle tables is small.
    a.package_power = all_tiles / static_cast<double>(p.all_layer_tiles);
    a.waiting_power = a.idle_power;  // nothing is powered down without a request
}

/// Quantities that depend on the placement: times of a layer with its own schedule and with tree collectives, and
/// counts.
struct OnFloor {
    LayerTime layer, tree;
    MeshCounts counts, min;  ///< `min` is for an open floor only
    sim::Bounded prompt;     ///< cycles of a layer for a prompt, at the pace of the service times
    sim::Bounded prompt_link, busiest_link, columns;
    Schedule first = Schedule::serial, later = Schedule::serial;  ///< of attention, by phase
    bool undecided = false;  ///< another schedule may be the faster one: energy has the bounds of both
};

/// Adds the time of the host to start a layer of a pass.
LayerTime started(LayerTime time, Design const& d) {
    double const cycles = d.layer_overhead * d.frequency;
    for (auto* parts : {&time.prefill, &time.decode, &time.last})
        parts->push_back({"launch of the layer", cycles, true});
    return time;
}

/// Adds the same and the time of the commands of a layer.
LayerTime launched(LayerTime time, MachineConstants const& machine, Design const& d, Partition const& p) {
    time = started(std::move(time), d);
    auto const tokens = static_cast<double>(prompt_tokens(d));
    // The mean token of a prompt has half of its keys; a step of denoising all.
    auto const prompt = commands_of(d, p, d.diffuses() ? tokens : mean_prompt_keys(d, prompt_tokens(d)));
    auto const later = d.diffuses() ? prompt : mean_commands(d, p);
    double const positions = d.diffuses() ? later_queries(d) : d.pass_positions();
    time.prefill.push_back({"issue of commands", issue_cycles(machine, d, prompt, tokens), true});
    time.decode.push_back({"issue of commands", issue_cycles(machine, d, later, positions), true});
    return time;
}

/// Trees add in the routers: next to them a shared aggregator is for comparison only.
Design with_trees(Design d) {
    if (d.shares_aggregator()) d.dynamic_products = DynamicProducts::routers;
    return d;
}

/// The values of all parts, without their bounds.
LayerTime without_bounds(LayerTime time) {
    for (auto* parts : {&time.prefill, &time.decode})
        for (auto& part : *parts) part.cycles = part.cycles.value;
    return time;
}

/// Bounds for an unknown placement: the value is that of the packed layer, the lower bound is `min` (proved), the upper
/// bound is calibrated.
sim::Bounded opened(MachineConstants::Allowances const& allowed, sim::Bounded const& packed, double min) {
    double const lower = std::min(packed.value, min * (1.0 - allowed.rounding_share));
    return {
        packed.value, lower, packed.upper * allowed.searched_upper_bound, {sim::Bound::proved, sim::Bound::calibrated}};
}

std::vector<LayerPart> opened(MachineConstants::Allowances const& allowed, std::vector<LayerPart> const& packed,
                              std::vector<LayerPart> const& min) {
    sim::expects(packed.size() == min.size(), "a layer has the same parts for every placement");
    auto parts = packed;
    double limited = 0.0, least = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].by_unit) {
            limited += packed[i].cycles.value;
            least += min[i].cycles.value;
        } else if (!parts[i].settled) {
            parts[i].cycles = opened(allowed, packed[i].cycles, min[i].cycles.value);
        }
    }
    // Other units may limit the tokens at the lower bound: it is one of their sum, divided in proportion.
    for (auto& part : parts)
        if (part.by_unit && limited > 0.0)
            part.cycles = opened(allowed, part.cycles, part.cycles.value / limited * least);
    return parts;
}

/// The same for every part of a layer.
LayerTime opened(MachineConstants::Allowances const& allowed, LayerTime const& packed, LayerTime const& min) {
    return {opened(allowed, packed.prefill, min.prefill), opened(allowed, packed.decode, min.decode)};
}

/// The parts of a layer with either schedule: on a placement, or the least on any.
struct EitherSchedule {
    std::function<LayerTime(Design const&)> serial, tree;

    /// With that of the design, or with the faster of both.
    [[nodiscard]] ScheduledLayer of(MachineConstants const& machine, Design const& d, Partition const& p) const {
        if (d.searches_schedule())
            return faster_layer(machine, d, p, started(serial(d.running(Schedule::serial)), d),
                                started(tree(d.running(Schedule::tree)), d));
        auto layer = d.schedule == Schedule::serial ? serial(d) : tree(d);
        return {launched(std::move(layer), machine, d, p), d.schedule, d.schedule};
    }
};

/// The design whose layers are compared with those of tree collectives.
Design compared_with_trees(Design const& d) { return d.searches_schedule() ? d.running(Schedule::serial) : d; }

/// With the serial schedule, tree collectives are for comparison only: their closed form is used at every fidelity.
OnFloor on_floor(MachineConstants const& machine, Design const& d, Partition const& p, PlacedLayer const& layer,
                 Fidelity fidelity) {
    OnFloor f;
    auto const own = compared_with_trees(d);
    f.counts = count_mesh(machine, own, p, layer);
    auto const trees = [&](Design const& of, Fidelity at) { return tree_layer(machine, of, p, layer, f.counts, at); };
    EitherSchedule const either{
        [&](Design const& of) { return serial_layer(machine, of, p, layer, f.counts, fidelity); },
        [&](Design const& of) { return trees(of, fidelity); }};
    auto chosen = either.of(machine, d, p);
    f.layer = std::move(chosen.time);
    f.first = chosen.first;
    f.later = chosen.later;
    f.undecided = d.searches_schedule() && fidelity == Fidelity::analytic;
    f.tree = own.schedule == Schedule::tree
                 ? f.layer
                 : without_bounds(launched(trees(with_trees(own), Fidelity::analytic), machine, own, p));
    // The pace of the service times is the same at every fidelity.
    bool const paced = d.schedule == Schedule::serial;
    f.prompt = paced ? sim::Bounded(services_of_prompt(machine, d, p, f.counts)) : f.layer.prefill_total();
    double const shared = vector_flits(machine, own) * shared_on_a_link(own, p);
    f.prompt_link = f.counts.prompt_link + shared;
    f.busiest_link = f.counts.busiest_link + shared;
    f.columns = static_cast<double>(layer.placement().used_cols);
    return f;
}

/// Widens the quantities to bounds that hold for every placement.
void open(OnFloor& f, MachineConstants const& machine, Design const& d, Partition const& p,
          LayerLowerBound const& min) {
    bool const serial = d.schedule == Schedule::serial;
    auto const counts = f.min = min_counts(machine, d, p, min);
    auto const own = compared_with_trees(d);
    EitherSchedule const least{[&](Design const& of) { return serial_layer_lower_bound(machine, of, p, min, counts); },
                               [&](Design const& of) { return tree_layer_lower_bound(machine, of, p, min, counts); }};
    auto const& allowed = machine.allowance;
    double const flits = vector_flits(machine, d), max = flits * static_cast<double>(min.max_on_a_link());
    f.layer = opened(allowed, f.layer, least.of(machine, d, p).time);
    f.tree = own.schedule == Schedule::tree
                 ? f.layer
                 : opened(allowed, f.tree, launched(least.tree(with_trees(own)), machine, own, p));
    f.prompt = serial ? opened(allowed, f.prompt, services_of_prompt(machine, d, p, counts)) : f.layer.prefill_total();
    double const shared = flits * shared_on_a_link(d, p);
    f.prompt_link = {f.prompt_link.value, counts.prompt_link + shared, max + shared, sim::Bound::proved};
    f.busiest_link = {f.busiest_link.value, counts.busiest_link + shared, max + shared, sim::Bound::proved};
    f.columns = {f.columns.value, static_cast<double>(min.min_columns()), static_cast<double>(min.max_columns()),
                 sim::Bound::proved};
}

/// Energy [J] of a row on an open floor: the value is that of the packed layer, the bounds are `min` and `max` over all
/// placements.
sim::Bounded opened_row(MachineConstants::Allowances const& allowed, sim::Bounded const& packed, double min,
                        double max) {
    if (!applies(packed) || (min == packed.lower && max == packed.upper)) return packed;
    double const lower = std::min(packed.value, min * (1.0 - allowed.rounding_share));
    return {packed.value, lower, std::max(packed.value, max), {sim::Bound::proved, sim::Bound::calibrated}};
}

/// Widens a quantity so that its bounds hold for another program as well.
sim::Bounded with(sim::Bounded const& one, sim::Bounded const& other) {
    if (!applies(one) || (one.is_exact() && other.is_exact() && one.value == other.value)) return one;
    return {one.value, std::min(one.lower, other.lower), std::max(one.upper, other.upper),
            sim::BoundKinds{sim::Bound::proved, sim::Bound::calibrated}};
}

/// Widens energies so that their bounds hold for another program as well.
BatchEnergy with(BatchEnergy a, BatchEnergy const& other) {
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        a.rows[i].prefill = with(a.rows[i].prefill, other.rows[i].prefill);
        a.rows[i].decode = with(a.rows[i].decode, other.rows[i].decode);
    }
    a.events = with(a.events, other.events);
    for (auto const unit : {&UnitPower::crossbar, &UnitPower::adapter, &UnitPower::scratchpad, &UnitPower::router})
        a.units.*unit = with(a.units.*unit, other.units.*unit);
    return a;
}

/// Widens energies on an open floor: `min` and `max` have the bounds of all placements.
void widen(BatchEnergy& a, MachineConstants::Allowances const& allowed, BatchEnergy const& min,
           BatchEnergy const& max) {
    double const any_route = allowed.searched_upper_bound;
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        auto& row = a.rows[i];
        // Routes of other placements may be longer by the same factor as times.
        double const longer = row.what.row == energy_row("interconnect") ? any_route : 1.0;
        row.prefill = opened_row(allowed, row.prefill, min.rows[i].prefill.lower, longer * max.rows[i].prefill.upper);
        row.decode = opened_row(allowed, row.decode, min.rows[i].decode.lower, longer * max.rows[i].decode.upper);
    }
    auto& units = a.units;
    units.scratchpad = opened_row(allowed, units.scratchpad, min.units.scratchpad.lower, max.units.scratchpad.upper);
    units.router = opened_row(allowed, units.router, min.units.router.lower, any_route * max.units.router.upper);
    a.events = opened_row(allowed, a.events, min.events.lower, any_route * a.events.upper);
}

/// Adds energy and power, which depend on the placement by the powered mesh columns and the routes of vectors.
void add_power(Result& a, MachineConstants const& machine, Design const& d, Partition const& p, OnFloor const& f,
               bool open) {
    auto const over_columns = [&](auto const& quantity) {
        return over(f.columns, [&](double used) { return quantity(powered(machine, d, p, sim::whole_part(used))); });
    };
    auto const pair = pair_power(machine, d);
    a.static_power = over_columns([&](Powered const& pairs) { return average_power(pairs, pair); });
    a.idle_power = over_columns([&](Powered const& pairs) { return static_power(machine, d, p, pairs).rest.idle(); });
    a.paper_power = over(a.static_power, [&](double power) { return paper_power(machine, d, pair, power); });
    auto bare = pair;
    bare.gated = false;
    a.ungated_power = over_columns([&](Powered const& pairs) { return average_power(pairs, bare); });
    auto const energies = [&](MeshCounts const& counts, double columns, Schedule first, Schedule later) {
        BatchWork const work{event_energy(machine, d, p), first_events(machine, d.running(first), p, counts),
                             later_events(machine, d.running(later), p, counts),
                             static_power(machine, d, p, powered(machine, d, p, sim::whole_part(columns)))};
        return energies_of(machine, d, p, work, a.time);
    };
    auto const of_one = [&](MeshCounts const& counts, double columns, Schedule schedule) {
        return energies(counts, columns, schedule, schedule);
    };
    a.spent = energies(f.counts, f.columns.value, f.first, f.later);
    if (f.undecided) {
        for (auto const schedule : {Schedule::serial, Schedule::tree})
            a.spent = with(std::move(a.spent), of_one(f.counts, f.columns.value, schedule));
    }
    if (!open) return;
    auto const extremes = [&](MeshCounts const& counts, double columns) {
        if (!f.undecided) return energies(counts, columns, f.first, f.later);
        return with(of_one(counts, columns, Schedule::serial), of_one(counts, columns, Schedule::tree));
    };
    widen(a.spent, machine.allowance, extremes(f.min, f.columns.lower), extremes(f.counts, f.columns.upper));
}

/// Takes the hubs with the lowest latency on the placed layer: every rule for the attention with every rule for the
/// feed-forward part. Of equal ones the first, so that the centroids stay unless others are faster.
template <class Latency>
void move_hubs(Floor& floor, MachineConstants const& machine, Memory const& memory, LayerKey key,
               Latency const& latency) {
    auto best = latency(*floor.layer);
    constexpr std::array rules{Hubs::centroid, Hubs::median, Hubs::center};
    for (auto const attention : rules) {
        for (auto const ffn : rules) {
            key.attention_hub = attention;
            key.ffn_hubs = ffn;
            auto const layer = memory.layers.get(machine, key);
            auto const now = latency(*layer);
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
        if (!floor.layer->fits() || latency(*before) <= latency(*floor.layer)) {
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

/// The result of one kind of layers, without means over the request. `time` is that of the request.
Result result_of_kind(MachineConstants const& machine, KindOnMesh const& kind, Floor const& layout, OnFloor f,
                      RequestTime const& time) {
    auto const& [d, p] = kind;
    Result a;
    a.time = time;
    add_power(a, machine, d, p, f, layout.open);
    a.tile = tile_area(machine, d, p);
    a.kv_headroom = headroom(machine, d, p);
    a.busiest_link = f.busiest_link;
    auto const tokens = static_cast<double>(prompt_tokens(d));
    auto const occupied =
        over(f.prompt_link, [&](double flits) { return Services(machine, d, p).busiest_link(flits) * tokens; });
    // Tokens that would load it more wait; a single token waits for nothing.
    a.prompt_load = over(occupied / f.prompt, [&](double load) { return std::min(load, machine.open_loop_share); });
    a.precision = machine.value_bits;
    a.footprint = adapter_bytes(d, p);
    a.adapter_weights = adapter_bytes(d, p) * MachineConstants::bits_per_byte / machine.value_bits;
    a.commands = mean_commands(d, p);
    a.command_bytes = command_bytes(machine, d, p);
    a.placement_gain = layout.gain;
    a.area = static_cast<double>(p.total_tiles) * a.tile.tile() + dynamic_area(machine, d, p);
    a.memory_area = 0.0;
    a.cell_life = d.dynamic_products == DynamicProducts::reprogram
                      ? over(a.time.latency, [&](double latency) { return cell_life(machine, d, latency); })
                      : does_not_apply();
    auto const data = attention_data(*d.model, d.longest_context());
    a.static_data = data.fixed;
    a.dynamic_data = data.dynamic;
    a.layers.push_back(std::move(f.layer));
    return a;
}

/// Adds the rows of another kind, which may have other ones.
void add_rows(std::vector<RowEnergy>& rows, std::vector<RowEnergy> const& more) {
    for (auto const& row : more) {
        auto const same =
            std::ranges::find(rows, row.what.name, [](RowEnergy const& known) { return known.what.name; });
        if (same == rows.end()) {
            rows.push_back(row);
            continue;
        }
        same->prefill += row.prefill;
        same->decode += row.decode;
    }
}

/// Adds another kind of layers.
void add_kind(Result& a, Design const& d, Result more) {
    a.layers.push_back(std::move(more.layers.front()));
    add_rows(a.spent.rows, more.spent.rows);
    a.spent.events += more.spent.events;
    for (sim::Bounded Result::*const sum : std::initializer_list<sim::Bounded Result::*>{
             &Result::idle_power, &Result::static_power, &Result::ungated_power, &Result::area, &Result::footprint})
        a.*sum += more.*sum;
    a.adapter_weights += more.adapter_weights;
    a.kv_headroom = std::min(a.kv_headroom, more.kv_headroom);
    a.busiest_link = larger(a.busiest_link, more.busiest_link);
    a.prompt_load = larger(a.prompt_load, more.prompt_load);
    if (applies(a.cell_life)) a.cell_life = smaller(a.cell_life, more.cell_life);
    if (!d.is_leap()) a.paper_power = a.static_power;
}

/// Share of static power that gating saves. Both powers grow with the mesh columns, and the share changes with them in
/// one direction.
sim::Bounded saved(sim::Bounded const& gated, sim::Bounded const& ungated) {
    auto const at = [&](double sim::Bounded::*end) { return 1.0 - gated.*end / (ungated.*end); };
    double const at_lower = at(&sim::Bounded::lower), at_upper = at(&sim::Bounded::upper);
    return {at(&sim::Bounded::value), std::min(at_lower, at_upper), std::max(at_lower, at_upper), gated.kinds};
}

}  // namespace

/// Kinds are placed one after the other. Where latencies are compared, the other kinds have the placements that were
/// chosen for them, or are packed, so that no choice makes the request slower.
std::vector<Floor> layout(MachineConstants const& machine, Memory const& memory, std::vector<KindOnMesh> const& kinds,
                          Fidelity fidelity) {
    std::vector<KindPasses> passes;
    auto const passes_on = [&](std::size_t i, PlacedLayer const& layer) {
        auto const& [design, partition] = kinds[i];
        return passes_of(machine, kinds[i], on_floor(machine, design, partition, layer, fidelity).layer);
    };
    auto const start = [&] {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            auto const& [design, partition] = kinds[i];
            auto const packed =
                memory.layers.get(machine, layer_key(machine, design, partition, packed_genes(partition)));
            passes.push_back(kinds.size() > 1 && packed->fits() ? passes_on(i, *packed)
                                                                : KindPasses{&design, &partition, {}});
        }
    };
    std::vector<Floor> floors;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        floors.push_back(layout_of(machine, memory, kinds[i], fidelity, [&](PlacedLayer const& layer) {
            if (passes.empty()) start();
            passes[i] = passes_on(i, layer);
            return compose(machine, passes).latency.value;
        }));
        if (!passes.empty() && kinds.size() > 1 && floors[i].layer->fits()) passes[i] = passes_on(i, *floors[i].layer);
    }
    return floors;
}

Result result_of(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                 std::vector<Floor> const& layouts, Fidelity fidelity) {
    std::vector<OnFloor> floors;
    std::vector<KindPasses> passes, ideal;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        auto const& [d, p] = kinds[i];
        auto const& placed = *layouts[i].layer;
        floors.push_back(on_floor(machine, d, p, placed, fidelity));
        if (layouts[i].open) open(floors[i], machine, d, p, LayerLowerBound(machine, placed.program().key()));
        passes.push_back(passes_of(machine, kinds[i], floors[i].layer));
        ideal.push_back(passes_of(machine, kinds[i], floors[i].tree));
    }
    auto const time = compose(machine, passes);
    Result all;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        auto one = result_of_kind(machine, kinds[i], layouts[i], std::move(floors[i]), of_kind(time, passes[i]));
        if (i == 0)
            all = std::move(one);
        else
            add_kind(all, kinds[i].design, std::move(one));
    }
    all.on = kinds.data();
    all.ideal = compose(machine, ideal);
    all.saving = saved(all.static_power, all.ungated_power);
    add_request(all, kinds.front().design, kinds.front().partition, machine.allowance.rounding_share);
    return all;
}

Design design_of(Prepared const& prepared, Point point) {
    return on_its_machine(prepared.machine, read_design(prepared.bindings, point));
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

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    return std::shared_ptr<Prepared const>(new Prepared{load_constants(options), bind_choices(parameters), {}});
}

}  // namespace pimdse::models::cim_mesh
