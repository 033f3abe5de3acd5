#include "models/contract/common_metrics.hpp"

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

namespace pimdse::models {

CommonMetric const* find_common_metric(std::string_view name) {
    auto const found = std::ranges::find(common_metrics, name, &CommonMetric::name);
    return found == common_metrics.end() ? nullptr : &*found;
}

Metric common_metric(std::string_view name, std::string_view note) {
    auto const* common = find_common_metric(name);
    sim::expects(common != nullptr, "a common metric has this name");
    return {std::string(common->name), std::string(common->unit),
            note.empty() ? std::string(common->meaning) : fmt::format("{}: {}", common->meaning, note), common->better,
            common->assumed};
}

Metric needing(Metric metric, std::vector<Need> needs) {
    metric.needs = std::move(needs);
    return metric;
}

MetricList without_common(MetricList metrics) {
    std::erase_if(metrics, [](Metric const& metric) { return find_common_metric(metric.name) != nullptr; });
    return metrics;
}

MetricList with_common(MetricList own, std::vector<MetricNote> const& notes, RequestNeeds const& needs) {
    MetricList all;
    all.reserve(common_metrics.size() + own.size());
    for (auto const& common : common_metrics) {
        all.push_back(common_metric(common.name));
        if (common.requests == Requests::with_tokens) all.back().needs = needs.tokens;
        if (common.requests == Requests::with_later_tokens) all.back().needs = needs.later_tokens;
    }
    for (auto const& note : notes) {
        int const at = find_metric(all, note.metric);
        sim::expects(at >= 0, "a note is of a common metric");
        auto& metric = all[static_cast<std::size_t>(at)];
        if (!note.text.empty()) metric.meaning += fmt::format(": {}", note.text);
        metric.assumed = metric.assumed || note.assumed;
        std::ranges::copy(note.needs, std::back_inserter(metric.needs));
    }
    std::ranges::move(own, std::back_inserter(all));
    return all;
}

void leave_out_power(MetricList& metrics, std::string const& why) {
    constexpr std::array<std::string_view, 4> units{"J", "1/J", "J*s", "W"};
    for (auto& metric : metrics) {
        auto const* common = find_common_metric(metric.name);
        bool const costs_energy = common != nullptr ? common->needs_power : metric.name == "carbon_per_good_token";
        if (costs_energy || std::ranges::find(units, metric.unit) != units.end()) metric.absent = why;
    }
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
