#include "dse/space/machine_metrics.hpp"

#include "dse/task/machine_name.hpp"

#include <algorithm>

namespace pimdse::dse::space {
namespace {

bool has(models::MetricList const& list, models::Metric const& metric) {
    int const at = models::find_metric(list, metric.name);
    if (at < 0) return false;
    auto const& other = list[static_cast<std::size_t>(at)];
    return other.unit == metric.unit && other.better == metric.better;
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
