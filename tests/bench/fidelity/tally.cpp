#include "tally.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace pimdse::fidelity {

using models::Bound;
using models::Fidelity;

namespace {

constexpr double slack = 1e-12;  ///< relative: two orders of adding the same numbers

sim::Json json_of(Spread const& spread) {
    if (spread.seen.empty()) return {{"count", 0}};
    return {{"count", spread.seen.size()},  {"median", spread.quantile(0.5)}, {"p95", spread.quantile(0.95)},
            {"p99", spread.quantile(0.99)}, {"mean", spread.mean()},          {"worst", spread.worst},
            {"at", spread.worst_at}};
}

std::string shown(Spread const& spread, double factor, double quantile) {
    return fmt::format("{:.3f} {:.3f}", factor * spread.quantile(0.5), factor * spread.quantile(quantile));
}

}  // namespace

void Spread::add(double value, std::string const& at) {
    if (seen.empty() || value > worst) worst = value, worst_at = at;
    seen.push_back(value);
}

double Spread::quantile(double q) const {
    if (seen.empty()) return std::numeric_limits<double>::quiet_NaN();
    auto sorted = seen;
    auto const place = static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(sorted.size())) - 1.0);
    auto const nth = sorted.begin() + std::max<std::ptrdiff_t>(place, 0);
    std::ranges::nth_element(sorted, nth);
    return *nth;
}

double Spread::mean() const {
    return std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
}

void Tally::look(std::size_t metric, models::Estimate const& said, double truth, std::string const& at) {
    if (std::isnan(truth) || std::isnan(said.value)) return;
    double const room = slack * std::abs(truth);
    bool const below = said.kinds.lower != Bound::none && said.lower > truth + room;
    bool const above = said.kinds.upper != Bound::none && said.upper < truth - room;
    bounds_ += (said.kinds.lower != Bound::none) + (said.kinds.upper != Bound::none);
    if (below || above) violations_.push_back({metrics_[metric].name, at, said, truth});
}

void Tally::compare(models::Metrics const& coarse, models::Metrics const& exact, std::string const& at) {
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        double const truth = exact[i].value;
        look(i, coarse[i], truth, at);
        if (metrics_[i].name == "latency" && truth > 0.0) estimate_.add(std::abs(coarse[i].value / truth - 1.0), at);
        if (coarse[i].kinds.lower != Bound::proved || !(coarse[i].lower > 0.0)) continue;
        if (metrics_[i].name == "latency") latency_.add(truth / coarse[i].lower, at);
        if (metrics_[i].name == "energy") energy_.add(truth / coarse[i].lower, at);
    }
}

void Tally::print() const {
    fmt::print("  {:8} {:6} designs  CPU ms median {:.4f} 99 % {:.4f} mean {:.4f} worst {:.1f}", name_of(fidelity_),
               cpu_.seen.size(), 1e3 * cpu_.quantile(0.5), 1e3 * cpu_.quantile(0.99), 1e3 * cpu_.mean(),
               1e3 * cpu_.worst);
    if (fidelity_ != Fidelity::cycle)
        fmt::print(
            "  cycle / lower bound, median, 95 %: latency {} of {}, energy {} of {}; estimate off by {} %; {} of {} "
            "bounds left",
            shown(latency_, 1.0, 0.95), latency_.seen.size(), shown(energy_, 1.0, 0.95), energy_.seen.size(),
            shown(estimate_, 100.0, 0.95), violations_.size(), bounds_);
    fmt::print("\n           dearest: {}\n", cpu_.worst_at);
    if (!latency_.seen.empty())
        fmt::print("           loosest latency, {:.2f}: {}\n", latency_.worst, latency_.worst_at);
    std::map<std::string, std::size_t> of_metric;
    for (auto const& v : violations_) {
        if (++of_metric[v.metric] > 3) continue;
        fmt::print("  LEFT {} {} [{:.9g}, {:.9g}] {}: cycle says {:.9g}: {}\n", v.metric, name_of(v.said.kinds),
                   v.said.lower, v.said.upper, v.said.lower > v.truth ? "below" : "above", v.truth, v.at);
    }
    for (auto const& [metric, count] : of_metric) fmt::print("  {} of {} left\n", count, metric);
    for (std::size_t i = 0; i < std::min<std::size_t>(disagreements_.size(), 5); ++i)
        fmt::print("  FEASIBLE at one level only: {}\n", disagreements_[i]);
}

sim::Json Tally::json() const {
    sim::Json row = {{"fidelity", name_of(fidelity_)}, {"cpu", json_of(cpu_)}};
    if (fidelity_ == Fidelity::cycle) return row;
    row["latency"] = json_of(latency_);
    row["energy"] = json_of(energy_);
    row["estimate"] = json_of(estimate_);
    row["bounds"] = bounds_;
    row["left"] = violations_.size();
    row["feasible_at_one_level"] = disagreements_.size();
    return row;
}

}  // namespace pimdse::fidelity
