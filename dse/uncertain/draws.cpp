#include "dse/uncertain/draws.hpp"

#include "dse/search/sobol.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>

namespace pimdse::dse::uncertain {
namespace {

/// The middle of one of 2^52 equal parts, so that neither 0 nor 1 occurs.
double probability_of(std::uint64_t coordinate) {
    constexpr int kept_bits = 52;
    return (static_cast<double>(coordinate >> (64 - kept_bits)) + 0.5) * std::ldexp(1.0, -kept_bits);
}

/// The group of each constant.
std::vector<std::optional<std::size_t>> groups_of(Uncertainty const& uncertainty) {
    std::vector<std::optional<std::size_t>> groups(uncertainty.constants.size());
    for (std::size_t g = 0; g < uncertainty.correlated.size(); ++g)
        for (auto const constant : uncertainty.correlated[g].constants) groups[constant] = g;
    return groups;
}

/// Probabilities of constants with the correlation of their groups: a normal score is shared by the group.
class Scores {
  public:
    explicit Scores(Uncertainty const& uncertainty) : uncertainty_(uncertainty), groups_(groups_of(uncertainty)) {}

    [[nodiscard]] Values values(std::vector<std::uint64_t> const& coordinates) const {
        auto const& constants = uncertainty_.constants;
        Values values(constants.size());
        for (std::size_t c = 0; c < constants.size(); ++c) {
            double probability = probability_of(coordinates[c]);
            if (groups_[c]) probability = correlated(probability, *groups_[c], coordinates);
            values[c] = constants[c].at(probability);
        }
        return values;
    }

  private:
    [[nodiscard]] double correlated(double own, std::size_t group,
                                    std::vector<std::uint64_t> const& coordinates) const {
        boost::math::normal const standard;
        double const coefficient = uncertainty_.correlated[group].coefficient;
        double const shared = probability_of(coordinates[uncertainty_.constants.size() + group]);
        double const score = std::sqrt(coefficient) * boost::math::quantile(standard, shared) +
                             std::sqrt(1.0 - coefficient) * boost::math::quantile(standard, own);
        return boost::math::cdf(standard, score);
    }

    Uncertainty const& uncertainty_;
    std::vector<std::optional<std::size_t>> groups_;
};

}  // namespace

Draws draws_of(Uncertainty const& uncertainty, std::function<bool(Values const&)> const& allowed) {
    search::SobolSequence sequence(uncertainty.constants.size() + uncertainty.correlated.size(), uncertainty.seed);
    Scores const scores(uncertainty);
    Draws draws;
    constexpr std::uint64_t max_refused_per_draw = 100;
    while (draws.values.size() < uncertainty.samples) {
        auto values = scores.values(sequence.next());
        if (allowed(values))
            draws.values.push_back(std::move(values));
        else if (++draws.refused > max_refused_per_draw * uncertainty.samples)
            throw sim::InputError(fmt::format(
                "the rules of the machines refuse {} of {} draws of the uncertain constants. State narrower ranges?",
                draws.refused, draws.refused + draws.values.size()));
    }
    return draws;
}

Settings settings_of(Values const& values) {
    Settings settings;
    for (std::size_t c = 0; c < values.size(); ++c) settings.push_back({c, values[c]});
    return settings;
}

}  // namespace pimdse::dse::uncertain
