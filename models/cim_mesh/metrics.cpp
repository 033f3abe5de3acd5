#include "models/cim_mesh/metrics.hpp"

#include "models/contract/metric_table.hpp"

namespace pimdse::models::cim_mesh {
namespace {

struct Answered {
    Answer const& answer;
    Partition const& partition;
};

/// Where the cycle-level answer lies was looked at, not proved.
Estimate looked_at(sim::Bounded const& b) { return b.on(Bound::calibrated); }

Estimate count(std::int64_t whole) { return Estimate::exact(static_cast<double>(whole)); }

/// Tokens per second over `per`.
Estimate rate(Answered const& r, double per) { return looked_at(r.answer.time.tokens_per_second / per); }

void add_request(MetricTable<Answered>& table) {
    using enum Sense;
    table.row({"ttft", "s", "time to the first token: LoRA of the first layer, then the prompt through all layers",
               minimize, false},
              [](Answered const& r) { return looked_at(r.answer.time.ttft); });
    table.row({"itl", "s", "mean time between tokens, at context input + output/2", minimize, false},
              [](Answered const& r) { return looked_at(r.answer.time.itl); });
    table.row({"tokens_per_second", "1/s", "prompt and generated tokens over latency", maximize, false},
              [](Answered const& r) { return rate(r, 1.0); });
    table.row({"tokens_per_joule", "1/J", "tokens_per_second over power", maximize, false},
              [](Answered const& r) { return rate(r, r.answer.power); });
    table.row({"latency", "s", "ttft + output x itl", minimize, false},
              [](Answered const& r) { return looked_at(r.answer.time.latency); });
    table.row({"energy", "J", "sum over states of power x time for the request", minimize, false},
              [](Answered const& r) { return looked_at(r.answer.energy.total()); });
}

void add_machine(MetricTable<Answered>& table) {
    using enum Sense;
    table.row({"power", "W", "static average: one layer active, the others and the tables idle", minimize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.power); });
    table.row({"paper_power", "W",
               "leap-a, leap-d: power as LEAP prints it, of 65,536 macros (twice for d) for every model; else power",
               minimize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.paper_power); });
    table.row({"paper_tokens_per_joule", "1/J", "tokens_per_second over paper_power", maximize, false},
              [](Answered const& r) { return rate(r, r.answer.paper_power); });
    table.row({"area", "m2", "all compute tiles", minimize, false}, [](Answered const& r) {
        return Estimate::exact(static_cast<double>(r.partition.total_tiles) * r.answer.tile.tile());
    });
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
              [](Answered const& r) { return Estimate::exact(r.answer.busiest_link); });
    table.row({"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
              [](Answered const& r) { return looked_at(r.answer.ideal.ttft); });
    table.row({"ideal_itl", "s", "itl under ideal tree collectives", minimize, true},
              [](Answered const& r) { return looked_at(r.answer.ideal.itl); });
    table.row({"srpg_saving", "1", "share of the power that gating saves", maximize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.saving); });
    table.row({"placed_tiles", "1", "compute tiles one layer occupies", minimize, false},
              [](Answered const& r) { return count(r.partition.placed_tiles); });
    table.row({"total_tiles", "1", "compute tiles of all layers, embedding and LM head", minimize, false},
              [](Answered const& r) { return count(r.partition.total_tiles); });
    table.row({"tile_area", "m2", "one compute tile", minimize, false},
              [](Answered const& r) { return Estimate::exact(r.answer.tile.tile()); });
    table.row({"activity_energy", "J",
               "energy from flits, products and adapters instead of states; no published anchor", minimize, true},
              [](Answered const& r) { return Estimate::exact(r.answer.activity_energy); });
    table.row(
        {"gpu_speedup", "1", "tokens_per_second over a graphics processor at its memory roofline", maximize, true},
        [](Answered const& r) { return rate(r, r.answer.gpu_tokens_per_second); });
    table.row({"gpu_efficiency", "1", "tokens_per_joule over the same at its maximum power", maximize, true},
              [](Answered const& r) {
                  return rate(r, r.answer.gpu_tokens_per_second * r.answer.power / r.answer.gpu_power);
              });
    table.row(
        {"adapter_weights", "1", "weights of all LoRA adapters: what can be learned on the machine", maximize, false},
        [](Answered const& r) { return Estimate::exact(r.answer.adapter_weights); });
    table.row({"prompt_load", "1", "share of the busiest link's saturated throughput that the prompt's tokens ask for",
               minimize, true},
              [](Answered const& r) { return looked_at(r.answer.prompt_load); });
    table.row({"placement_gain", "1", "share of the packed placement's cost that this placement saves", maximize, true},
              [](Answered const& r) { return Estimate::exact(r.answer.placement_gain); });
}

MetricTable<Answered> make_table() {
    MetricTable<Answered> table;
    add_request(table);
    add_machine(table);
    add_details(table);
    return table;
}

}  // namespace

MetricList metric_list() { return make_table().metrics(); }

Metrics to_metrics(Answer const& answer, Partition const& partition) {
    static auto const table = make_table();
    return table.of({answer, partition});
}

}  // namespace pimdse::models::cim_mesh
