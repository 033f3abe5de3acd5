#include "dse/report/service_facts.hpp"

#include "sim/base/json.hpp"
#include "sim/serving/summary.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace pimdse::dse::report::service_curves_test {
namespace {

using models::service::Served;
using models::service::Traffic;
using sim::serving::RequestTimes;
using sim::serving::Schedule;

/// Requests whose times follow each other with random gaps, of which many are 0.
Schedule random_schedule(std::mt19937_64& random, std::size_t count) {
    std::uniform_int_distribution<int> gap(0, 9);
    auto const later = [&](double at) { return at + std::max(0, gap(random) - 3) * 0.25; };
    Schedule schedule;
    double arrival = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        arrival = later(arrival);
        RequestTimes times{arrival, later(arrival)};
        times.first_token = later(times.scheduled);
        times.last_token = later(times.first_token);
        if (gap(random) == 0) times = {arrival, 0.0, 0.0, 0.0, 0, true};
        schedule.requests.push_back(times);
    }
    return schedule;
}

/// Requests that wait, and that are in service, just after a time.
std::pair<std::int64_t, std::int64_t> numbers_at(Schedule const& schedule, double time) {
    std::int64_t waiting = 0, running = 0;
    for (auto const& request : schedule.requests) {
        if (request.rejected) continue;
        waiting += request.arrival <= time && time < request.scheduled ? 1 : 0;
        running += request.scheduled <= time && time < request.last_token ? 1 : 0;
    }
    return {waiting, running};
}

TEST(Quantiles, are_those_of_nearest_rank) {
    std::mt19937_64 random(1);
    std::vector<double> values(1234);
    for (auto& value : values) value = static_cast<double>(random() % 500);
    auto const found = quantiles_of(values, 100);
    ASSERT_EQ(found.size(), 100U);
    std::ranges::sort(values);
    for (std::int64_t percent = 1; percent <= 100; ++percent)
        EXPECT_EQ(found[static_cast<std::size_t>(percent - 1)], sim::serving::nearest_rank(values, percent));
    EXPECT_EQ(quantiles_of(values, 5000), values) << "few values are all there";
    EXPECT_TRUE(quantiles_of({}, 100).empty());
}

TEST(Occupancy, has_the_largest_numbers_of_each_part_and_ends_with_none) {
    std::mt19937_64 random(2);
    for (std::size_t round = 0; round < 300; ++round) {
        auto const schedule = random_schedule(random, 1 + random() % 40);
        std::size_t const parts = 1 + random() % 50;
        auto const found = occupancy_of(schedule, parts);
        if (found.end == 0.0) continue;  // nothing was served, or at once
        ASSERT_EQ(found.waiting.size(), parts + 1);
        ASSERT_EQ(found.running.size(), parts + 1);
        EXPECT_EQ(found.waiting.back(), 0);
        EXPECT_EQ(found.running.back(), 0);
        std::vector<std::int64_t> waiting(parts + 1), running(parts + 1);
        double const width = found.end / static_cast<double>(parts);
        auto const look = [&](std::size_t part, double time) {
            auto const [waits, runs] = numbers_at(schedule, time);
            waiting[part] = std::max(waiting[part], waits);
            running[part] = std::max(running[part], runs);
        };
        double area = 0.0, in_service = 0.0;
        for (std::size_t part = 0; part < parts; ++part) {
            double const from = static_cast<double>(part) * width;
            look(part, from);
            for (auto const& request : schedule.requests)
                for (double const at : {request.arrival, request.scheduled, request.last_token})
                    if (std::min(parts - 1, static_cast<std::size_t>(at / width)) == part) look(part, at);
            area += static_cast<double>(found.running[part]) * width;
        }
        for (auto const& request : schedule.requests) in_service += request.last_token - request.scheduled;
        EXPECT_EQ(found.waiting, waiting);
        EXPECT_EQ(found.running, running);
        EXPECT_GE(area * (1.0 + 1e-12), in_service);
    }
}

/// A machine of which every request takes a second, one after the other.
Served one_after_the_other(Traffic const& traffic) {
    Served served;
    double free = 0.0;
    for (auto const& request : traffic.load.requests) {
        double const start = std::max(free, request.arrival);
        free = start + 1.0;
        served.schedule.requests.push_back({request.arrival, start, start + 0.5, free});
    }
    served.schedule.end = free;
    served.summary = sim::serving::summarise(traffic.load, {}, served.schedule, traffic.objectives, 0.0);
    return served;
}

Traffic regular(std::size_t count, double gap) {
    Traffic traffic;
    for (std::size_t i = 0; i < count; ++i) traffic.load.requests.push_back({static_cast<double>(i) * gap, 10, 2});
    traffic.objectives.ttft = 0.6;
    traffic.share = 1.0;
    return traffic;
}

TEST(Curves, of_goodput_rise_with_the_rate_and_fall_beyond_the_largest) {
    auto const traffic = regular(50, 2.0);
    auto const curves = service_curves(traffic, 1.0, one_after_the_other);
    ASSERT_TRUE(curves);
    EXPECT_EQ(curves->requests, 50);
    ASSERT_EQ(curves->rates.size(), 12U);
    for (auto const& at : curves->rates) {
        EXPECT_EQ(at.good_share == 1.0, at.rate <= 1.0) << at.rate;
        EXPECT_LE(at.goodput, at.rate * 50 / 49);
    }
    EXPECT_EQ(std::ranges::count(curves->rates, 1.0, &AtRate::rate), 1) << "the largest rate is one of them";
    EXPECT_TRUE(std::ranges::is_sorted(curves->rates, {}, &AtRate::rate));
    EXPECT_EQ(curves->ttft, std::vector<double>(50, 0.5));
    EXPECT_EQ(curves->tpot, std::vector<double>(50, 0.5));
}

TEST(Curves, have_no_rates_if_the_load_has_none) {
    auto together = regular(5, 0.0);
    EXPECT_TRUE(service_curves(together, std::nan(""), one_after_the_other)->rates.empty());
    auto closed = regular(5, 1.0);
    closed.load.concurrency = 2;
    EXPECT_TRUE(service_curves(closed, std::nan(""), one_after_the_other)->rates.empty());
    EXPECT_FALSE(service_curves(closed, 1.0, [](Traffic const&) { return std::nullopt; }));
    auto const slow = service_curves(regular(5, 4.0), 0.0, one_after_the_other);
    EXPECT_EQ(std::ranges::count(slow->rates, 0.25, &AtRate::rate), 1) << "around the rate of the load";
}

/// As the percentiles of `evaluate`: the first request of each user of a closed loop is none of them.
TEST(Curves, of_times_begin_after_the_warm_up) {
    auto closed = regular(20, 0.0);  // the second waits for the first, and so on
    closed.load.concurrency = 4;
    auto const served = one_after_the_other(closed);
    auto const curves = service_curves(closed, std::nan(""), one_after_the_other);
    ASSERT_EQ(served.summary.warm_up, 4);
    EXPECT_EQ(curves->requests, 20);
    ASSERT_EQ(curves->ttft.size(), 16U);
    EXPECT_EQ(curves->tpot.size(), 16U);
    EXPECT_EQ(curves->ttft.front(), 4.5);
    EXPECT_EQ(curves->ttft.back(), served.summary.ttft->p99);
}

TEST(Curves, are_written_with_six_digits) {
    ServiceCurves curves;
    curves.requests = 2;
    curves.ttft = {1.0 / 3.0, 12345678.0};
    curves.occupancy = {2.0 / 3.0, {1, 0}, {2, 0}};
    curves.max_rate = std::numeric_limits<double>::infinity();
    curves.rates = {{1e-9 / 3.0, 0.0, 1.0}};
    EXPECT_EQ(curves_json(curves).dump(),
              R"({"requests":2,"rejected":0,"preemptions":0,"saturated":false,"ttft":[0.333333,12345700.0],"tpot":[],)"
              R"("end":0.666667,"waiting":[1,0],"running":[2,0],"max_rate":null,"rates":[[3.33333e-10,0.0,1.0]]})");
}

}  // namespace
}  // namespace pimdse::dse::report::service_curves_test
