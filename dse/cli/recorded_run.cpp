#include "dse/cli/recorded_run.hpp"

#include "models/contract/architecture.hpp"
#include "models/service/service.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using sim::serving::TokenTimes;

std::vector<models::Value> point_in(PointRequest const& requested, space::Scenario const& scenario) {
    auto point = requested.point;
    for (auto const& [parameter, value] : scenario.asks) point[parameter] = value;
    return point;
}

/// Seconds for each token after the first; 0 for a request of one token.
double per_token(TokenTimes const& times, std::int64_t output) {
    return output > 1 ? (times.last - times.first) / sim::as_double(output - 1) : 0.0;
}

}  // namespace

RecordedRun::RecordedRun(PointRequest const& requested) : scenario_(requested.machine.scenarios.list().front()) {
    auto const& keys = scenario_.written.keys;
    auto const has = [&](std::string_view key) {
        return std::ranges::any_of(keys, [&](auto const& one) { return one.first == key; });
    };
    if (requested.machine.scenarios.list().size() != 1 || !traffic().trace)
        throw UsageError("a run is one scenario with traffic.trace");
    if (traffic().again || has("traffic.rate"))
        throw UsageError(
            fmt::format("a run is replayed at its own times, and {} has none or others. Is it a run of "
                        "requests with their arrivals, or of a fixed number of users?",
                        traffic().files.front().string()));
    sim::serving::TraceOptions options;
    options.max_requests = traffic().load.requests.size();
    options.tokens = true;
    measured_ = sim::serving::read_trace(traffic().files.front(), options).tokens;
}

std::vector<std::size_t> RecordedRun::forbidden(PointRequest const& requested) const {
    auto const& architecture = *requested.machine.architecture;
    auto const& inputs = requested.machine.inputs;
    auto const table = architecture.metrics();
    auto const ttft = static_cast<std::size_t>(models::find_metric(table, "ttft")),
               itl = static_cast<std::size_t>(models::find_metric(table, "itl"));
    auto const point = point_in(requested, scenario_);
    constexpr double rounding = 1.0 - 1e-6;
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, double>> lowest;
    auto const lower_of = [&](sim::serving::ServiceRequest const& request) {
        auto const [known, is_new] = lowest.try_emplace({request.input, request.output});
        if (!is_new) return known->second;
        auto const alone =
            models::service::point_of_request(architecture, inputs.parameters, point, request.input, request.output);
        auto const outcome = architecture.evaluate(inputs, alone, requested.fidelity);
        if (auto const* metrics = std::get_if<models::Metrics>(&outcome))
            known->second = {(*metrics)[ttft].lower, request.output > 1 ? (*metrics)[itl].lower : 0.0};
        return known->second;
    };
    std::vector<std::size_t> found;
    auto const& requests = traffic().load.requests;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const [first, later] = lower_of(requests[i]);
        bool const reuses = requests[i].path != sim::serving::ServiceRequest::none;
        if ((!reuses && measured_[i].first < first * rounding) ||
            per_token(measured_[i], requests[i].output) < later * rounding)
            found.push_back(i + 1);
    }
    return found;
}

std::vector<TokenTimes> RecordedRun::replayed(PointRequest const& requested) const {
    auto const served = models::service::serve(*requested.machine.architecture, requested.machine.inputs,
                                               point_in(requested, scenario_), requested.fidelity, traffic());
    if (auto const* rule = std::get_if<models::Infeasible>(&served)) throw sim::InputError(rule->reason);
    std::vector<TokenTimes> all;
    for (auto const& times : std::get<models::service::Served>(served).schedule.requests) {
        if (times.rejected)
            throw sim::InputError(
                fmt::format("request {} exceeds the cache or the context of {}, and the run served it. Are the "
                            "scheduler and the number of devices those of the run?",
                            all.size() + 1, requested.machine.name));
        all.push_back({times.first_token - times.arrival, times.last_token - times.arrival});
    }
    return all;
}

std::vector<double> RecordedRun::Errors::all() const {
    auto together = first;
    together.insert(together.end(), later.begin(), later.end());
    together.insert(together.end(), last.begin(), last.end());
    return together;
}

RecordedRun::Errors RecordedRun::errors(std::span<TokenTimes const> replayed, Part part, std::size_t together) const {
    Errors found;
    auto const add = [](std::vector<double>& to, double is, double was) {
        if (was > 0.0) to.push_back(std::log(is / was));
    };
    struct Sums {
        double first = 0.0, later = 0.0, last = 0.0;
    };
    for (auto begin = part.first; begin < part.last; begin += together) {
        Sums is, was;
        for (auto i = begin; i < std::min(part.last, begin + together); ++i) {
            auto const output = traffic().load.requests[i].output;
            for (auto const& [sums, times] : {std::pair(&is, &replayed[i]), std::pair(&was, &measured_[i])}) {
                sums->first += times->first;
                sums->later += per_token(*times, output);
                sums->last += times->last;
            }
        }
        add(found.first, is.first, was.first);
        add(found.later, is.later, was.later);
        add(found.last, is.last, was.last);
    }
    return found;
}

std::vector<RecordedRun::Figure> RecordedRun::figures(std::span<TokenTimes const> times, Part part) const {
    auto const& requests = traffic().load.requests;
    double end = 0.0, first = 0.0, later = 0.0, count = 0.0;
    for (auto i = part.first; i < part.last; ++i) {
        end = std::max(end, requests[i].arrival + times[i].last);
        first += times[i].first;
        if (requests[i].output == 1) continue;
        later += per_token(times[i], requests[i].output);
        ++count;
    }
    return {{"makespan", end - requests[part.first].arrival},
            {"ttft_mean", first / static_cast<double>(part.last - part.first)},
            {"tpot_mean", count > 0.0 ? later / count : 0.0}};
}

}  // namespace pimdse::dse::cli
