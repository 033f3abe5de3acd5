#pragma once

#include "models/contract/outcome.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace pimdse::models {

/// Value of a metric that does not apply to a point, and whether one applies.
[[nodiscard]] constexpr Estimate does_not_apply() {
    return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
}
[[nodiscard]] inline bool applies(Estimate const& estimate) {
    return !std::isnan(estimate.value) || estimate.kinds != Bound::none;
}

/// What a machine, or several together, do for a request: all that the common metrics follow from
/// (common_metrics.hpp). Members without a comment are the metric of that name.
struct RequestResult {
    Estimate latency = does_not_apply(), ttft = does_not_apply(), itl = does_not_apply();  ///< s
    Estimate energy = does_not_apply();                                                    ///< J
    Estimate power = does_not_apply(), prefill_power = does_not_apply(), decode_power = does_not_apply(),
             peak_power = does_not_apply(), package_power = does_not_apply(), idle_power = does_not_apply();  ///< W
    Estimate waiting_power = does_not_apply();  ///< W while a request runs and nothing works; no metric
    Estimate area = does_not_apply(), memory_area = does_not_apply();  ///< m2
    Estimate footprint = does_not_apply();                             ///< B
    Estimate precision = does_not_apply();                             ///< bit
    double tokens = std::numeric_limits<double>::quiet_NaN();          ///< output tokens of the batch; NaN: it has none
    Estimate cost = does_not_apply(), embodied_carbon = does_not_apply();            ///< USD, kg
    Estimate cost_per_million_tokens = does_not_apply(), carbon = does_not_apply();  ///< USD, kg (economy.hpp)
    std::vector<Estimate> own;  ///< metrics that are not common, in declared order

    [[nodiscard]] Estimate tokens_per_second() const { return per_token(Estimate(tokens) / latency); }
    [[nodiscard]] Estimate energy_per_token() const { return per_token(energy / Estimate(tokens)); }

  private:
    [[nodiscard]] Estimate per_token(Estimate const& figure) const {
        return std::isnan(tokens) ? does_not_apply() : figure;
    }
};

}  // namespace pimdse::models
