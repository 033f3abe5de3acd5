#pragma once

#include "dse/search/archive.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"

#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Values of the objectives, all minimised (maximised objectives are negated).
using Values = ParetoTree::Vector;

/// The value of an objective without a bound.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The share of itself by which a bound is lowered, for rounding in sums of bounds.
inline constexpr double for_rounding = 1e-9;

/// The ideal point of a point: the vector of the best objectives that it may reach at cycle level.
struct IdealPoint {
    Values lower{};
    std::uint8_t calibrated = 0;  ///< bit i: the bound of objective i is calibrated, not proved
    std::uint8_t exact = 0;       ///< bit i: objective i is exact: it has this value at cycle level
    [[nodiscard]] bool is_calibrated(std::size_t objective) const { return (calibrated >> objective & 1) != 0; }
};

/// The ideal point of a coarse result: the lower bounds of minimised objectives, the upper bounds of maximised ones;
/// -infinity where there is no bound. Exact numbers stay as they are; others are lowered by 1e-9 of themselves, for
/// rounding in sums of bounds.
[[nodiscard]] IdealPoint ideal_point_of(models::Metrics const& coarse, std::span<space::Objective const> objectives);

/// An ideal point without any bounds.
[[nodiscard]] IdealPoint unknown_ideal_point();

/// The objectives of a cycle-level result.
[[nodiscard]] Values values_of(models::Metrics const& fine, std::span<space::Objective const> objectives);

/// A calibrated lower bound, lowered by this share of itself after it was found to be too high; -infinity if the share
/// is infinite.
[[nodiscard]] double widened(double lower, double slack);

/// An ideal point made worse by this share of itself in every objective, including maximised objectives, which are
/// negated here.
[[nodiscard]] Values relaxed(Values ideal, double epsilon, std::size_t objectives);

/// Weak dominance: `a` is at least as good as `x` in every objective and, if equal in all, has the smaller id.
[[nodiscard]] bool dominates(Values const& a, space::PointId a_id, Values const& x, space::PointId x_id,
                             std::size_t objectives);

/// The ideal points of listed points, with calibrated lower bounds widened after results that contradicted them. Items
/// are numbered in the order in which they were added.
class LowerBounds {
  public:
    using Item = std::uint32_t;

    /// epsilon: a point that is better than a member of the front by no more than this share in any objective is not
    /// evaluated.
    LowerBounds(std::size_t objectives, double epsilon) : objectives_(objectives), epsilon_(epsilon) {}

    void add(IdealPoint const& ideal);
    [[nodiscard]] Values of(Item item) const;
    /// The ideal points of all items, in the layout that Ranking expects.
    [[nodiscard]] std::vector<double> all() const;
    /// As of(), with every lower bound that is not exact lowered by this share of itself.
    [[nodiscard]] Values looser(Item item, double share) const;
    /// The vector that a member of the front must dominate so that a point with this ideal point is not evaluated.
    [[nodiscard]] Values reach(Values ideal) const { return relaxed(ideal, epsilon_, objectives_); }
    /// The bound as it was added.
    [[nodiscard]] double given(Item item, std::size_t objective) const {
        return lower_bounds_[item * objectives_ + objective];
    }
    [[nodiscard]] bool is_calibrated(Item item, std::size_t objective) const {
        return (calibrated_[item] >> objective & 1) != 0;
    }
    /// Widens the bounds after a result below a calibrated lower bound; at least doubles the slack, so that this
    /// happens rarely.
    void widen(std::size_t objective, double lower, double value);
    [[nodiscard]] double slack(std::size_t objective) const { return slack_[objective]; }

  private:
    std::size_t objectives_;
    double epsilon_;
    std::vector<double> lower_bounds_;  ///< all objectives of a point together
    std::vector<std::uint8_t> calibrated_, exact_;
    Values slack_{};  ///< per objective, share by which calibrated lower bounds are widened
};

/// Returns items in an order that is compatible with dominance: by the sum of their ideal points, each objective
/// divided by its range, then by ideal point, then by id. A point that dominates another one comes before it.
class Ranking {
  public:
    using Item = std::uint32_t;

    Ranking() = default;
    /// Ranks `items`. `ideals`: the ideal points of all items, `objectives` numbers each. Items with smaller numbers
    /// have smaller ids.
    Ranking(std::vector<Item> items, std::span<double const> ideals, std::size_t objectives);

    /// The next item, the first of those that are ahead.
    [[nodiscard]] std::optional<Item> take();
    /// The items that take() has not returned yet, in order.
    [[nodiscard]] std::span<Item const> ahead() const { return std::span(order_).subspan(taken_); }
    [[nodiscard]] Item at(std::uint32_t rank) const { return order_[rank]; }
    /// The rank of an item that was ranked.
    [[nodiscard]] std::uint32_t rank_of(Item item) const { return ranks_[item]; }

  private:
    std::vector<Item> order_;
    std::vector<std::uint32_t> ranks_;
    std::size_t taken_ = 0;
};

/// A result was better than its proved bound. Values as in Values: all minimised.
class BrokenBound : public std::runtime_error {
  public:
    BrokenBound(space::PointId of, std::size_t which, double proved, double found)
        : std::runtime_error(fmt::format("point {}: objective {} is {}, below its proved lower bound {}", index_of(of),
                                         which, found, proved)),
          point(of),
          objective(which),
          lower(proved),
          value(found) {}
    space::PointId point;
    std::size_t objective;
    double lower, value;
};

/// Two points with equal cycle keys have different results, or their coarse bounds exclude a common result.
class BrokenKey : public std::runtime_error {
  public:
    BrokenKey(space::PointId point, space::PointId equal_key,
              std::string const& difference = "different cycle-level results")
        : std::runtime_error(fmt::format("points {} and {} have equal cycle keys and {}", index_of(point),
                                         index_of(equal_key), difference)) {}
};

/// The ideal point (best possible objectives at cycle level) of a point, from its analytic result; nullopt if it is
/// infeasible at every level. A point that only violates a condition on metrics may meet it at cycle level, unless its
/// bounds prove the contrary, and one of which no request is good may have good ones there; a point that failed may
/// have any result.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::Result const& analytic);

/// The same, evaluating the point at analytic fidelity.
[[nodiscard]] std::optional<IdealPoint> coarse_ideal_point(space::Space const& space, space::PointId id);

/// All metrics at analytic fidelity, whatever the constraints; nullopt if the architecture refuses the point.
[[nodiscard]] std::optional<models::Metrics> coarse_metrics(space::Space const& space, space::PointId id);

/// The reason why two points with equal cycle keys cannot have the same cycle-level result: a metric whose proved
/// analytic intervals do not overlap; where both are exact, they must be equal bit for bit. Compares all metrics and
/// not only objectives; evaluates both points at analytic fidelity. nullopt if all intervals overlap, or if a point has
/// no analytic metrics.
[[nodiscard]] std::optional<std::string> difference_of_equal_keys(space::Space const& space, space::PointId a,
                                                                  space::PointId b);

}  // namespace pimdse::dse::search
