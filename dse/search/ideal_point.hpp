#pragma once

#include "dse/search/archive.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"
#include "models/contract/architecture.hpp"

#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pimdse::dse::search {

/// Values of the objectives, all of them less is better.
using Values = ParetoTree::Vector;

/// The value of an objective that has no bound.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The best a point may come to at cycle level.
struct IdealPoint {
    Values lower{};
    std::uint8_t calibrated = 0;  ///< bit i: objective i rests on a calibration, not on a proof
    std::uint8_t exact = 0;       ///< bit i: objective i is what it will be at cycle level
    [[nodiscard]] bool is_calibrated(std::size_t objective) const { return (calibrated >> objective & 1) != 0; }
};

/// From a coarse answer: the low end of what is minimised, the high end of what is maximised; -infinity where nothing
/// stands behind that end. Numbers that are exact stay as they are, others are lowered by 1e-9 of themselves for what
/// rounding does to sums of bounds.
[[nodiscard]] IdealPoint ideal_point_of(models::Metrics const& coarse, std::span<space::Objective const> objectives);

/// An ideal point of which nothing is known.
[[nodiscard]] IdealPoint unknown_ideal_point();

/// From a cycle-level answer.
[[nodiscard]] Values values_of(models::Metrics const& fine, std::span<space::Objective const> objectives);

/// A calibrated low that was found to be too high, lower by this share of itself; nothing is left of it where the share
/// is infinite.
[[nodiscard]] double widened(double lower, double slack);

/// An ideal point that is worse by this share of itself in every objective; of what is maximised too, which is negative
/// here.
[[nodiscard]] Values relaxed(Values ideal, double epsilon, std::size_t objectives);

/// As good everywhere; where it is equal everywhere, with the smaller id.
[[nodiscard]] bool dominates(Values const& a, space::PointId a_id, Values const& x, space::PointId x_id,
                             std::size_t objectives);

/// The best that listed points may come to: as it was given, and with calibrated lows widened by what turned out to be
/// wrong. Items are numbered as they were added.
class LowerBounds {
  public:
    using Item = std::uint32_t;

    /// epsilon: a share; what a point may be better by than a member of the front without being worth an answer.
    LowerBounds(std::size_t objectives, double epsilon) : objectives_(objectives), epsilon_(epsilon) {}

    void add(IdealPoint const& ideal);
    [[nodiscard]] Values of(Item item) const;
    /// Of all items, as Ranking takes them.
    [[nodiscard]] std::vector<double> all() const;
    /// As of(), if every low that is not exact were lower by this share of itself.
    [[nodiscard]] Values looser(Item item, double share) const;
    /// What a member of the front must be as good as, so that a point with this ideal point is not worth an answer.
    [[nodiscard]] Values reach(Values ideal) const { return relaxed(ideal, epsilon_, objectives_); }
    /// As it was added.
    [[nodiscard]] double given(Item item, std::size_t objective) const {
        return lower_bounds_[item * objectives_ + objective];
    }
    [[nodiscard]] bool is_calibrated(Item item, std::size_t objective) const {
        return (calibrated_[item] >> objective & 1) != 0;
    }
    /// After an answer below a calibrated low; by twice as much as before at least, so that it happens seldom.
    void widen(std::size_t objective, double lower, double value);
    [[nodiscard]] double slack(std::size_t objective) const { return slack_[objective]; }

  private:
    std::size_t objectives_;
    double epsilon_;
    std::vector<double> lower_bounds_;  ///< the objectives of a point together
    std::vector<std::uint8_t> calibrated_, exact_;
    Values slack_{};  ///< per objective, of calibrated lows
};

/// Gives items in an order that goes with covering: by the sum of their ideal points, each objective over its range,
/// then by ideal point, then by id. A point that covers another one comes before it. Items that were taken may be given
/// back.
class Ranking {
  public:
    using Item = std::uint32_t;

    Ranking() = default;
    /// All `items`; `ideal points`: those of every item, `objectives` numbers each; items with smaller numbers have
    /// smaller ids.
    Ranking(std::vector<Item> items, std::span<double const> ideals, std::size_t objectives);

    [[nodiscard]] std::optional<Item> take();
    void give_back(std::span<Item const> items);
    /// Items that take() may still give, the best first but for those given back, at most so many.
    [[nodiscard]] std::vector<Item> ahead(std::size_t max) const;
    [[nodiscard]] std::size_t left() const { return given_back_.size() + order_.size() - next_; }

  private:
    std::vector<Item> order_;
    std::vector<std::uint32_t> ranks_;  ///< of each item that was among those to rank
    std::size_t next_ = 0;
    std::vector<std::uint32_t> given_back_;  ///< ranks, a heap with the least on top
};

/// An answer was better than what is proved to be the best it may be. Values as the ladder has them: less is better.
class BrokenBound : public std::runtime_error {
  public:
    BrokenBound(space::PointId of, std::size_t which, double proved, double found)
        : std::runtime_error(
              fmt::format("point {}: objective {} is {}, below its proved low {}", index_of(of), which, found, proved)),
          point(of),
          objective(which),
          lower(proved),
          value(found) {}
    space::PointId point;
    std::size_t objective;
    double lower, value;
};

/// Two points with equal cycle keys were answered differently, or their coarse bounds exclude one result of both.
class BrokenKey : public std::runtime_error {
  public:
    BrokenKey(space::PointId point, space::PointId equal_key,
              std::string const& difference = "different cycle-level results")
        : std::runtime_error(fmt::format("points {} and {} have equal cycle keys and {}", index_of(point),
                                         index_of(equal_key), difference)) {}
};

}  // namespace pimdse::dse::search
