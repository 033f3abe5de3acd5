#include "models/cim_mesh/metrics.hpp"

#include "models/contract/common_metrics.hpp"

#include <concepts>
#include <cstdint>
#include <functional>

namespace pimdse::models::cim_mesh {
namespace {

Estimate number(std::same_as<std::int64_t> auto whole) { return static_cast<double>(whole); }
Estimate number(Estimate const& estimate) { return estimate; }

/// A member of the result, or of a member of it.
template <auto... path>
Estimate of(Result const& r) {
    return number((r.*....*path));
}

/// A member of the partition of the first kind of layers.
template <auto member>
Estimate of_layer(Result const& r) {
    return number(r.on->partition.*member);
}

double prompt_and_output(Result const& r) {
    return static_cast<double>(r.on->design.batch * r.on->design.longest_context());
}

/// Prompt and output tokens per second, divided by `per`.
Estimate rate(Result const& r, sim::Bounded const& per) { return prompt_and_output(r) / r.latency / per; }

void add_times(MetricTable<Result>& table) {
    table.row(common_metric("ttft",
                            "LoRA of the first layer, then the prompts of all sequences of the batch through the "
                            "layers, one after the other; diffusion: to the end of the first step"));
    table.row(needing(
        common_metric("itl", "at context input + output/2; diffusion: all steps after the first over output - 1"),
        {needs_more_than("output", 1)}));
    table.row(common_metric("latency"));
    table.row(common_metric("tokens_per_second"));
    table.row(over(OverDevices::per_second,
                   {"throughput_with_prompt", "1/s", "prompt and output tokens over latency, as in PRIMAL", maximize}),
              [](Result const& r) { return rate(r, 1.0); });
    table.row({"first_ttft", "s", "from the request until the first sequence of the batch has its first token"},
              of<&Result::time, &RequestTime::first_ttft>);
}

void add_energies(MetricTable<Result>& table) {
    table.row(common_metric("energy", "", true));
    table.row(common_metric("energy_per_token", "", true));
    table.row(common_metric("power", "", true));
    table.row(common_metric("prefill_power", "until each request of the batch has its first token", true));
    table.row(needing(common_metric("decode_power", "", true), {needs_more_than("output", 1)}));
    table.row(common_metric("peak_power", "", true));
    table.row(common_metric("package_power", "a compute tile of a layer, which keeps weights and keys", true));
    table.row(common_metric("idle_power", "leakage, control and, without gating, the clocks of all pairs", true));
    table.row(over(OverDevices::all_devices, {"static_power", "W",
                                              "power as in PRIMAL's table, from published powers of states, not from "
                                              "events: one layer active, the others and the tables idle"}),
              of<&Result::static_power>);
    table.row(over(OverDevices::per_joule, {"tokens_per_joule_with_prompt", "1/J",
                                            "prompt and output tokens over energy, as in PRIMAL", maximize}),
              [](Result const& r) { return prompt_and_output(r) / r.energy; });
    table.row(over(OverDevices::all_devices, {"paper_power", "W",
                                              "leap-a, leap-d: power as in LEAP, of 65,536 macros (leap-d: twice as "
                                              "many) for every model; otherwise static_power"}),
              of<&Result::paper_power>);
    table.row({"paper_tokens_per_joule", "1/J", "throughput_with_prompt over paper_power", maximize},
              [](Result const& r) { return rate(r, r.paper_power); });
}

/// Power of the macros in Table IV, from events; these metrics need later passes.
void add_unit_powers(MetricTable<Result>& table) {
    auto const row = [&](char const* name, char const* meaning, auto get) {
        table.row(needing({name, "W", meaning, minimize, true}, {needs_more_than("output", 1)}), get);
    };
    row("crossbar_power",
        "one RRAM crossbar of an active layer (of the first kind), mean over decoding: products and static power",
        of<&Result::spent, &BatchEnergy::units, &UnitPower::crossbar>);
    row("adapter_power", "the same for one SRAM-DCIM with an adapter; 0 without adapters",
        of<&Result::spent, &BatchEnergy::units, &UnitPower::adapter>);
    row("scratchpad_power", "the same for one scratchpad",
        of<&Result::spent, &BatchEnergy::units, &UnitPower::scratchpad>);
    row("router_power", "the same for one router: hops, products and sums",
        of<&Result::spent, &BatchEnergy::units, &UnitPower::router>);
    row("pair_power", "these four together: a pair with an adapter",
        [](Result const& r) { return r.spent.units.pair(); });
}

/// A member of the area of a tile, for one of its pairs.
template <auto member>
Estimate per_pair(Result const& r) {
    return std::invoke(member, r.tile) / static_cast<double>(r.on->design.pairs_per_tile());
}

/// Area of the macros in Table IV: one pair of a compute tile.
void add_unit_areas(MetricTable<Result>& table) {
    table.row({"crossbar_area", "m2", "one RRAM crossbar with its converters"}, per_pair<&MacroArea::rram>);
    table.row({"adapter_area", "m2", "one SRAM-DCIM"}, per_pair<&MacroArea::sram>);
    table.row({"scratchpad_area", "m2", "the scratchpad of a pair"}, per_pair<&MacroArea::scratchpad>);
    table.row({"router_area", "m2", "the router of a pair: FIFOs, links, multipliers, softmax unit"},
              per_pair<&MacroArea::routers>);
    table.row({"pair_area", "m2", "crossbar, SRAM-DCIM, scratchpad and router of a pair"}, per_pair<&MacroArea::pairs>);
}

void add_machine(MetricTable<Result>& table) {
    table.row(common_metric("area", "all compute tiles, and what dynamic_products adds to them"));
    table.row(common_metric("memory_area", "none, weights stay in the crossbars"));
    table.row(common_metric("silicon", "all compute tiles, and what dynamic_products adds to them"));
    table.row(
        common_metric("footprint", "adapters, which the host transfers; weights and keys are stored on the machine"));
    table.row(common_metric("precision", "activations and partial sums as well"));
}

void add_layer(MetricTable<Result>& table) {
    table.row({"tiles", "1", "crossbars of one layer (of the first kind)"}, of_layer<&Partition::tiles>);
    table.row({"adds", "1",
               "partial-sum additions of one layer (of the first kind): sum of (rows - 1) x columns with weights"},
              of_layer<&Partition::adds>);
    table.row(
        {"commands", "1",
         "commands of the main controller for a decoded token of a layer (of the first kind), at the mean context"},
        of<&Result::commands, &LayerCommands::executed>);
    table.row(
        {"command_memory", "B", "instruction memory for the commands of a layer (of the first kind)", minimize, true},
        of<&Result::command_bytes>);
    table.row({"compute_tiles", "1", "compute tiles of one layer (of the first kind), exact"},
              of_layer<&Partition::compute_tiles>);
    table.row({"kv_headroom", "1",
               "share of the KV pool of a layer (of the fullest kind) that is free at the longest context", maximize},
              of<&Result::kv_headroom>);
}

void add_details(MetricTable<Result>& table) {
    table.row({"max_link_load", "flits",
               "flits per decoded token on the busiest link of a layer (of the worst kind), tree collectives at the "
               "mean context",
               minimize, true},
              of<&Result::busiest_link>);
    table.row({"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
              of<&Result::ideal, &RequestTime::ttft>);
    table.row(
        needing({"ideal_itl", "s", "itl under ideal tree collectives", minimize, true}, {needs_more_than("output", 1)}),
        of<&Result::ideal, &RequestTime::itl>);
    table.row({"srpg_saving", "1", "share of static_power that gating saves", maximize}, of<&Result::saving>);
    table.row({"placed_tiles", "1", "compute tiles one layer (of the first kind) occupies"},
              of_layer<&Partition::placed_tiles>);
    table.row(
        over(OverDevices::all_devices, {"total_tiles", "1", "compute tiles of all layers, embedding and LM head"}),
        of_layer<&Partition::all_tiles>);
    table.row({"tile_area", "m2", "one compute tile (of the first kind of layers)"},
              [](Result const& r) -> Estimate { return r.tile.tile(); });
    table.row(
        over(OverDevices::request,
             {"activity_energy", "J", "energy of events alone: without leakage, clocks and control", minimize, true}),
        of<&Result::spent, &BatchEnergy::events>);
    table.row(over(OverDevices::all_devices,
                   {"adapter_weights", "1",
                    "number of weights of all LoRA adapters, which can be trained on the machine", maximize}),
              of<&Result::adapter_weights>);
    table.row({"prompt_load", "1",
               "load of the busiest link (of the worst kind of layers) by the tokens of a prompt, as a share of its "
               "saturated throughput",
               minimize, true},
              of<&Result::prompt_load>);
    table.row({"placement_gain", "1",
               "share of the cost of the packed placement that this placement saves, in a layer of the first kind; at "
               "most 1, below 0 if it costs more",
               maximize, true},
              of<&Result::placement_gain>);
}

/// LEAP, equations 1 to 3, and the wear of cells that dynamic data are written to.
void add_data(MetricTable<Result>& table) {
    table.row({"static_data", "1",
               "elements of a layer's attention (of the first kind) that do not depend on the request: weights of q, "
               "k, v, o (LEAP, eq. 1)"},
              of<&Result::static_data>);
    table.row({"dynamic_data", "1",
               "elements of a layer's attention (of the first kind) that the request makes, at the longest context: "
               "input, queries, keys, values, output and scores (LEAP, eq. 2)"},
              of<&Result::dynamic_data>);
    table.row({"static_to_dynamic", "1", "static_data over dynamic_data; below 1 dynamic data dominate (LEAP, eq. 3)",
               maximize},
              [](Result const& r) -> Estimate { return r.static_data / r.dynamic_data; });
    table.row(needing({"cell_life", "s",
                       "time of requests one after another until a cell for keys and values has been written as often "
                       "as it endures",
                       maximize, true},
                      {needs("dynamic_products", "reprogram")}),
              of<&Result::cell_life>);
}

MetricTable<Result> const& table() {
    static auto const made = table_of<MetricTable<Result>, add_times, add_energies, add_unit_powers, add_unit_areas,
                                      add_machine, add_layer, add_details, add_data>();
    return made;
}

}  // namespace

MetricList metric_list() {
    return with_common(table().metrics(),
                       "dies of compute tiles; what their RRAM adds to the process of logic is not known");
}

RequestResult request_result(Result const& result, economy::Economy const& economy) {
    RequestResult r = result;
    r.own = table().of(result);
    economy::Materials materials;
    materials.logic = result.area.value;
    economy.add_bill(r, materials);
    return r;
}

}  // namespace pimdse::models::cim_mesh
