#include "models/cim_mesh/metrics.hpp"

#include <limits>

namespace pimdse::models::cim_mesh {
namespace {

std::int64_t active_parameters(sim::LanguageModel const& m) {
    return m.layers * sim::layer_weights(m, sim::Experts::active) + sim::lm_head_weights(m);
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
        {"max_link_load", "flits", "flits per decoded token on the busiest link of a layer", minimize, true},
        {"ideal_ttft", "s", "ttft under ideal tree collectives", minimize, true},
        {"ideal_itl", "s", "itl under ideal tree collectives", minimize, true},
        {"srpg_saving", "1", "share of the power that gating saves", maximize, false},
        {"placed_tiles", "1", "compute tiles one layer occupies", minimize, false},
        {"total_tiles", "1", "compute tiles of all layers, embedding and LM head", minimize, false},
        {"tile_area", "m2", "one compute tile", minimize, false},
        {"activity_energy", "J", "energy from flits, products and adapters instead of states; no published anchor", minimize, true},
        {"gpu_speedup", "1", "tokens_per_second over a graphics processor at its memory roofline", maximize, true},
        {"gpu_efficiency", "1", "tokens_per_joule over the same at its maximum power", maximize, true},
    };
}

void compare_with_gpu(Machine const& m, Design const& d, Answer& a) {
    bool const h100 = d.mode == Mode::primal;
    double const bandwidth = h100 ? m.h100_bandwidth : m.a100_bandwidth;
    double const power = h100 ? m.h100_power : m.a100_power;
    auto const& model = *d.model;
    bool const causal = model.attention == sim::Attention::causal;
    double const context = static_cast<double>(d.input) + static_cast<double>(d.output) / 2.0;
    double const keys = causal ? context * static_cast<double>(model.layers * sim::kv_elements_per_token(model)) : 0.0;
    double const bytes = m.gpu_weight_bytes * (static_cast<double>(active_parameters(model)) + keys);
    double const gpu_tokens = static_cast<double>(d.input + d.output) / (static_cast<double>(d.output) * bytes / bandwidth);
    a.gpu_speedup = a.time.tokens_per_second / gpu_tokens;
    a.gpu_efficiency = a.time.tokens_per_second / a.power / (gpu_tokens / power);
}

Metrics to_metrics(Answer const& a, Partition const& p) {
    auto const time = [](double v) { return Estimate::unbounded(v); };
    auto const exact = [](double v) { return Estimate::exact(v); };
    auto const count = [&](std::int64_t v) { return exact(static_cast<double>(v)); };
    return {
        time(a.time.ttft),
        time(a.time.itl),
        time(a.time.tokens_per_second),
        time(a.time.tokens_per_second / a.power),
        time(a.time.latency),
        time(a.energy.total()),
        exact(a.power),
        exact(static_cast<double>(p.total_tiles) * a.tile.tile()),
        count(p.tiles),
        count(p.adds),
        exact(p.compute_tiles),
        exact(a.kv_headroom),
        time(std::numeric_limits<double>::quiet_NaN()),
        time(a.ideal.ttft),
        time(a.ideal.itl),
        exact(a.saving),
        count(p.placed_tiles),
        count(p.total_tiles),
        exact(a.tile.tile()),
        time(a.activity_energy),
        time(a.gpu_speedup),
        time(a.gpu_efficiency),
    };
}

}  // namespace pimdse::models::cim_mesh
