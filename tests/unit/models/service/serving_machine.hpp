#pragma once

#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service.hpp"
#include "models/service/service_metrics.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models::service::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// A machine that serves traffic, and its points from settings as a user writes them.
class ServingMachine {
  public:
    explicit ServingMachine(std::string const& name, Settings const& settings = {})
        : architecture_(find_architecture(name)) {
        auto parameters = architecture_.parameters();
        auto const more = scheduler_parameters();
        parameters.insert(parameters.end(), more.begin(), more.end());
        point_ = point_with(parameters, settings);
        inputs_ = prepare(architecture_, parameters);
        metrics_ = architecture_.metrics();
        auto const own = service_metrics();
        metrics_.insert(metrics_.end(), own.begin(), own.end());
    }

    [[nodiscard]] Outcome outcome(Traffic const& traffic, Fidelity fidelity = Fidelity::analytic,
                                  Refusal const& refusal = {}) const {
        return evaluate_service(architecture_, inputs_, point_, fidelity, traffic, refusal);
    }
    [[nodiscard]] Metrics known(Traffic const& traffic) const {
        return std::get<Metrics>(known_before_serving(architecture_, inputs_, point_, Fidelity::analytic, traffic));
    }
    [[nodiscard]] Metrics metrics(Traffic const& traffic, Fidelity fidelity = Fidelity::analytic) const {
        auto found = outcome(traffic, fidelity);
        if (auto const* rule = std::get_if<Infeasible>(&found)) ADD_FAILURE() << rule->reason;
        return std::get<Metrics>(std::move(found));
    }
    [[nodiscard]] Estimate of(Metrics const& metrics, std::string_view name) const {
        return metrics.at(static_cast<std::size_t>(find_metric(metrics_, name)));
    }
    [[nodiscard]] double value(Traffic const& traffic, std::string_view name) const {
        return of(metrics(traffic), name).value;
    }
    /// The rule that the point violates; "" if it is feasible.
    [[nodiscard]] std::string rule(Traffic const& traffic) const {
        auto const found = outcome(traffic);
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    }
    [[nodiscard]] Served served(Traffic const& traffic) const {
        return std::get<Served>(serve(architecture_, inputs_, point_, Fidelity::analytic, traffic));
    }
    [[nodiscard]] sim::serving::LargestRate largest(Traffic const& traffic) const {
        return max_rate(architecture_, inputs_, point_, Fidelity::analytic, traffic).value();
    }
    [[nodiscard]] MetricList const& table() const { return metrics_; }

  private:
    Architecture const& architecture_;
    std::vector<Value> point_;
    Inputs inputs_;
    MetricList metrics_;
};

/// `requests` of drawn lengths at this rate, with further keys.
inline Traffic drawn(std::string const& rate, int requests, Settings const& more = {}) {
    Settings keys{{"traffic.rate", rate},
                  {"traffic.requests", std::to_string(requests)},
                  {"traffic.input", "lognormal 300 600"},
                  {"traffic.output", "lognormal 60 110"}};
    keys.insert(keys.end(), more.begin(), more.end());
    return read_traffic_keys(keys);
}

}  // namespace pimdse::models::service::test
