#include "dse/space/scenarios.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace pimdse::dse::space {
namespace {

using models::Estimate;
using models::Metric;
using models::MetricList;
using models::Metrics;
using models::Sense;

/// A metric of both, and the name of the baseline's over the design's.
struct Ratio {
    std::string_view of, name, meaning;
};
constexpr std::array ratios{
    Ratio{"latency", "speedup", "latency of the baseline over that of the design"},
    Ratio{"ttft", "ttft_speedup", "time to first token of the baseline over that of the design"},
    Ratio{"energy", "energy_ratio", "energy of the baseline over that of the design"},
};

/// One end of all intervals, weighted.
template <class End>
double aggregated(Aggregate how, bool more_is_better, std::vector<Scenario> const& scenarios, End const& end) {
    double weights = 0.0, sum = 0.0, product = 0.0;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
        double const x = end(s), weight = scenarios[s].written.weight;
        if (std::isnan(x)) return x;
        weights += weight;
        sum += weight * x;
        product += weight * std::log(x);
        least = std::min(least, x);
        most = std::max(most, x);
    }
    switch (how) {
        case Aggregate::geomean:
            return least == most ? least : std::clamp(std::exp(product / weights), least, most);
        case Aggregate::mean:
            return least == most ? least : std::clamp(sum / weights, least, most);
        case Aggregate::sum:
            return sum;
        case Aggregate::worst:
            return more_is_better ? least : most;
        default:
            return most;
    }
}

Estimate no_number() { return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()); }

Estimate quotient(Estimate const& of_baseline, Estimate const& of_design) {
    if (std::isnan(of_baseline.value) || std::isnan(of_design.value) || of_design.value == 0.0) return no_number();
    return of_baseline / of_design;
}

Aggregate default_aggregate(Metric const& metric) {
    static std::set<std::string, std::less<>> const products{"s", "J", "1/s", "B/s", "1/J", "J*s"}, largest{"m2", "B"};
    if (metric.name == "tokens_per_second" || products.contains(metric.unit)) return Aggregate::geomean;
    if (metric.unit == "W") return Aggregate::worst;
    return largest.contains(metric.unit) ? Aggregate::max : Aggregate::mean;
}

}  // namespace

std::vector<models::Value> Baseline::changed(models::Point point) const {
    std::vector<models::Value> design(point.begin(), point.end());
    for (auto const& [parameter, value] : parts_.changes) design[parameter] = value;
    return design;
}

models::Outcome Baseline::outcome(std::size_t scenario, models::Inputs const& inputs, models::Point point,
                                  models::Fidelity fidelity) const {
    if (is_the_design_itself()) return models::evaluate_safely(*parts_.architecture, inputs, changed(point), fidelity);
    auto const& built = parts_.architecture->fidelities;
    auto const finest = std::find_if(built.rbegin(), built.rend(), [&](auto f) { return f <= fidelity; });
    auto const answer = [](Key const& key, Parts const& parts) {
        return models::evaluate_safely(*parts.architecture, parts.inputs, parts.points[key.scenario], key.fidelity);
    };
    return outcomes_.get(Key{scenario, finest == built.rend() ? built.front() : *finest}, answer, parts_);
}

Scenarios::Scenarios(Parts parts, MetricList own) : parts_(std::move(parts)), metrics_(std::move(own)) {
    auto const mine = metrics_;
    if (parts_.baseline) {
        auto const theirs = parts_.baseline->architecture().metrics();
        for (auto const& [of, name, meaning] : ratios) {
            int const a = models::find_metric(mine, of), b = models::find_metric(theirs, of);
            if (a < 0 || b < 0) continue;
            compared_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
            metrics_.push_back({std::string(name), "1", std::string(meaning), Sense::maximize, false,
                                mine[static_cast<std::size_t>(a)].needs});
        }
    }
    for (auto const& metric : metrics_) {
        auto const given = std::find_if(parts_.aggregates.begin(), parts_.aggregates.end(),
                                        [&](auto const& aggregate) { return aggregate.first == metric.name; });
        aggregates_.push_back(given != parts_.aggregates.end() ? given->second : default_aggregate(metric));
    }
}

std::string Scenarios::refusal_of(Scenario const& scenario, Metrics const& answers) const {
    if (scenario.precision == 0.0) return "";
    int const metric = models::find_metric(metrics_, models::precision_key);
    if (metric < 0)
        return fmt::format("precision = {} is asked, and the machine does not say its own", scenario.precision);
    double const bits = answers[static_cast<std::size_t>(metric)].value;
    return bits >= scenario.precision
               ? ""
               : fmt::format("weights are computed with {} bits, {} are asked", bits, scenario.precision);
}

bool Scenarios::ask(std::size_t parameter) const {
    return std::any_of(list().begin(), list().end(),
                       [&](Scenario const& scenario) { return scenario.decides(parameter); });
}

MetricList Scenarios::metrics_of_points() const {
    MetricList all = metrics_;
    for (std::size_t m = 0; m < all.size(); ++m)
        all[m].meaning += fmt::format("; {} over the scenarios", name_of(aggregates_[m]));
    for (auto const& scenario : list()) {
        for (auto metric : metrics_) {
            metric.name += "@" + scenario.written.name;
            all.push_back(std::move(metric));
        }
    }
    return all;
}

Estimate Scenarios::aggregated(std::vector<Metrics> const& answers, std::size_t m) const {
    bool const more = metrics_[m].better == Sense::maximize;
    auto const end = [&](double Estimate::*which) {
        return space::aggregated(aggregates_[m], more, list(), [&](std::size_t s) { return answers[s][m].*which; });
    };
    auto kinds = answers[0][m].kinds;
    for (auto const& answer : answers) kinds = kinds.weaker(answer[m].kinds);
    double const value = end(&Estimate::value);
    if (std::isnan(value)) return no_number();
    // Every aggregate rises with each of its numbers, so that ends become ends; rounding must not part them.
    return {value, std::min(value, end(&Estimate::low)), std::max(value, end(&Estimate::high)), kinds};
}

Metrics Scenarios::combined(std::vector<Metrics> answers, std::vector<Metrics> const& others) const {
    sim::expects(answers.size() == list().size() && !answers.empty(), "a point is answered in every scenario");
    sim::expects(compared_.empty() || others.size() == answers.size(), "and so is its baseline");
    for (std::size_t s = 0; s < answers.size(); ++s) {
        for (auto const& [mine, theirs] : compared_)
            answers[s].push_back(quotient(others[s][theirs], answers[s][mine]));
    }
    Metrics all;
    all.reserve(metrics_.size() * (1 + answers.size()));
    for (std::size_t m = 0; m < metrics_.size(); ++m) all.push_back(aggregated(answers, m));
    for (auto const& answer : answers) all.insert(all.end(), answer.begin(), answer.end());
    return all;
}

}  // namespace pimdse::dse::space
