#include "dse/search/robust_front.hpp"

#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace pimdse::dse::search {

std::string_view name_of(Distribution distribution) {
    constexpr std::array<std::string_view, 4> names{"uniform", "log_uniform", "normal", "choices"};
    return names[static_cast<std::size_t>(distribution)];
}

namespace {

/// The value of a normal distribution that is cut off at both ends.
double cut_normal(UncertainConstant const& constant, double probability) {
    boost::math::normal const standard;
    auto const score = [&](double value) { return (value - constant.mean) / constant.deviation; };
    double const first = boost::math::cdf(standard, score(constant.lower));
    double const last = boost::math::cdf(standard, score(constant.upper));
    double const inside = first + probability * (last - first);
    return constant.mean + constant.deviation * boost::math::quantile(standard, inside);
}

}  // namespace

double UncertainConstant::at(double probability) const {
    sim::expects(probability >= 0.0 && probability <= 1.0, "a probability is 0 to 1");
    double value = nominal;
    switch (distribution) {
        case Distribution::uniform:
            value = lower + probability * (upper - lower);
            break;
        case Distribution::log_uniform:
            value = lower * std::pow(upper / lower, probability);
            break;
        case Distribution::normal:
            value = cut_normal(*this, probability);
            break;
        case Distribution::choices: {
            auto const count = static_cast<double>(choices.size());
            auto const at = std::min(static_cast<std::size_t>(probability * count), choices.size() - 1);
            value = choices[at];
            break;
        }
    }
    if (distribution != Distribution::choices) value = std::clamp(value, lower, upper);
    return rounded(value);
}

double UncertainConstant::rounded(double si) const { return whole ? std::round(si) : si; }

std::string UncertainConstant::text_of(double si) const {
    if (unit.empty() || unit == "1") return fmt::format("{:.6g}", si);
    return fmt::format("{:.6g} {}", si / sim::parse_unit(unit).in_si, unit);
}

}  // namespace pimdse::dse::search
