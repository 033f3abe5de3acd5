#include "models/service/service_metrics.hpp"

#include "models/contract/common_metrics.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::models::service::test::service_metrics_test {
namespace {

Estimate of(Metrics const& metrics, std::string_view name) {
    return metrics.at(static_cast<std::size_t>(find_metric(service_metrics(), name)));
}

TEST(ServiceMetrics, have_names_of_their_own) {
    std::set<std::string> names;
    for (auto const& metric : service_metrics()) {
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
        EXPECT_EQ(find_common_metric(metric.name), nullptr) << metric.name;
        EXPECT_FALSE(applies_to_services(metric.name));
    }
    std::set<std::string_view> const of_service{
        "peak_power", "cost_per_million_tokens", "idle_power", "area", "memory_area", "silicon", "precision",
        "cost",       "embodied_carbon"};
    for (auto const& common : common_metrics)
        EXPECT_EQ(applies_to_services(common.name), of_service.contains(common.name)) << common.name;
    EXPECT_TRUE(applies_by_schedule("cost_per_million_tokens") && applies_by_schedule("max_rate"));
    EXPECT_FALSE(applies_by_schedule("cost") || applies_by_schedule("goodput") || applies_by_schedule("latency"));
}

TEST(ServiceMetrics, do_not_apply_where_nothing_was_served) {
    sim::serving::ServiceSummary nothing;
    nothing.requests = nothing.rejected = 3;
    auto const metrics = metrics_of(nothing, {});
    EXPECT_FALSE(applies(of(metrics, "ttft_p99")));
    EXPECT_FALSE(applies(of(metrics, "energy_per_good_token")));
    EXPECT_FALSE(applies(of(metrics, "max_rate")));
    EXPECT_FALSE(applies(of(metrics, "carbon_per_good_token")));
    EXPECT_EQ(of(metrics, "goodput").value, 0.0);
    EXPECT_EQ(of(metrics, "rejected").value, 3.0);
}

/// A time is bounded from below, a rate from above, and what no relaxation bounds is unknown.
TEST(ServiceMetrics, have_intervals_of_requests_that_are_served_alone) {
    sim::serving::ServiceSummary found, best;
    found.ttft = {3.0, 2.0, 4.0, 9.0};
    best.ttft = {1.0, 1.0, 1.0, 2.0};
    found.goodput = 5.0;
    best.goodput = 8.0;
    found.makespan = 10.0;
    best.makespan = 7.0;
    auto metrics = metrics_of(found, {sim::serving::LargestRate{4.0, 3.0}, 0.5});
    set_intervals(metrics, &best);
    auto const ttft = of(metrics, "ttft_p99"), goodput = of(metrics, "goodput"), rate = of(metrics, "max_rate");
    EXPECT_EQ(ttft.lower, 2.0);
    EXPECT_EQ(ttft.value, 9.0);
    EXPECT_EQ(ttft.kinds, (sim::BoundKinds{Bound::proved, Bound::none}));
    EXPECT_EQ(goodput.upper, 8.0);
    EXPECT_EQ(goodput.kinds, (sim::BoundKinds{Bound::none, Bound::proved}));
    EXPECT_EQ(rate.kinds, sim::BoundKinds{Bound::none});
    EXPECT_EQ(rate.value, 4.0);
    EXPECT_EQ(of(metrics, "sustained_rate").value, 3.0);
    EXPECT_EQ(of(metrics, "carbon_per_good_token").value, 0.5);
    EXPECT_EQ(of(metrics, "mean_power").kinds, sim::BoundKinds{Bound::none});
}

TEST(ServiceMetrics, have_no_intervals_without_bounds_of_steps) {
    sim::serving::ServiceSummary found;
    found.ttft = {3.0, 2.0, 4.0, 9.0};
    found.goodput = found.good_share = found.request_rate = found.output_rate = 0.5;
    auto metrics = metrics_of(found, {});
    set_intervals(metrics, nullptr);
    for (auto const& metric : metrics) EXPECT_EQ(metric.kinds, sim::BoundKinds{Bound::none});
}

TEST(ServiceMetrics, of_a_machine_with_a_spread_have_it_to_either_side_of_times_and_rates) {
    sim::serving::ServiceSummary found;
    found.ttft = {3.0, 2.0, 4.0, 9.0};
    found.good_share = 0.5;
    found.request_rate = 8.0;
    auto metrics = metrics_of(found, {});
    set_spread(metrics, 2.0, 0.0);
    for (auto const* name : {"ttft_p99", "request_rate"}) {
        auto const metric = of(metrics, name);
        EXPECT_EQ(metric.lower, metric.value / 2.0);
        EXPECT_EQ(metric.upper, metric.value * 2.0);
        EXPECT_EQ(metric.kinds, sim::BoundKinds{Bound::calibrated});
    }
    for (auto const* name : {"good_share", "preemptions", "kv_peak", "mean_power"})
        EXPECT_EQ(of(metrics, name).kinds, sim::BoundKinds{Bound::none}) << name << " follows from inexact times";
    EXPECT_EQ(of(metrics, "rejected").kinds, sim::BoundKinds{Bound::proved}) << "lengths alone decide";
    EXPECT_FALSE(applies(of(metrics, "tpot_p99")));
}

/// No machine serves more a second than arrive, however fast it is; but more of them may be good.
TEST(ServiceMetrics, of_a_machine_with_a_spread_serve_no_request_before_it_arrives) {
    sim::serving::ServiceSummary found;
    found.makespan = 10.0;
    found.request_rate = 8.0;
    found.output_rate = 80.0;
    for (double const good : {8.0, 6.0, 1.0, 0.0}) {
        found.goodput = good;
        auto metrics = metrics_of(found, {});
        set_spread(metrics, 2.0, 0.8);
        EXPECT_EQ(of(metrics, "makespan").lower, 8.0);
        EXPECT_EQ(of(metrics, "makespan").upper, 20.0);
        EXPECT_EQ(of(metrics, "request_rate").upper, 10.0);
        EXPECT_EQ(of(metrics, "request_rate").lower, 4.0);
        EXPECT_EQ(of(metrics, "output_rate").upper, 100.0);
        EXPECT_EQ(of(metrics, "goodput").upper, 10.0) << "a little faster, all may meet their limits";
        EXPECT_EQ(of(metrics, "goodput").kinds, (sim::BoundKinds{Bound::none, Bound::calibrated}));
    }
}

/// Requests that take no time at all are served at any rate.
TEST(ServiceMetrics, have_unbounded_rates_where_nothing_takes_time) {
    sim::serving::ServiceSummary found, instant;
    found.goodput = found.request_rate = found.output_rate = 0.5;
    found.good_share = 0.5;
    instant.good_share = 1.0;
    auto metrics = metrics_of(found, {});
    set_intervals(metrics, &instant);
    for (auto const* rate : {"goodput", "request_rate", "output_rate"})
        EXPECT_EQ(of(metrics, rate).kinds, sim::BoundKinds{Bound::none}) << rate;
    EXPECT_EQ(of(metrics, "good_share").upper, 1.0);
}

}  // namespace
}  // namespace pimdse::models::service::test::service_metrics_test
