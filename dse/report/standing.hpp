#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/expression_bounds.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// The feasible results of one fidelity as vectors of objectives that are minimized (maximized metrics have the other
/// sign), and their front. Sorted by id.
class FrontView {
  public:
    FrontView(search::ResultStore const& store, std::vector<space::Objective> objectives, models::Fidelity fidelity);

    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    [[nodiscard]] std::vector<space::Objective> const& objectives() const { return objectives_; }
    [[nodiscard]] models::Fidelity fidelity() const { return fidelity_; }
    [[nodiscard]] space::PointId id(std::size_t at) const { return ids_[at]; }
    [[nodiscard]] std::span<double const> vector(std::size_t at) const {
        return std::span(values_).subspan(at * objectives_.size(), objectives_.size());
    }
    [[nodiscard]] std::optional<std::size_t> find(space::PointId point) const;
    /// Positions of the members of the front.
    [[nodiscard]] std::vector<std::size_t> const& front() const { return front_; }

    /// Metrics as a vector of objectives.
    [[nodiscard]] std::vector<double> vector_of(models::Metrics const& metrics) const;
    /// A number of a vector with the sign of its metric, and the reverse.
    [[nodiscard]] double as_metric(std::size_t objective, double number) const;

  private:
    std::vector<space::Objective> objectives_;
    models::Fidelity fidelity_;
    std::vector<space::PointId> ids_;
    std::vector<double> values_;
    std::vector<std::size_t> front_;
};

/// The value of one objective at which a point leaves the front by worsening, or joins it by improving, all else equal.
struct FrontLimit {
    space::PointId by{};  ///< the point that is as good in all other objectives
    double at = 0.0;      ///< its value in this objective, with the sign of the metric
    double share = 0.0;   ///< distance to that value, as a share of the point's own value
};

/// A point compared with the evaluated points of its fidelity.
struct PointStanding {
    bool on_front = false;
    std::vector<space::PointId> dominators;  ///< members of the front that dominate it, the one with most lead first
    std::uint64_t dominates = 0;             ///< number of evaluated points that are better in no objective
    std::vector<space::PointId> rivals;      ///< the nearest other members of the front, nearest first; at most five
    std::vector<std::optional<FrontLimit>>
        front_limits;  ///< per objective; nullopt if no point is as good in all other objectives
    /// The share of its values by which the point must improve in all objectives at once so that no point dominates it;
    /// negative: the share by which it may worsen. Nullopt without other points.
    std::optional<double> needed_gain;
};

/// Compares a point with these values (a vector as in `front_view`) with all others. It need not be in `front_view`.
[[nodiscard]] PointStanding standing_of(FrontView const& front_view, space::PointId point,
                                        std::span<double const> vector);

/// How far a point is from the limit of a condition of its space.
struct Margin {
    std::string name, text;
    bool known = true;   ///< false: the condition reads metrics that are missing or do not apply
    bool holds = false;  ///< if known
    double slack = 0.0;  ///< share of the limit; negative: violated; NaN if not an inequality or not known
    std::vector<space::Crossing> crossings{};  ///< comparisons that intervals leave undecided
};

/// Margins of all conditions of a machine. `outcome`: the outcome at this point before conditions on metrics apply.
[[nodiscard]] std::vector<Margin> margins_of(space::Machine const& machine, models::Point point,
                                             models::Outcome const& outcome);

/// How a search with a certificate dealt with a point.
struct CertificateEntry {
    enum class State : std::uint8_t { evaluated, pruned, equal_key, open, infeasible };
    State state = State::evaluated;
    /// The witness that dominates a pruned point; the representative with the same cycle key of an equal-key point.
    std::optional<space::PointId> by{};
    std::vector<double> best{};  ///< ideal point of a pruned point, with the signs of the metrics
};

[[nodiscard]] CertificateEntry certificate_entry_of(search::Certificate const& certificate,
                                                    search::ResultStore const& store, space::PointId point);

[[nodiscard]] std::string_view name_of(CertificateEntry::State state);

/// A common metric that is not an objective and in which a point is among the worst of its space, or far behind the
/// front. A search may trade metrics that are not objectives for its objectives.
struct Extreme {
    std::size_t metric = 0;  ///< position in the metrics of the space
    double value = 0.0;
    /// Share of the feasible points evaluated at this fidelity that are at least as bad, the point itself included.
    double share_as_bad = 0.0;
    double times_best = 0.0;  ///< ratio to the best value on the front; above 1 if worse, whatever the metric's sense
    double best = 0.0;        ///< the best value on the front
    space::PointId best_point{};
};

inline constexpr double worst_share = 0.03;     ///< of all points
inline constexpr double far_behind_front = 10;  ///< limit of times_best

/// Extremes of a feasible point with these metrics, the worst first. The store must have the common metrics; the point
/// itself may be missing. Metrics that do not apply to the point or have no sense are never extremes.
[[nodiscard]] std::vector<Extreme> extremes_of(space::Space const& space, search::ResultStore const& store,
                                               FrontView const& front_view, space::PointId point,
                                               models::Metrics const& metrics);

}  // namespace pimdse::dse::report
