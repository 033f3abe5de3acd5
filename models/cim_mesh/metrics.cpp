#include "models/cim_mesh/metrics.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/commands.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/power.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <numeric>

namespace pimdse::models::cim_mesh {
namespace {

/// What the metrics of a served mesh follow from, in SI units.
struct Figures {
    Design const& design;
    Partition const& partition;
    RequestResult const& common;
    sim::Bounded first_ttft{};
    RequestTimes ideal{};  ///< with tree collectives
    MacroArea tile{};
    std::array<sim::Bounded, 4> units{does_not_apply(), does_not_apply(), does_not_apply(), does_not_apply()};  ///< W
    sim::Bounded events{};                                                                                      ///< J
    sim::Bounded static_power{};  ///< as in PRIMAL's table
    sim::Bounded paper_power{};   ///< of the macros that the paper counts
    sim::Bounded saving{};
    double kv_headroom = 1.0;     ///< of the fullest kind
    sim::Bounded busiest_link{};  ///< flits, of the worst kind
    sim::Bounded prompt_load{};   ///< load of the busiest link by a prompt, as a share of its saturated throughput
    double adapter_weights = 0.0;
    LayerCommands commands{};
    double command_bytes = 0.0;
    sim::Bounded placement_gain{};
    sim::Bounded cell_life{};  ///< s; does not apply unless RRAM cells are written
    AttentionData data{};      ///< elements of a layer's attention
};
using Table = MetricTable<Figures>;

Estimate number(std::same_as<std::int64_t> auto whole) { return static_cast<double>(whole); }
Estimate number(Estimate const& estimate) { return estimate; }

/// A member of the figures, or of a member of them.
template <auto... path>
Estimate of(Figures const& r) {
    return number((r.*....*path));
}

/// A member of the partition of the first kind of layers.
template <auto member>
Estimate of_layer(Figures const& r) {
    return number(r.partition.*member);
}

void add_figures(Table& table) {
    table.row({"first_ttft", "s", "from the request until the first sequence of the batch has its first token"},
              of<&Figures::first_ttft>);
    table.row(over(OverDevices::all_devices, {"static_power", "W",
                                              "power as in PRIMAL's table, from published powers of states, not from "
                                              "events: one layer active, the others and the tables idle"}),
              of<&Figures::static_power>);
    table.row(over(OverDevices::all_devices, {"paper_power", "W",
                                              "leap-a, leap-d: power as in LEAP, of 65,536 macros (leap-d: twice as "
                                              "many) for every model; otherwise static_power"}),
              of<&Figures::paper_power>);
    table.row({"paper_tokens_per_joule", "1/J", "throughput_with_prompt over paper_power", maximize},
              [](Figures const& r) {
                  auto const tokens = static_cast<double>(r.design.batch * r.design.longest_context());
                  return tokens / r.common.latency / r.paper_power;
              });
}

constexpr std::size_t of_router = 3;
template <std::size_t macro>
Estimate unit(Figures const& r) {
    return r.units[macro];
}

/// Power of the macros in Table IV, from events; these metrics need later passes.
void add_unit_powers(Table& table) {
    auto const row = [&](char const* name, char const* meaning, auto get) {
        table.row(needing({name, "W", meaning, minimize, true}, {needs_more_than("output", 1)}), get);
    };
    row("crossbar_power",
        "one RRAM crossbar of an active layer (of the first kind), mean over decoding: products and static power",
        unit<0>);
    row("adapter_power", "the same for one SRAM-DCIM with an adapter; 0 without adapters", unit<1>);
    row("scratchpad_power", "the same for one scratchpad", unit<2>);
    row("router_power", "the same for one router: hops, products and sums", unit<of_router>);
    row("pair_power", "these four together: a pair with an adapter",
        [](Figures const& r) { return std::accumulate(r.units.begin() + 1, r.units.end(), r.units.front()); });
}

/// A member of the area of a tile, for one of its pairs.
template <auto member>
Estimate per_pair(Figures const& r) {
    return std::invoke(member, r.tile) / static_cast<double>(r.design.pairs_per_tile());
}

/// Area of the macros in Table IV: one pair of a compute tile.
void add_unit_areas(Table& table) {
    table.row({"crossbar_area", "m2", "one RRAM crossbar with its converters"}, per_pair<&MacroArea::rram>);
    table.row({"adapter_area", "m2", "one SRAM-DCIM"}, per_pair<&MacroArea::sram>);
    table.row({"scratchpad_area", "m2", "the scratchpad of a pair"}, per_pair<&MacroArea::scratchpad>);
    table.row({"router_area", "m2", "the router of a pair: FIFOs, links, multipliers, softmax unit"},
              per_pair<&MacroArea::routers>);
    table.row({"pair_area", "m2", "crossbar, SRAM-DCIM, scratchpad and router of a pair"}, per_pair<&MacroArea::pairs>);
}

void add_layer(Table& table) {
    table.row({"tiles", "1", "crossbars of one layer (of the first kind)"}, of_layer<&Partition::tiles>);
    table.row({"adds", "1",
               "partial-sum additions of one layer (of the first kind): sum of (rows - 1) x columns with weights"},
              of_layer<&Partition::adds>);
    table.row(
        {"commands", "1",
         "commands of the main controller for a decoded token of a layer (of the first kind), at the mean context"},
        of<&Figures::commands, &LayerCommands::executed>);
    table.row(
        {"command_memory", "B", "instruction memory for the commands of a layer (of the first kind)", minimize, true},
        of<&Figures::command_bytes>);
    table.row({"compute_tiles", "1", "compute tiles of one layer (of the first kind), exact"},
              of_layer<&Partition::compute_tiles>);
    table.row({"kv_headroom", "1",
               "share of the KV pool of a layer (of the fullest kind) that is free at the longest context", maximize},
              of<&Figures::kv_headroom>);
}

void add_details(Table& table) {
    table.row({"max_link_load", "flits",
               "flits per decoded token on the busiest link of a layer (of the worst kind), tree collectives at the "
               "mean context",
               minimize, true},
              of<&Figures::busiest_link>);
    table.row({"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
              of<&Figures::ideal, &RequestTimes::ttft>);
    table.row(
        needing({"ideal_itl", "s", "itl under ideal tree collectives", minimize, true}, {needs_more_than("output", 1)}),
        [](Figures const& r) -> Estimate {
            return r.design.output == 1 ? does_not_apply() : r.ideal.rest / static_cast<double>(r.design.output - 1);
        });
    table.row({"srpg_saving", "1", "share of static_power that gating saves", maximize}, of<&Figures::saving>);
    table.row({"placed_tiles", "1", "compute tiles one layer (of the first kind) occupies"},
              of_layer<&Partition::placed_tiles>);
    table.row(
        over(OverDevices::all_devices, {"total_tiles", "1", "compute tiles of all layers, embedding and LM head"}),
        of_layer<&Partition::all_tiles>);
    table.row({"tile_area", "m2", "one compute tile (of the first kind of layers)"},
              [](Figures const& r) -> Estimate { return r.tile.tile(); });
    table.row(
        over(OverDevices::request,
             {"activity_energy", "J", "energy of events alone: without leakage, clocks and control", minimize, true}),
        of<&Figures::events>);
    table.row(over(OverDevices::all_devices,
                   {"adapter_weights", "1",
                    "number of weights of all LoRA adapters, which can be trained on the machine", maximize}),
              of<&Figures::adapter_weights>);
    table.row({"prompt_load", "1",
               "load of the busiest link (of the worst kind of layers) by the tokens of a prompt, as a share of its "
               "saturated throughput",
               minimize, true},
              of<&Figures::prompt_load>);
    table.row({"placement_gain", "1",
               "share of the cost of the packed placement that this placement saves, in a layer of the first kind; at "
               "most 1, below 0 if it costs more",
               maximize, true},
              of<&Figures::placement_gain>);
}

/// LEAP, equations 1 to 3, and the wear of cells that dynamic data are written to.
void add_data(Table& table) {
    table.row({"static_data", "1",
               "elements of a layer's attention (of the first kind) that do not depend on the request: weights of q, "
               "k, v, o (LEAP, eq. 1)"},
              of<&Figures::data, &AttentionData::fixed>);
    table.row({"dynamic_data", "1",
               "elements of a layer's attention (of the first kind) that the request makes, at the longest context: "
               "input, queries, keys, values, output and scores (LEAP, eq. 2)"},
              of<&Figures::data, &AttentionData::dynamic>);
    table.row({"static_to_dynamic", "1", "static_data over dynamic_data; below 1 dynamic data dominate (LEAP, eq. 3)",
               maximize},
              [](Figures const& r) -> Estimate { return r.data.fixed / r.data.dynamic; });
    table.row(needing({"cell_life", "s",
                       "time of requests one after another until a cell for keys and values has been written as often "
                       "as it endures",
                       maximize, true},
                      {needs("dynamic_products", "reprogram")}),
              of<&Figures::cell_life>);
}

Table const& table() {
    static auto const made =
        table_of<Table, add_figures, add_unit_powers, add_unit_areas, add_layer, add_details, add_data>();
    return made;
}

double headroom(MachineConstants const& machine, Design const& d, Partition const& p) {
    KvCache const cache(machine, d, p);
    auto const needed = cache.needed_by_all(max_keys(d, d.longest_context()));
    return needed == 0 ? 1.0 : 1.0 - static_cast<double>(needed) / static_cast<double>(cache.capacity());
}

/// Share of static power that gating saves. Both powers grow with the mesh columns, and the share changes with them in
/// one direction.
sim::Bounded saved(sim::Bounded const& gated, sim::Bounded const& ungated) {
    auto const at = [&](double sim::Bounded::*end) { return 1.0 - gated.*end / (ungated.*end); };
    double const at_lower = at(&sim::Bounded::lower), at_upper = at(&sim::Bounded::upper);
    return {at(&sim::Bounded::value), std::min(at_lower, at_upper), std::max(at_lower, at_upper), gated.kinds};
}

void add_powers(Figures& all, ServedMesh const& mesh) {
    auto const& machine = mesh.prepared.machine;
    auto const pair = pair_power(machine, all.design);
    auto bare = pair;
    bare.gated = false;
    sim::Bounded ungated;
    for (auto const& kind : mesh.kinds) {
        auto const averaged = [&](PairPower const& power) {
            return over(kind->columns(), [&](double columns) {
                return average_power(powered(machine, kind->design(), kind->partition(), sim::whole_part(columns)),
                                     power);
            });
        };
        all.static_power += averaged(pair);
        ungated += averaged(bare);
    }
    all.paper_power =
        over(all.static_power, [&](double power) { return paper_power(machine, all.design, pair, power); });
    all.saving = saved(all.static_power, ungated);
}

/// Of an active layer of the first kind in later passes.
void add_units(Figures& all, ServedMesh const& mesh) {
    auto const& kind = *mesh.kinds.front();
    auto const& pass = mesh.later.front();
    auto const seconds = kind.layers() * kind.seconds(pass.parts);
    auto const at = [&](Events const& events, double time) {
        return unit_power(all.design, all.partition, kind.each(), events, kind.power(), time);
    };
    std::ranges::copy(at(pass.events(), seconds.value), all.units.begin());
    for (auto const& [events, route] : pass.alternatives) {
        auto const least = at(events, seconds.upper), most = at(events, seconds.lower);
        for (std::size_t macro = 0; macro < all.units.size(); ++macro) {
            auto& now = all.units[macro];
            now.lower = std::min(now.lower, least[macro]);
            now.upper = std::max(now.upper, (macro == of_router ? route : 1.0) * most[macro]);
        }
    }
    for (auto& watts : all.units) watts = watts.on({sim::Bound::proved, sim::Bound::calibrated});
}

/// Joules of the request without those of adapters, of programming and of units at work.
sim::Bounded events_of(ServedMesh const& mesh) {
    auto const& design = mesh.result.design;
    auto const& request = mesh.result.all();
    text::CostLaw const law(design.prepared->machine(), design.hardware, design.fidelity);
    auto const joules = law.energy_of(request);
    double events = models::sum_of(joules) - joules[energy_row("idle_units")];
    for (auto const& kind : mesh.kinds) {
        auto const written = [&](auto const& of) {
            return models::sum_of(of(mesh.prepared.machine, kind->design(), kind->partition(), kind->each()));
        };
        events -= written(adapter_joules) / kind->design().batches_per_swap() + written(programming_joules);
    }
    return sim::Bounded{events,
                        events - request.joules_below,
                        events + request.joules_above,
                        {sim::Bound::proved, sim::Bound::calibrated}}
        .on({sim::Bound::proved, sim::Bound::calibrated});
}

void add_kinds(Figures& all, ServedMesh const& mesh) {
    auto const& machine = mesh.prepared.machine;
    CyclesOfKinds ideal_first, ideal_later;
    all.cell_life = does_not_apply();
    for (std::size_t i = 0; i < mesh.kinds.size(); ++i) {
        auto const& kind = *mesh.kinds[i];
        auto const& d = kind.design();
        auto const& p = kind.partition();
        auto const ideal = kind.with_trees(mesh.first[i], mesh.later[i]);
        ideal_first.push_back(ideal.first);
        ideal_later.push_back(ideal.later);
        all.kv_headroom = std::min(all.kv_headroom, headroom(machine, d, p));
        all.busiest_link = i == 0 ? kind.busiest_link() : larger(all.busiest_link, kind.busiest_link());
        auto const load = kind.prompt_load(sum_of(mesh.first[i].parts));
        all.prompt_load = i == 0 ? load : larger(all.prompt_load, load);
        all.adapter_weights += adapter_bytes(d, p) * MachineConstants::bits_per_byte / machine.value_bits;
        if (d.dynamic_products != DynamicProducts::reprogram) continue;
        auto const life = over(all.common.latency, [&](double latency) { return cell_life(machine, d, latency); });
        all.cell_life = i == 0 ? life : smaller(all.cell_life, life);
    }
    all.first_ttft = programming(machine, all.design, all.partition).time +
                     swap_of(machine, mesh.on_mesh.kinds).before(mesh.prompts) + mesh.prompts.route();
    all.ideal = times_of(machine, mesh.on_mesh.kinds, ideal_first, ideal_later);
}

}  // namespace

MetricList own_metrics() { return table().metrics(); }

std::vector<MetricNote> metric_notes() {
    return {{"ttft",
             "LoRA of the first layer, then the prompts of all sequences of the batch through the layers, one after "
             "the other"},
            {"itl", "at context input + output/2"},
            {"prefill_power", "until each request of the batch has its first token"},
            {"package_power", "a compute tile of a layer, which keeps weights and keys", true},
            {"idle_power", "leakage, control and, without gating, the clocks of all pairs", true},
            {"area", "all compute tiles, and what dynamic_products adds to them"},
            {"memory_area", "none, weights stay in the crossbars"},
            {"silicon", "all compute tiles, and what dynamic_products adds to them"},
            {"footprint", "adapters, which the host transfers; weights and keys are stored on the machine"},
            {"precision", "activations and partial sums as well"},
            {"cost", "dies of compute tiles; what their RRAM adds to the process of logic is not known", true}};
}

Metrics own_metrics_of(ServedMesh const& mesh) {
    auto const& machine = mesh.prepared.machine;
    auto const& d = mesh.on_mesh.design();
    auto const& p = mesh.on_mesh.parts();
    Figures all{d, p, mesh.common};
    all.tile = tile_area(machine, d, p);
    all.commands = commands_of(d, p, mean_decoded_keys(d));
    all.command_bytes = command_bytes(machine, d, p);
    all.placement_gain = mesh.on_mesh.layouts.front().gain;
    all.data = attention_data(*d.model, d.longest_context());
    all.events = events_of(mesh);
    add_kinds(all, mesh);
    add_powers(all, mesh);
    if (d.later_passes() > 0.0) add_units(all, mesh);
    return table().of(all);
}

}  // namespace pimdse::models::cim_mesh
