#include "models/umdam/umdam.hpp"

#include "models/umdam/classes.hpp"
#include "models/umdam/phases.hpp"

namespace pimdse::models::umdam {
namespace {

Range sum_of(std::array<Range, 6> const& parts) {
    Range sum;
    for (auto const& part : parts) sum += part;
    return sum;
}

Range pim_bandwidth(Ledger const& ledger) {
    Range const seconds = ledger.at(Part::decode_weights).seconds + ledger.at(Part::decode_head).seconds;
    return ledger.pim_weight_bytes == 0.0 || seconds.value == 0.0 ? Range(0.0) : Range(ledger.pim_weight_bytes) / seconds;
}

Metrics metrics_of(Design const& d, Ledger const& ledger, EnergyConstants const& constants, Bound bound) {
    auto const steps = static_cast<double>(d.settings.decode_steps());
    Range const ttft = ledger.prefill();
    Range const ttlt = ttft + ledger.decode();
    Range const energy = sum_of(energy_of(ledger.commands(), constants, d.standard.organisation));
    Metrics m(metric_count);
    auto const set = [&](MetricId id, Range const& range) { m[static_cast<std::size_t>(id)] = range.estimate(bound); };
    set(MetricId::ttft, ttft);
    set(MetricId::ttlt, ttlt);
    set(MetricId::time_per_token, steps > 0 ? ledger.decode() / Range(steps) : Range(0.0));
    set(MetricId::relayout_time, ledger.at(Part::relayout).seconds);
    set(MetricId::tokens_per_second, Range(static_cast<double>(d.settings.batch * d.settings.output)) / ttlt);
    set(MetricId::latency, ttlt);
    set(MetricId::energy, energy);
    set(MetricId::power, energy / ttlt);
    set(MetricId::footprint, d.footprint);
    set(MetricId::npu_bandwidth, ledger.npu_bandwidth);
    set(MetricId::pim_bandwidth, pim_bandwidth(ledger));
    set(MetricId::activations, ledger.commands().activations);
    set(MetricId::lane_utilisation, d.lane_utilisation);
    set(MetricId::split_factor, static_cast<double>(d.split));
    return m;
}

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = design(prepared, read_settings(point));
    if (auto const* refused = std::get_if<Infeasible>(&made)) return *refused;
    auto const& d = std::get<Design>(made);
    return metrics_of(d, run_request(prepared, d, fidelity), prepared.machine.energy, Bound::calibrated);
}

Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = design(prepared, read_settings(point));
    Breakdown breakdown;
    if (std::holds_alternative<Infeasible>(made)) return breakdown;
    auto const& d = std::get<Design>(made);
    auto const ledger = run_request(prepared, d, fidelity);
    for (std::size_t i = 0; i < part_count; ++i) breakdown.time.push_back({std::string(part_names[i]), ledger.parts[i].seconds.value});
    auto const energy = energy_of(ledger.commands(), prepared.machine.energy, d.standard.organisation);
    for (std::size_t i = 0; i < energy.size(); ++i) breakdown.energy.push_back({std::string(component_names[i]), energy[i].value});
    return breakdown;
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    Trace events;
    double start = 0.0;
    for (auto const& share : explain(inputs, point, fidelity).time) {
        if (share.amount == 0.0) continue;
        bool const on_pim = share.what == "decode/weights" || share.what == "decode/lm_head" || share.what == "decode/attention";
        events.push_back({share.what, on_pim ? "pim" : "npu", start, share.amount});
        start += share.amount;
    }
    return events;
}

}  // namespace

Architecture architecture() {
    return {"umdam",
            "NPU with LPDDR5-PIM: any weight layout and address mapping, prefill on the NPU, decode in memory",
            {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle},
            parameters,
            metrics,
            prepare,
            evaluate,
            explain,
            trace,
            classes};
}

}  // namespace pimdse::models::umdam
