#include "models/cim_mesh/metrics.hpp"

#include "models/contract/metric_table.hpp"

namespace pimdse::models::cim_mesh {
namespace {

struct Report {
    Answer const& answer;
    Partition const& partition;
};

Estimate estimate(double value, double low, double high) {
    return low == value && high == value ? Estimate::exact(value)
                                         : Estimate::within(value, low, high, Bound::calibrated);
}

Estimate count(std::int64_t whole) { return Estimate::exact(static_cast<double>(whole)); }

Estimate time(BoundedTime const& t, double RequestTime::*of) { return estimate(t.value.*of, t.low.*of, t.high.*of); }

/// Tokens per second over `per`.
Estimate rate(Report const& r, double per) {
    auto const& t = r.answer.time;
    return estimate(t.value.tokens_per_second / per, t.high.tokens_per_second / per, t.low.tokens_per_second / per);
}

MetricTable<Report> make_table() {
    using enum Sense;
    MetricTable<Report> table;
    table.row({"ttft", "s", "time to the first token: LoRA of the first layer, then the prompt through all layers",
               minimize, false},
              [](Report const& r) { return time(r.answer.time, &RequestTime::ttft); });
    table.row({"itl", "s", "mean time between tokens, at context input + output/2", minimize, false},
              [](Report const& r) { return time(r.answer.time, &RequestTime::itl); });
    table.row({"tokens_per_second", "1/s", "prompt and generated tokens over latency", maximize, false},
              [](Report const& r) { return rate(r, 1.0); });
    table.row({"tokens_per_joule", "1/J", "tokens_per_second over power", maximize, false},
              [](Report const& r) { return rate(r, r.answer.power); });
    table.row({"latency", "s", "ttft + output x itl", minimize, false},
              [](Report const& r) { return time(r.answer.time, &RequestTime::latency); });
    table.row({"energy", "J", "sum over states of power x time for the request", minimize, false}, [](Report const& r) {
        return estimate(r.answer.energy.total(), r.answer.energy_low.total(), r.answer.energy_high.total());
    });
    table.row({"power", "W", "static average: one layer active, the others and the tables idle", minimize, false},
              [](Report const& r) { return Estimate::exact(r.answer.power); });
    table.row({"area", "m2", "all compute tiles", minimize, false}, [](Report const& r) {
        return Estimate::exact(static_cast<double>(r.partition.total_tiles) * r.answer.tile.tile());
    });
    table.row({"tiles", "1", "crossbars of one layer", minimize, false},
              [](Report const& r) { return count(r.partition.tiles); });
    table.row({"adds", "1", "partial-sum additions of one layer, sum of (rows - 1) x cols", minimize, false},
              [](Report const& r) { return count(r.partition.adds); });
    table.row({"compute_tiles", "1", "compute tiles of one layer, exact", minimize, false},
              [](Report const& r) { return Estimate::exact(r.partition.compute_tiles); });
    table.row({"kv_headroom", "1", "share of the KV pool left free at the longest context", maximize, false},
              [](Report const& r) { return Estimate::exact(r.answer.kv_headroom); });
    table.row({"max_link_load", "flits",
               "flits per decoded token on the busiest link of a layer, tree collectives at the mean context", minimize,
               true},
              [](Report const& r) { return Estimate::exact(r.answer.busiest_link); });
    table.row({"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
              [](Report const& r) { return time(r.answer.ideal, &RequestTime::ttft); });
    table.row({"ideal_itl", "s", "itl under ideal tree collectives", minimize, true},
              [](Report const& r) { return time(r.answer.ideal, &RequestTime::itl); });
    table.row({"srpg_saving", "1", "share of the power that gating saves", maximize, false},
              [](Report const& r) { return Estimate::exact(r.answer.saving); });
    table.row({"placed_tiles", "1", "compute tiles one layer occupies", minimize, false},
              [](Report const& r) { return count(r.partition.placed_tiles); });
    table.row({"total_tiles", "1", "compute tiles of all layers, embedding and LM head", minimize, false},
              [](Report const& r) { return count(r.partition.total_tiles); });
    table.row({"tile_area", "m2", "one compute tile", minimize, false},
              [](Report const& r) { return Estimate::exact(r.answer.tile.tile()); });
    table.row({"activity_energy", "J",
               "energy from flits, products and adapters instead of states; no published anchor", minimize, true},
              [](Report const& r) { return Estimate::exact(r.answer.activity_energy); });
    table.row(
        {"gpu_speedup", "1", "tokens_per_second over a graphics processor at its memory roofline", maximize, true},
        [](Report const& r) { return rate(r, r.answer.gpu_tokens_per_second); });
    table.row(
        {"gpu_efficiency", "1", "tokens_per_joule over the same at its maximum power", maximize, true},
        [](Report const& r) { return rate(r, r.answer.gpu_tokens_per_second * r.answer.power / r.answer.gpu_power); });
    table.row(
        {"adapter_weights", "1", "weights of all LoRA adapters: what can be learned on the machine", maximize, false},
        [](Report const& r) { return Estimate::exact(r.answer.adapter_weights); });
    table.row({"prompt_load", "1", "share of the busiest link's saturated throughput that the prompt's tokens ask for",
               minimize, true},
              [](Report const& r) {
                  return estimate(r.answer.prompt_load.value, r.answer.prompt_load.low, r.answer.prompt_load.high);
              });
    table.row({"placement_gain", "1", "share of the packed placement's cost that this placement saves", maximize, true},
              [](Report const& r) { return Estimate::exact(r.answer.placement_gain); });
    return table;
}

}  // namespace

MetricList metric_list() { return make_table().metrics(); }

Metrics to_metrics(Answer const& answer, Partition const& partition) {
    static auto const table = make_table();
    return table.of({answer, partition});
}

}  // namespace pimdse::models::cim_mesh
