#include "models/umdam/umdam.hpp"

#include "models/umdam/accounts.hpp"
#include "models/umdam/class_request.hpp"
#include "models/umdam/cycle_key.hpp"
#include "models/umdam/floorplan.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/make_system.hpp"
#include "models/umdam/metrics.hpp"
#include "models/umdam/monotone.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/phases.hpp"

namespace pimdse::models::umdam {
namespace {

Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = make_system(prepared, read_design(point));
    if (auto const* refused = std::get_if<Infeasible>(&made)) return *refused;
    auto const& d = std::get<System>(made);
    return metrics_of(d, run_request(prepared, d, fidelity), prepared.machine);
}

Explained explain(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = make_system(prepared, read_design(point));
    if (auto const* refused = std::get_if<Infeasible>(&made)) return {{}, *refused};
    auto const& d = std::get<System>(made);
    auto const cost = run_request(prepared, d, fidelity);
    Explained breakdown{{}, metrics_of(d, cost, prepared.machine)};
    for (std::size_t i = 0; i < part_count; ++i)
        breakdown.time.push_back({std::string(part_names[i]), cost.parts[i].seconds.value});
    for (auto const& share : energy_shares(d, cost, prepared.machine))
        breakdown.energy.push_back({share.what, share.joules.value});
    breakdown.area = area_of(d, prepared.machine);
    return breakdown;
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const design = read_design(point);
    Trace events;
    double start = 0.0;
    for (auto const& share : explain(inputs, point, fidelity).time) {
        if (share.amount == 0.0) continue;
        bool const products = share.what == "decode/weights" || share.what == "decode/lm_head";
        bool const on_pim = design.diffuses() ? products && design.denoising == Denoiser::pim
                                              : products || share.what == "decode/attention";
        events.push_back({share.what, on_pim ? "pim" : "npu", start, share.amount});
        start += share.amount;
    }
    return events;
}

}  // namespace

Architecture architecture() {
    return {
        .name = "umdam",
        .summary = "NPU with LPDDR5-PIM: any weight layout and address mapping, prefill on the NPU, decode in memory",
        .fidelities = {Fidelity::analytic, Fidelity::cycle},
        .parameters = parameters,
        .metrics = metrics,
        .prepare = prepare,
        .evaluate = evaluate,
        .explain = explain,
        .trace = trace,
        .classes = classes,
        .ledger = ledger,
        .cycle_key = cycle_key,
        .key_parts = key_parts(),
        .monotone_lows = monotone_lows};
}

}  // namespace pimdse::models::umdam
