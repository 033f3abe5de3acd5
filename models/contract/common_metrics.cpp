#include "models/contract/common_metrics.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

Estimate does_not_apply() { return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()); }

bool applies(Estimate const& estimate) { return !std::isnan(estimate.value) || estimate.kinds != Bound::none; }

}  // namespace pimdse::models
