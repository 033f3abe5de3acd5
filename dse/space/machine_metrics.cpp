#include "dse/space/machine_metrics.hpp"

#include "dse/task/machine_name.hpp"
#include "models/contract/common_metrics.hpp"

#include <algorithm>

namespace pimdse::dse::space {
namespace {

bool has(models::MetricList const& list, models::Metric const& metric) {
    int const at = models::find_metric(list, metric.name);
    if (at < 0) return false;
    auto const& other = list[static_cast<std::size_t>(at)];
    return other.unit == metric.unit && other.better == metric.better;
}

/// What a metric means in every machine, without what is particular about it in one; what comes after a semicolon is
/// how scenarios became one.
std::string meaning_in_all(models::Metric const& metric) {
    auto const* common = models::find_common_metric(metric.name.substr(0, metric.name.find('@')));
    if (common == nullptr) return metric.meaning;
    auto const scenarios = metric.meaning.rfind("; ");
    return std::string(common->meaning) +
           (scenarios == std::string::npos ? std::string() : metric.meaning.substr(scenarios));
}

}  // namespace

MachineMetrics metrics_of(std::span<Machine const> machines) {
    std::vector<models::MetricList> own;
    for (auto const& machine : machines) own.push_back(machine.metrics());
    MachineMetrics all;
    for (auto const& metric : own.front()) {
        if (std::ranges::all_of(own, [&](auto const& list) { return has(list, metric); })) all.list.push_back(metric);
    }
    all.common = all.list.size();
    if (machines.size() > 1) {
        for (auto& metric : all.list) metric.meaning = meaning_in_all(metric);
    }
    for (std::size_t m = 0; m < machines.size(); ++m) {
        auto& places = all.places.emplace_back();
        for (auto& metric : own[m]) {
            int const common = models::find_metric(all.list, metric.name);
            places.push_back(common < 0 ? all.list.size() : static_cast<std::size_t>(common));
            if (common >= 0) continue;
            metric.name = task::name_in_machine(machines[m].name, metric.name);
            all.list.push_back(std::move(metric));
        }
    }
    return all;
}

}  // namespace pimdse::dse::space
