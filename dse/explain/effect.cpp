#include "dse/explain/effect.hpp"

#include "dse/explain/share.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace pimdse::dse::explain {
namespace {

/// What comes first is better.
std::tuple<bool, double, double> order_of(Effect const& effect) {
    return {!effect.feasible(), effect.behind.value_or(-std::numeric_limits<double>::infinity()), effect.distance};
}

/// By which shares of `own` the other is less, added up.
double ahead_of(std::span<double const> other, std::span<double const> own) {
    double sum = 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) sum += std::max(0.0, share_below(own[i], other[i]));
    return sum;
}

}  // namespace

Effect effect_of(Landscape const& landscape, Change const& change, task::Answer answer, bool remembered) {
    Effect effect{change, std::move(answer), remembered, {}, 0, std::nullopt};
    auto const* metrics = std::get_if<models::Metrics>(&effect.answer.outcome);
    if (metrics == nullptr) return effect;
    effect.vector = landscape.vector_of(*metrics);
    for (auto const at : landscape.front()) {
        if (landscape.id(at) == change.point) continue;
        double const lead = lead_of(landscape.vector(at), effect.vector);
        bool const equal = std::ranges::equal(landscape.vector(at), effect.vector);
        if (lead >= 0.0 && !(equal && change.point < landscape.id(at))) ++effect.covered_by;
        double const ahead = ahead_of(landscape.vector(at), effect.vector);
        effect.distance = effect.behind ? std::min(effect.distance, ahead) : ahead;
        effect.behind = effect.behind ? std::max(*effect.behind, lead) : lead;
    }
    return effect;
}

std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects) {
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        bool const same = !best.empty() && effects[best.back()].change.parameter == effects[i].change.parameter;
        if (!same)
            best.push_back(i);
        else if (order_of(effects[i]) < order_of(effects[best.back()]))
            best.back() = i;
    }
    return best;
}

std::optional<std::size_t> most_gain(std::span<Effect const> effects, std::size_t objective,
                                     std::span<double const> than) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        if (!effects[i].feasible() || effects[i].vector[objective] >= than[objective]) continue;
        if (!best || effects[i].vector[objective] < effects[*best].vector[objective]) best = i;
    }
    return best;
}

}  // namespace pimdse::dse::explain
