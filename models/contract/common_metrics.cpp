#include "models/contract/common_metrics.hpp"

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <memory>

namespace pimdse::models {

CommonMetric const* find_common_metric(std::string_view name) {
    auto const found = std::ranges::find(common_metrics, name, &CommonMetric::name);
    return found == common_metrics.end() ? nullptr : &*found;
}

Metric common_metric(std::string_view name, std::string_view note, bool assumed) {
    auto const* common = find_common_metric(name);
    sim::expects(common != nullptr, "a common metric has this name");
    return {std::string(common->name), std::string(common->unit),
            note.empty() ? std::string(common->meaning) : fmt::format("{}: {}", common->meaning, note), common->better,
            assumed};
}

Metric needing(Metric metric, std::vector<Need> needs) {
    metric.needs = std::move(needs);
    return metric;
}

MetricList without_common(MetricList metrics) {
    std::erase_if(metrics, [](Metric const& metric) { return find_common_metric(metric.name) != nullptr; });
    return metrics;
}

MetricList with_common(MetricList metrics, std::string_view bill) {
    auto const needs_of = [&](std::string_view name) {
        int const at = find_metric(metrics, name);
        return at < 0 ? std::vector<Need>{} : metrics[static_cast<std::size_t>(at)].needs;
    };
    for (auto const& common : common_metrics)
        if (find_metric(metrics, common.name) < 0)
            metrics.push_back(needing(common_metric(common.name, common.name == "cost" ? bill : "", true),
                                      needs_of(common.needs_as)));
    return metrics;
}

void append(std::vector<Share>& shares, EnergyByRow const& joules, std::string const& part) {
    for (std::size_t row = 0; row < joules.size(); ++row)
        if (joules[row] > 0.0)
            shares.push_back({std::string(energy_rows[row].name) + (part.empty() ? part : "/" + part), joules[row]});
}

MetricPlan::MetricPlan(MetricList metrics) : table(std::move(metrics)) {
    for (auto const& metric : table) common.push_back(find_common_metric(metric.name));
}

Metrics MetricPlan::of(RequestResult const& result) const {
    Metrics all;
    all.reserve(table.size());
    auto own = result.own.begin();
    for (auto const* metric : common) all.push_back(metric == nullptr ? *own++ : metric->of(result));
    return all;
}

Architecture answering(Architecture architecture) {
    auto const plan = std::make_shared<MetricPlan const>(architecture.metrics());
    architecture.evaluate = [plan, request = architecture.request](Inputs const& inputs, Point point,
                                                                   Fidelity fidelity) -> Outcome {
        auto const result = request(inputs, point, fidelity, nullptr);
        if (auto const* rule = std::get_if<Infeasible>(&result)) return *rule;
        return plan->of(std::get<RequestResult>(result));
    };
    architecture.explain = [plan, request = architecture.request](Inputs const& inputs, Point point,
                                                                  Fidelity fidelity) -> Explained {
        Breakdown breakdown;
        auto const result = request(inputs, point, fidelity, &breakdown);
        if (auto const* rule = std::get_if<Infeasible>(&result)) return {{}, *rule};
        return {std::move(breakdown), plan->of(std::get<RequestResult>(result))};
    };
    if (auto const& parts = architecture.proofs.key_parts; parts.make)
        architecture.proofs.cycle_key = [parts](Inputs const& inputs, Point point) { return parts.key(inputs, point); };
    return architecture;
}

}  // namespace pimdse::models
