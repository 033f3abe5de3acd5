#pragma once

#include "models/contract/outcome.hpp"

#include <array>
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
    Estimate rest = does_not_apply();                                                      ///< s after ttft; no metric
    double later_tokens = 0.0;           ///< of a sequence, which it yields in `rest`
    Estimate energy = does_not_apply();  ///< J
    Estimate power = does_not_apply(), prefill_power = does_not_apply(), decode_power = does_not_apply(),
             peak_power = does_not_apply(), package_power = does_not_apply(), idle_power = does_not_apply();  ///< W
    Estimate waiting_power = does_not_apply();  ///< W while a request runs and nothing works; no metric
    Estimate area = does_not_apply(), memory_area = does_not_apply();  ///< m2
    Estimate footprint = does_not_apply();                             ///< B
    Estimate precision = does_not_apply();                             ///< bit
    /// Of the batch, NaN if it has none: output tokens; prompt and output tokens.
    double tokens = std::numeric_limits<double>::quiet_NaN(), positions = std::numeric_limits<double>::quiet_NaN();
    Estimate cost = does_not_apply(), embodied_carbon = does_not_apply();            ///< USD, kg
    Estimate cost_per_million_tokens = does_not_apply(), carbon = does_not_apply();  ///< USD, kg (economy.hpp)
    std::vector<Estimate> own;  ///< metrics that are not common, in declared order

    /// What machines have together, whatever they do.
    static constexpr std::array<Estimate RequestResult::*, 5> of_machine{
        &RequestResult::idle_power, &RequestResult::area, &RequestResult::memory_area, &RequestResult::cost,
        &RequestResult::embodied_carbon};

    /// So many tokens; does not apply if there are none.
    [[nodiscard]] static Estimate amount(double tokens) { return std::isnan(tokens) ? does_not_apply() : tokens; }
    [[nodiscard]] Estimate tokens_per_second() const { return amount(tokens) / latency; }
    [[nodiscard]] Estimate energy_per_token() const { return energy / amount(tokens); }
    /// Does not apply to a request without energy.
    [[nodiscard]] Estimate per_joule(double of_tokens) const {
        return energy.value > 0.0 ? amount(of_tokens) / energy : does_not_apply();
    }
    /// A machine without a request, of which all is known.
    [[nodiscard]] static RequestResult known_machine() {
        RequestResult all;
        for (auto const member : of_machine) all.*member = 1.0;
        all.precision = 1.0;
        return all;
    }
    /// So many equal machines without a request.
    [[nodiscard]] RequestResult machines(double count) const {
        RequestResult all;
        for (auto const member : of_machine) all.*member = Estimate(count) * this->*member;
        all.precision = precision;
        return all;
    }
};

}  // namespace pimdse::models
