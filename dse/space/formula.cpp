#include "dse/space/formula.hpp"

#include "dse/space/columns.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace pimdse::dse::space {
namespace {

using models::Bound;
using models::Sense;

/// The text with single spaces between words and none around it.
std::string tidied(std::string_view text) {
    std::string tidy;
    for (char const c : text) {
        if (c != ' ' || (!tidy.empty() && tidy.back() != ' ')) tidy += c;
    }
    while (!tidy.empty() && tidy.back() == ' ') tidy.pop_back();
    return tidy;
}

/// Splits "minimize latency - ttft" into sense and formula; no sense if none is stated.
std::pair<std::optional<Sense>, std::string_view> sense_before(std::string_view text) {
    for (std::string_view const word : {"min ", "max ", "minimise ", "maximise "})
        if (text.starts_with(word))
            throw sim::InputError("objective \"{}\": '{}' is not a sense. Write {} instead?", text, sim::trimmed(word),
                                  word.starts_with("min") ? "minimize" : "maximize");
    for (auto const& [word, sense] : {std::pair<std::string_view, Sense>{"minimize ", Sense::minimize},
                                      std::pair<std::string_view, Sense>{"maximize ", Sense::maximize}}) {
        if (text.starts_with(word)) return {sense, text.substr(word.size())};
    }
    return {std::nullopt, text};
}

/// A part of a formula: its sign, and for each metric in it whether the part grows (1) or falls (-1) with it; 0:
/// unknown.
struct FormulaPart {
    int sign = 0;
    std::map<std::size_t, int> directions;
};

std::map<std::size_t, int> joined(FormulaPart const& a, int times_a, FormulaPart const& b, int times_b) {
    std::map<std::size_t, int> all;
    for (auto const& [metric, direction] : a.directions) all[metric] = direction * times_a;
    for (auto const& [metric, direction] : b.directions) {
        auto const [found, fresh] = all.try_emplace(metric, direction * times_b);
        if (!fresh && found->second != direction * times_b) found->second = 0;
    }
    return all;
}

FormulaPart combined(models::Expression::Code code, FormulaPart const& a, FormulaPart const& b) {
    switch (code) {
        case models::Expression::Code::add:
            return {a.sign == b.sign ? a.sign : 0, joined(a, 1, b, 1)};
        case models::Expression::Code::subtract:
            return {a.sign == -b.sign ? a.sign : 0, joined(a, 1, b, -1)};
        case models::Expression::Code::multiply:
            return {a.sign * b.sign, joined(a, b.sign, b, a.sign)};
        default:
            return {a.sign * b.sign, joined(a, b.sign, b, b.sign == 0 ? 0 : -a.sign)};
    }
}

std::map<std::size_t, int> directions_of(models::Expression const& expression) {
    std::vector<FormulaPart> stack;
    for (auto const& step : expression.steps()) {
        if (step.code == models::Expression::Code::number) {
            stack.push_back({step.number >= 0.0 ? 1 : -1, {}});
        } else if (step.code == models::Expression::Code::metric) {
            stack.push_back({1, {{step.index, 1}}});
        } else if (step.code == models::Expression::Code::negate) {
            stack.back() = {-stack.back().sign, joined(stack.back(), -1, {}, 1)};
        } else {
            auto const right = std::move(stack.back());
            stack.pop_back();
            stack.back() = combined(step.code, stack.back(), right);
        }
    }
    return stack.back().directions;
}

/// The sense that follows from the senses of all metrics in the formula; nullopt if they disagree.
std::optional<Sense> sense_of(std::map<std::size_t, int> const& directions, models::MetricList const& metrics) {
    std::optional<Sense> all;
    for (auto const& [metric, direction] : directions) {
        auto const better = metrics[metric].better;
        if (better == Sense::none) continue;
        if (direction == 0) return std::nullopt;
        auto const here = (better == Sense::minimize) == (direction > 0) ? Sense::minimize : Sense::maximize;
        if (all && *all != here) return std::nullopt;
        all = here;
    }
    return all;
}

/// The interval of a metric, counting only ends whose bound is of this kind or a stronger one.
Reach reach_on(Bound min, models::Estimate const& metric, double scale) {
    if (std::isnan(metric.value)) return Reach::anywhere();
    return {metric.kinds.lower < min ? -Reach::infinite : metric.lower * scale,
            metric.kinds.upper < min ? Reach::infinite : metric.upper * scale};
}

/// `min`: the weakest kind of bound that counts.
Reach reach_of_formula(models::Expression const& expression, models::Metrics const& metrics, Bound min) {
    return space::reach_of(
        expression,
        [&](models::Expression::Step const& step) { return reach_on(min, metrics[step.index], step.scale); },
        [](models::Expression::Step const&) { return Reach::anywhere(); }, [](std::size_t, Reach const&) {});
}

Bound kind_of(double known, double proved) {
    if (std::isinf(known)) return Bound::none;
    return known == proved ? Bound::proved : Bound::calibrated;
}

}  // namespace

MetricFormula::MetricFormula(models::MetricList const& metrics, std::string_view text)
    : expression_(models::Expression::Parts{}) {
    auto const tidy = tidied(text);
    auto const [stated, body] = sense_before(tidy);
    auto parsed = models::parse_number(body, metrics);
    expression_ = std::move(parsed.expression);
    auto const directions = directions_of(expression_);
    if (directions.empty()) throw sim::InputError("objective \"{}\" contains no metric", sim::clipped(tidy));
    auto const found = sense_of(directions, metrics);
    if (found && stated && *found != *stated)
        throw sim::InputError("objective \"{}\": {} of it is better, as follows from the metrics in it",
                              sim::clipped(tidy), *found == Sense::minimize ? "less" : "more");
    if (!found && !stated)
        throw sim::InputError(
            "objective \"{0}\" does not state whether less or more of it is better. Write \"minimize {0}\" "
            "or \"maximize {0}\"?",
            sim::clipped(tidy));
    metric_.name = found ? std::string(body) : tidy;
    metric_.unit = si_unit_of(parsed.dimension);
    metric_.better = found ? *found : *stated;
    metric_.meaning = fmt::format("{}, a formula of metrics", body);
    for (auto const& [metric, direction] : directions) {
        reads_.push_back(metric);
        directions_.push_back(direction);
        metric_.assumed = metric_.assumed || metrics[metric].assumed;
    }
}

models::Estimate MetricFormula::of(models::Metrics const& metrics) const {
    double const value = expression_.number({}, metrics);
    if (std::isnan(value)) return models::Estimate::unbounded(value);
    auto const known = reach_of_formula(expression_, metrics, Bound::calibrated), proved = reach_of(metrics);
    sim::BoundKinds const kinds{kind_of(known.lower, proved.lower), kind_of(known.upper, proved.upper)};
    return models::Estimate::within(value, kinds.lower == Bound::none ? value : std::min(value, known.lower),
                                    kinds.upper == Bound::none ? value : std::max(value, known.upper), kinds);
}

Reach MetricFormula::reach_of(models::Metrics const& metrics) const {
    return reach_of_formula(expression_, metrics, Bound::proved);
}

int MetricFormula::direction_of(std::size_t metric) const {
    auto const found = std::ranges::find(reads_, metric);
    return found == reads_.end() ? 0 : directions_[static_cast<std::size_t>(found - reads_.begin())];
}

std::string si_unit_of(sim::Dimension dimension) {
    std::string above, below;
    auto const add = [&](int power, std::string_view unit) {
        for (int i = 0; i < power; ++i) above += fmt::format("{}{}", above.empty() ? "" : "*", unit);
        for (int i = 0; i > power; --i) below += fmt::format("/{}", unit);
    };
    if (dimension == sim::Dimension{.second = -1, .joule = 1}) return "W";
    add(dimension.money, "USD");
    add(dimension.mass, "kg");
    add(dimension.operation, "FLOP");
    add(dimension.joule, "J");
    add(dimension.byte, "B");
    add(dimension.metre / 2, "m2");
    add(dimension.metre % 2, "m");
    add(dimension.second, "s");
    return (above.empty() ? "1" : above) + below;
}

std::size_t place_of_formulas(models::MetricList const& metrics) {
    auto const of_all = [](models::Metric const& metric) {
        return space::is_formula(metric.name) ||
               (metric.name.find('@') == std::string::npos && space::machine_and_name(metric.name).first.empty());
    };
    return static_cast<std::size_t>(std::ranges::find_if_not(metrics, of_all) - metrics.begin());
}

}  // namespace pimdse::dse::space
