#include "dse/report/service_curves.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/max_rate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace pimdse::dse::report {
namespace {

using models::service::Traffic;
using sim::Json;
using sim::serving::RequestTimes;
using sim::serving::Schedule;
using sim::serving::ServiceLoad;

constexpr std::size_t max_quantiles = 200, time_parts = 240;
/// Rates are the largest one times 2^(k / 2), k from -7 to 4.
constexpr int first_half_octave = -7, last_half_octave = 4;

/// A change of the numbers of requests.
struct CountChange {
    double at = 0.0;
    std::int64_t waiting = 0, running = 0;
};

std::vector<CountChange> changes_in(Schedule const& schedule) {
    std::vector<CountChange> changes;
    for (auto const& times : schedule.requests) {
        if (times.rejected) continue;
        changes.push_back({times.arrival, 1, 0});
        changes.push_back({times.scheduled, -1, 1});
        changes.push_back({times.last_token, 0, -1});
    }
    std::ranges::sort(changes, {}, &CountChange::at);
    return changes;
}

void add_times(ServiceCurves& curves, Traffic const& traffic, Schedule const& schedule) {
    std::vector<double> ttft, tpot;
    for (std::size_t i = 0; i < schedule.requests.size(); ++i) {
        auto const& times = schedule.requests[i];
        if (times.rejected) continue;
        ttft.push_back(times.first_token - times.arrival);
        auto const after_first = traffic.load.requests[i].output - 1;
        if (after_first > 0) tpot.push_back((times.last_token - times.first_token) / sim::as_double(after_first));
    }
    curves.ttft = quantiles_of(std::move(ttft), max_quantiles);
    curves.tpot = quantiles_of(std::move(tpot), max_quantiles);
    curves.occupancy = occupancy_of(schedule, time_parts);
}

/// The number with six digits.
double rounded(double value) {
    auto const text = fmt::format("{:.6g}", value);
    double read = value;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return read;
}

Json rounded_json(std::vector<double> const& values) {
    auto list = Json::array();
    for (double const value : values) list.push_back(rounded(value));
    return list;
}

}  // namespace

std::vector<double> quantiles_of(std::vector<double> values, std::size_t max) {
    std::ranges::sort(values);
    std::size_t const count = std::min(values.size(), max);
    std::vector<double> quantiles;
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const rank = ((i + 1) * values.size() + count - 1) / count;
        quantiles.push_back(values[rank - 1]);
    }
    return quantiles;
}

Occupancy occupancy_of(Schedule const& schedule, std::size_t parts) {
    auto const changes = changes_in(schedule);
    Occupancy found;
    if (changes.empty()) return found;
    found.end = changes.back().at;
    found.waiting.assign(parts + 1, 0);
    found.running.assign(parts + 1, 0);
    double const width = found.end / static_cast<double>(parts);
    auto const part_of = [&](double at) {
        return width > 0.0 ? std::min(parts - 1, static_cast<std::size_t>(at / width)) : std::size_t{0};
    };
    std::int64_t waiting = 0, running = 0;
    for (std::size_t i = 0; i < changes.size();) {
        double const from = changes[i].at;
        for (; i < changes.size() && changes[i].at == from; ++i) {
            waiting += changes[i].waiting;
            running += changes[i].running;
        }
        if (i == changes.size()) break;
        double const to = changes[i].at;  // the numbers hold until then
        for (auto part = part_of(from);
             part < parts && (part == part_of(from) || static_cast<double>(part) * width < to); ++part) {
            found.waiting[part] = std::max(found.waiting[part], waiting);
            found.running[part] = std::max(found.running[part], running);
        }
    }
    found.waiting[parts] = waiting;
    found.running[parts] = running;
    return found;
}

ServiceLoad at_rate(ServiceLoad load, double rate) {
    auto const own = sim::serving::rate_of(load);
    sim::expects(own.has_value(), "a load that is scaled has a rate");
    for (auto& request : load.requests) request.arrival *= *own / rate;
    return load;
}

std::optional<ServiceCurves> service_curves(Traffic const& traffic, double max_rate, ServeTraffic const& serve) {
    auto const served = serve(traffic);
    if (!served) return std::nullopt;
    ServiceCurves curves;
    auto const& summary = served->summary;
    curves.requests = summary.requests;
    curves.rejected = summary.rejected;
    curves.preemptions = summary.preemptions;
    curves.saturated = summary.saturated;
    curves.max_rate = max_rate;
    add_times(curves, traffic, served->schedule);
    auto const own = sim::serving::rate_of(traffic.load);
    if (!own) return curves;
    double const middle = std::isfinite(max_rate) && max_rate > 0.0 ? max_rate : *own;
    auto scaled = traffic;
    for (int k = first_half_octave; k <= last_half_octave; ++k) {
        double const rate = middle * std::exp2(k / 2.0);
        scaled.load = at_rate(traffic.load, rate);
        auto const found = serve(scaled);
        if (found) curves.rates.push_back({rate, found->summary.goodput, found->summary.good_share});
    }
    return curves;
}

Json curves_json(ServiceCurves const& curves) {
    auto rates = Json::array();
    for (auto const& at : curves.rates) rates.push_back(rounded_json({at.rate, at.goodput, at.good_share}));
    return {{"requests", curves.requests},
            {"rejected", curves.rejected},
            {"preemptions", curves.preemptions},
            {"saturated", curves.saturated},
            {"ttft", rounded_json(curves.ttft)},
            {"tpot", rounded_json(curves.tpot)},
            {"end", rounded(curves.occupancy.end)},
            {"waiting", curves.occupancy.waiting},
            {"running", curves.occupancy.running},
            {"max_rate", std::isfinite(curves.max_rate) ? Json(rounded(curves.max_rate)) : Json()},
            {"rates", std::move(rates)}};
}

}  // namespace pimdse::dse::report
