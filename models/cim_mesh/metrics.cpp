#include "models/cim_mesh/metrics.hpp"

namespace pimdse::models::cim_mesh {
namespace {

Estimate estimate(double value, double low, double high) {
    return low == value && high == value ? Estimate::exact(value) : Estimate::within(value, low, high, Bound::calibrated);
}

}  // namespace

MetricTable metric_table() {
    using enum Sense;
    return {
        {"ttft", "s", "time to the first token: LoRA of the first layer, then the prompt through all layers", minimize, false},
        {"itl", "s", "mean time between tokens, at context input + output/2", minimize, false},
        {"tokens_per_second", "1/s", "prompt and generated tokens over latency", maximize, false},
        {"tokens_per_joule", "1/J", "tokens_per_second over power", maximize, false},
        {"latency", "s", "ttft + output x itl", minimize, false},
        {"energy", "J", "sum over states of power x time for the request", minimize, false},
        {"power", "W", "static average: one layer active, the others and the tables idle", minimize, false},
        {"area", "m2", "all compute tiles", minimize, false},
        {"tiles", "1", "crossbars of one layer", minimize, false},
        {"adds", "1", "partial-sum additions of one layer, sum of (rows - 1) x cols", minimize, false},
        {"compute_tiles", "1", "compute tiles of one layer, exact", minimize, false},
        {"kv_headroom", "1", "share of the KV pool left free at the longest context", maximize, false},
        {"max_link_load", "flits", "flits per decoded token on the busiest link of a layer, tree collectives at the mean context", minimize,
         true},
        {"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
        {"ideal_itl", "s", "itl under ideal tree collectives", minimize, true},
        {"srpg_saving", "1", "share of the power that gating saves", maximize, false},
        {"placed_tiles", "1", "compute tiles one layer occupies", minimize, false},
        {"total_tiles", "1", "compute tiles of all layers, embedding and LM head", minimize, false},
        {"tile_area", "m2", "one compute tile", minimize, false},
        {"activity_energy", "J", "energy from flits, products and adapters instead of states; no published anchor", minimize, true},
        {"gpu_speedup", "1", "tokens_per_second over a graphics processor at its memory roofline", maximize, true},
        {"gpu_efficiency", "1", "tokens_per_joule over the same at its maximum power", maximize, true},
        {"adapter_weights", "1", "weights of all LoRA adapters: what can be learned on the machine", maximize, false},
        {"prompt_load", "1", "share of the busiest link's saturated throughput that the prompt's tokens ask for", minimize, true},
        {"placement_gain", "1", "share of the packed placement's cost that this placement saves", maximize, true},
    };
}

Metrics to_metrics(Answer const& a, Partition const& p) {
    auto const exact = [](double v) { return Estimate::exact(v); };
    auto const count = [&](std::int64_t v) { return exact(static_cast<double>(v)); };
    auto const time = [](BoundedTime const& t, double RequestTime::*of) { return estimate(t.value.*of, t.low.*of, t.high.*of); };
    auto const rate = [&](double per) {
        auto const& t = a.time;
        return estimate(t.value.tokens_per_second / per, t.high.tokens_per_second / per, t.low.tokens_per_second / per);
    };
    return {
        time(a.time, &RequestTime::ttft),
        time(a.time, &RequestTime::itl),
        rate(1.0),
        rate(a.power),
        time(a.time, &RequestTime::latency),
        estimate(a.energy.total(), a.energy_low.total(), a.energy_high.total()),
        exact(a.power),
        exact(static_cast<double>(p.total_tiles) * a.tile.tile()),
        count(p.tiles),
        count(p.adds),
        exact(p.compute_tiles),
        exact(a.kv_headroom),
        exact(a.busiest_link),
        time(a.ideal, &RequestTime::ttft),
        time(a.ideal, &RequestTime::itl),
        exact(a.saving),
        count(p.placed_tiles),
        count(p.total_tiles),
        exact(a.tile.tile()),
        exact(a.activity_energy),
        rate(a.gpu_tokens_per_second),
        rate(a.gpu_tokens_per_second * a.power / a.gpu_power),
        exact(a.adapter_weights),
        estimate(a.prompt_load.value, a.prompt_load.low, a.prompt_load.high),
        exact(a.placement_gain),
    };
}

}  // namespace pimdse::models::cim_mesh
