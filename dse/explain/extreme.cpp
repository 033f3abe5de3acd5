#include "dse/explain/extreme.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace pimdse::dse::explain {
namespace {

using models::Sense;

/// More of it is worse.
double badness(double value, Sense better) { return better == Sense::maximize ? -value : value; }

double times(double own, double best, Sense better) {
    auto const& [more, less] = better == Sense::maximize ? std::pair(best, own) : std::pair(own, best);
    return less > 0.0 ? more / less : 0.0;
}

bool is_objective(Landscape const& landscape, space::Space const& space, std::size_t metric) {
    return std::ranges::any_of(landscape.objectives(), [&](task::Objective const& objective) {
        auto const* formula = space.formula_at(objective.metric);
        if (formula == nullptr) return objective.metric == metric;
        return std::ranges::any_of(formula->reads(), [&](std::size_t read) { return space.place_of(read) == metric; });
    });
}

std::optional<Extreme> extreme_in(std::size_t metric, Sense better, answers::ResultStore const& store,
                                  Landscape const& landscape, task::PointId point, double own) {
    constexpr std::uint64_t few = 20;  // of which no share is told
    Extreme extreme{metric, own};
    std::uint64_t all = store.find({point, landscape.fidelity()}) ? 0 : 1, as_bad = all;
    for (std::size_t at = 0; at < landscape.size(); ++at) {
        auto const row = store.find({landscape.id(at), landscape.fidelity()});
        double const value = row ? store.value(*row, metric) : std::nan("");
        if (std::isnan(value)) continue;
        ++all;
        if (badness(value, better) >= badness(own, better)) ++as_bad;
    }
    bool found = false;
    for (auto const at : landscape.front()) {
        auto const row = store.find({landscape.id(at), landscape.fidelity()});
        double const value = row ? store.value(*row, metric) : std::nan("");
        if (std::isnan(value) || (found && badness(value, better) >= badness(extreme.best, better))) continue;
        extreme.best = value;
        extreme.best_point = landscape.id(at);
        found = true;
    }
    extreme.not_worse = static_cast<double>(as_bad) / static_cast<double>(all);
    extreme.times_best = found ? times(own, extreme.best, better) : 0.0;
    bool const among_worst = all >= few && extreme.not_worse <= worst_share;
    if (!among_worst && extreme.times_best <= far_behind_front) return std::nullopt;
    return extreme;
}

}  // namespace

std::vector<Extreme> extremes_of(space::Space const& space, answers::ResultStore const& store,
                                 Landscape const& landscape, task::PointId point, models::Metrics const& metrics) {
    std::vector<Extreme> found;
    for (std::size_t m = 0; m < space.metrics().size(); ++m) {
        auto const& metric = space.metrics()[m];
        bool const asked = models::find_common_metric(metric.name) != nullptr && metric.better != Sense::none &&
                           !std::isnan(metrics[m].value) && !is_objective(landscape, space, m);
        if (!asked) continue;
        if (auto extreme = extreme_in(m, metric.better, store, landscape, point, metrics[m].value))
            found.push_back(*extreme);
    }
    std::ranges::stable_sort(found, {}, &Extreme::not_worse);
    return found;
}

}  // namespace pimdse::dse::explain
