#include "models/economy/cost_metrics.hpp"

#include "sim/base/check.hpp"

#include <utility>

namespace pimdse::models::economy {

CostMetrics::CostMetrics(MetricList own, std::string_view note) : table_(std::move(own)) {
    auto const at = [&](std::string_view name) {
        int const found = find_metric(table_, name);
        sim::expects(found >= 0, "cost and carbon follow from these metrics");
        return static_cast<std::size_t>(found);
    };
    latency_ = at("latency");
    energy_ = at("energy");
    idle_power_ = at("idle_power");
    tokens_per_second_ = at("tokens_per_second");
    energy_per_token_ = at("energy_per_token");
    table_.push_back(common_metric("cost", note, true));
    table_.push_back(common_metric("embodied_carbon", "", true));
    table_.push_back(needing(common_metric("cost_per_million_tokens", "", true), table_[tokens_per_second_].needs));
    table_.push_back(common_metric("carbon", "", true));
}

Metrics CostMetrics::with_costs(Metrics own, Economy const& economy, Materials const& materials) const {
    auto const bill = economy.bill(materials);
    RequestFigures const served{own[latency_], own[energy_], own[idle_power_], own[tokens_per_second_],
                                own[energy_per_token_]};
    auto const cost = Estimate::exact(bill.total()), embodied = Estimate::exact(bill.carbon);
    own.push_back(cost);
    own.push_back(embodied);
    own.push_back(economy.per_million_tokens(cost, served));
    own.push_back(economy.carbon(embodied, served));
    return own;
}

}  // namespace pimdse::models::economy
