#include "models/cim_mesh/metrics.hpp"

#include "models/contract/common_metrics.hpp"

namespace pimdse::models::cim_mesh {
namespace {

Estimate count(std::int64_t whole) { return Estimate::exact(static_cast<double>(whole)); }

double prompt_and_output(Answered const& r) { return static_cast<double>(r.design.batch * r.design.longest_context()); }

/// Prompt and output tokens per second over `per`.
Estimate rate(Answered const& r, sim::Bounded const& per) {
    return sim::Bounded(prompt_and_output(r)) / r.answer.time.latency / per;
}

Estimate energy(Answered const& r) { return sum_of(r.answer.energy); }

void add_times(MetricTable<Answered>& table) {
    using enum Sense;
    table.row(
        common_metric(
            "ttft",
            "LoRA of the first layer, then the prompts of all sequences of the batch through the layers, one behind "
            "the other; diffusion: to the end of the first step"),
        [](Answered const& r) { return r.answer.time.ttft; });
    table.row(needing(common_metric("itl",
                                    "at context input + output/2; diffusion: all steps after the first over "
                                    "output - 1"),
                      {needs_more_than("output", 1)}),
              [](Answered const& r) { return r.answer.time.itl; });
    table.row(common_metric("latency"), [](Answered const& r) { return r.answer.time.latency; });
    table.row(common_metric("tokens_per_second"),
              [](Answered const& r) { return sim::Bounded(r.design.output_tokens()) / r.answer.time.latency; });
    table.row({"throughput_with_prompt", "1/s", "prompt and output tokens over latency, as PRIMAL counts", maximize},
              [](Answered const& r) { return rate(r, 1.0); });
    table.row(
        {"first_ttft", "s", "from the request until the first sequence of the batch has its first token", minimize},
        [](Answered const& r) { return r.answer.time.first_ttft; });
}

void add_energies(MetricTable<Answered>& table) {
    using enum Sense;
    table.row(common_metric("energy"), energy);
    table.row(common_metric("energy_per_token"),
              [](Answered const& r) { return energy(r) / r.design.output_tokens(); });
    table.row(common_metric("power"), [](Answered const& r) { return r.answer.power; });
    table.row(common_metric("prefill_power", "until each request of the batch has its first token"),
              [](Answered const& r) { return r.answer.prefill_power; });
    table.row(needing(common_metric("decode_power"), {needs_more_than("output", 1)}),
              [](Answered const& r) { return r.answer.decode_power; });
    table.row(common_metric("peak_power"), [](Answered const& r) { return r.answer.peak_power; });
    table.row(common_metric("package_power", "a compute tile of a layer, which keeps weights and keys"),
              [](Answered const& r) { return r.answer.package_power; });
    table.row(common_metric("idle_power", "leakage, control and, ungated, the clocks of all pairs"),
              [](Answered const& r) { return r.answer.idle_power; });
    table.row(
        {"static_power", "W",
         "as PRIMAL's table counts, from published powers of states and not from events: one layer active, the others "
         "and the tables idle",
         minimize},
        [](Answered const& r) { return r.answer.static_power; });
    table.row(
        {"tokens_per_joule_with_prompt", "1/J", "prompt and output tokens over energy, as PRIMAL counts", maximize},
        [](Answered const& r) { return sim::Bounded(prompt_and_output(r)) / energy(r); });
    table.row({"paper_power", "W",
               "leap-a, leap-d: power as LEAP prints it, of 65,536 macros (twice for d) for every model; else "
               "static_power",
               minimize},
              [](Answered const& r) { return r.answer.paper_power; });
    table.row({"paper_tokens_per_joule", "1/J", "throughput_with_prompt over paper_power", maximize},
              [](Answered const& r) { return rate(r, r.answer.paper_power); });
}

/// Of Table IV, by events; where there are later passes.
void add_unit_powers(MetricTable<Answered>& table) {
    using enum Sense;
    auto const row = [&](char const* name, char const* what, auto get) {
        table.row(needing({name, "W", what, minimize, true}, {needs_more_than("output", 1)}), get);
    };
    row("crossbar_power", "one RRAM crossbar of the layer at work, mean over decoding: products and what is on",
        [](Answered const& r) { return r.answer.units.crossbar; });
    row("adapter_power", "the same of one SRAM-DCIM that keeps an adapter; 0 without",
        [](Answered const& r) { return r.answer.units.adapter; });
    row("scratchpad_power", "the same of one scratchpad", [](Answered const& r) { return r.answer.units.scratchpad; });
    row("router_power", "the same of one router: hops, products and sums",
        [](Answered const& r) { return r.answer.units.router; });
}

void add_machine(MetricTable<Answered>& table) {
    using enum Sense;
    table.row(common_metric("area", "all compute tiles"), [](Answered const& r) {
        return Estimate::exact(static_cast<double>(r.partition.total_tiles) * r.answer.tile.tile());
    });
    table.row(common_metric("memory_area", "none, weights stay in the crossbars"),
              [](Answered const&) { return Estimate::exact(0.0); });
    table.row(common_metric("silicon", "all compute tiles"), [](Answered const& r) {
        return Estimate::exact(static_cast<double>(r.partition.total_tiles) * r.answer.tile.tile());
    });
    table.row(common_metric("footprint", "adapters, which the host sends; weights and keys lie on the machine"),
              [](Answered const& r) { return Estimate::exact(r.answer.adapter_bytes); });
    table.row(common_metric("precision", "activations and partial sums, too"),
              [](Answered const& r) { return Estimate::exact(r.answer.value_bits); });
}

void add_layer(MetricTable<Answered>& table) {
    using enum Sense;
    table.row({"tiles", "1", "crossbars of one layer", minimize, false},
              [](Answered const& r) { return count(r.partition.tiles); });
    table.row(
        {"adds", "1", "partial-sum additions of one layer, sum of (rows - 1) x columns with weights", minimize, false},
        [](Answered const& r) { return count(r.partition.adds); });
    table.row({"compute_tiles", "1", "compute tiles of one layer, exact", minimize, false},
              [](Answered const& r) { return Estimate::exact(r.partition.compute_tiles); });
    table.row({"kv_headroom", "1", "share of the KV pool left free at the longest context", maximize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.kv_headroom); });
}

void add_details(MetricTable<Answered>& table) {
    using enum Sense;
    table.row({"max_link_load", "flits",
               "flits per decoded token on the busiest link of a layer, tree collectives at the mean context", minimize,
               true},
              [](Answered const& r) { return r.answer.busiest_link; });
    table.row({"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
              [](Answered const& r) { return r.answer.ideal.ttft; });
    table.row(
        needing({"ideal_itl", "s", "itl under ideal tree collectives", minimize, true}, {needs_more_than("output", 1)}),
        [](Answered const& r) { return r.answer.ideal.itl; });
    table.row({"srpg_saving", "1", "share of static_power that gating saves", maximize, false},
              [](Answered const& r) { return r.answer.saving; });
    table.row({"placed_tiles", "1", "compute tiles one layer occupies", minimize, false},
              [](Answered const& r) { return count(r.partition.placed_tiles); });
    table.row({"total_tiles", "1", "compute tiles of all layers, embedding and LM head", minimize, false},
              [](Answered const& r) { return count(r.partition.total_tiles); });
    table.row({"tile_area", "m2", "one compute tile", minimize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.tile.tile()); });
    table.row(
        {"activity_energy", "J", "energy of what happens alone: without leakage, clocks and control", minimize, true},
        [](Answered const& r) { return r.answer.activity_energy; });
    table.row(
        {"adapter_weights", "1", "weights of all LoRA adapters: what can be learned on the machine", maximize, false},
        [](Answered const& r) { return Estimate::exact(r.answer.adapter_weights); });
    table.row({"prompt_load", "1", "share of the busiest link's saturated throughput that the prompt's tokens ask for",
               minimize, true},
              [](Answered const& r) { return r.answer.prompt_load; });
    table.row(
        {"placement_gain", "1",
         "share of the packed placement's cost that this placement saves; at most 1, below 0 where genes cost more",
         maximize, true},
        [](Answered const& r) { return r.answer.placement_gain; });
}

MetricTable<Answered> make_table() {
    MetricTable<Answered> table;
    add_times(table);
    add_energies(table);
    add_unit_powers(table);
    add_machine(table);
    add_layer(table);
    add_details(table);
    return table;
}

}  // namespace

MetricList metric_list() { return make_table().metrics(); }

Metrics to_metrics(Answered const& answered) {
    static auto const table = make_table();
    return table.of(answered);
}

}  // namespace pimdse::models::cim_mesh
