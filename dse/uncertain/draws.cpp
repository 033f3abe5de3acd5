#include "dse/uncertain/draws.hpp"

#include "dse/search/sobol.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

    [[nodiscard]] DrawnValues values(std::vector<std::uint64_t> const& coordinates) const {
        auto const& constants = uncertainty_.constants;
        DrawnValues values(constants.size());
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

/// Constants whose values are drawn again together: those of an architecture, joined with those that are correlated
/// with them. Constants that machines share are in none, unless they are correlated.
std::vector<std::vector<std::size_t>> groups_drawn_together(Uncertainty const& uncertainty) {
    constexpr std::array<std::string_view, 3> shared{"technology", "links", "economy"};
    auto const& constants = uncertainty.constants;
    std::vector<std::string> owners;
    for (auto const& constant : constants) {
        auto owner = constant.name.substr(0, constant.name.find('.'));
        owners.push_back(std::ranges::find(shared, owner) == shared.end() ? std::move(owner) : std::string{});
    }
    for (auto const& group : uncertainty.correlated) {
        std::string owner;
        for (auto const c : group.constants) owner = std::max(owner, owners[c]);
        if (owner.empty()) continue;
        for (auto const c : group.constants) {
            auto const joined = owners[c];
            if (joined.empty())
                owners[c] = owner;
            else
                std::ranges::replace(owners, joined, owner);
        }
    }
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t c = 0; c < constants.size(); ++c)
        if (!owners[c].empty()) groups[owners[c]].push_back(c);
    std::vector<std::vector<std::size_t>> list;
    for (auto& [_, group] : groups) list.push_back(std::move(group));
    return list;
}

/// The points of the sequence so far, as values of the constants.
class DrawnPoints {
  public:
    explicit DrawnPoints(Uncertainty const& uncertainty)
        : sequence_(uncertainty.constants.size() + uncertainty.correlated.size(), uncertainty.seed),
          scores_(uncertainty) {}

    [[nodiscard]] DrawnValues const& at(std::size_t index) {
        while (points_.size() <= index) points_.push_back(scores_.values(sequence_.next()));
        return points_[index];
    }

  private:
    search::SobolSequence sequence_;
    Scores scores_;
    std::vector<DrawnValues> points_;
};

}  // namespace

Draws draws_of(Uncertainty const& uncertainty, RuleRefusal const& refusal) {
    constexpr std::uint64_t max_refused_per_draw = 200;
    DrawnPoints points(uncertainty);
    auto const groups = groups_drawn_together(uncertainty);
    std::vector<std::size_t> next(groups.size(), 0);
    std::vector<std::uint64_t> refused(groups.size(), 0);
    Draws draws;
    for (std::size_t n = 0; n < uncertainty.samples; ++n) {
        auto values = points.at(n);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            while (true) {
                auto const& own = points.at(next[g]++);
                for (auto const c : groups[g]) values[c] = own[c];
                auto const why = refusal(groups[g], values);
                if (why.empty()) break;
                if (++refused[g] <= max_refused_per_draw * (n + 1)) continue;
                throw sim::InputError(fmt::format(
                    "{} of {} draws of the constants of a machine are refused, the last one because of this: {}. State "
                    "narrower ranges?",
                    refused[g], refused[g] + n, why));
            }
        }
        draws.values.push_back(std::move(values));
    }
    draws.refused = std::accumulate(refused.begin(), refused.end(), std::uint64_t{0});
    return draws;
}

Settings settings_of(DrawnValues const& values) {
    Settings settings;
    for (std::size_t c = 0; c < values.size(); ++c) settings.push_back({c, values[c]});
    return settings;
}

}  // namespace pimdse::dse::uncertain
