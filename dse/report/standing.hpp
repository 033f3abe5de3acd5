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

/// The feasible answers of one fidelity as vectors of objectives, of which less is better, and the front among them.
/// Sorted by id.
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
    /// Where the members of the front are.
    [[nodiscard]] std::vector<std::size_t> const& front() const { return front_; }

    /// What metrics are as a vector.
    [[nodiscard]] std::vector<double> vector_of(models::Metrics const& metrics) const;
    /// A number of a vector as its metric has it.
    [[nodiscard]] double as_metric(std::size_t objective, double number) const;

  private:
    std::vector<space::Objective> objectives_;
    models::Fidelity fidelity_;
    std::vector<space::PointId> ids_;
    std::vector<double> values_;
    std::vector<std::size_t> front_;
};

/// How far one objective may go, all else equal, before a point leaves the front, or has to go before it is on it.
struct Turn {
    space::PointId by{};  ///< the point that is as good in everything else
    double at = 0.0;      ///< what it has here, as its metric
    double share = 0.0;   ///< of the point's own value: how much it may lose (on the front) or has to gain
};

/// Where a point is among the answered points of its fidelity.
struct PointStanding {
    bool on_front = false;
    std::vector<space::PointId> witnesses;   ///< members of the front that cover it, the one farthest ahead first
    std::uint64_t dominates = 0;             ///< answered points that are better than it in nothing
    std::vector<space::PointId> rivals;      ///< other members of the front, the nearest first; at most five
    std::vector<std::optional<Turn>> turns;  ///< per objective; nothing: no other point is as good in all the others
    /// By which share of its values it has to gain in every objective at once to be covered by nobody; negative: by how
    /// much it may lose. Nothing where there is no other point.
    std::optional<double> behind;
};

/// A point with these values (a vector of the front_view) among all other points; it need not be one of them.
[[nodiscard]] PointStanding standing_of(FrontView const& front_view, space::PointId point,
                                        std::span<double const> vector);

/// How far a point is from the limit of a condition of its space.
struct Margin {
    std::string name, text;
    bool known = true;   ///< false: it reads metrics that are not there or do not apply
    bool holds = false;  ///< if known
    double slack = 0.0;  ///< of the limit; negative: missed; NaN where the condition is no inequality or not known
    std::vector<space::Crossing> crossings{};  ///< comparisons that intervals leave undecided
};

/// Of every condition of a machine; `outcome`: what it answers at this point before conditions on metrics.
[[nodiscard]] std::vector<Margin> margins_of(space::Machine const& machine, models::Point point,
                                             models::Outcome const& outcome);

/// How a search with a certificate was done with a point.
struct CertificateEntry {
    enum class Way : std::uint8_t { evaluated, pruned, equal_key, open, infeasible };
    Way way = Way::evaluated;
    std::optional<space::PointId> by{};  ///< the witness of a closed point; the one whose answer a twin has
    std::vector<double> best{};          ///< of a closed point: what it could reach at best, as metrics
};

[[nodiscard]] CertificateEntry certificate_entry_of(search::Certificate const& certificate,
                                                    search::ResultStore const& store, space::PointId point);

[[nodiscard]] std::string_view name_of(CertificateEntry::Way way);

/// A common metric that is no objective and in which a point is among the worst of its space, or far behind the front:
/// what a search does not look at it may have paid with.
struct Extreme {
    std::size_t metric = 0;  ///< of the space
    double value = 0.0;
    /// Share of the feasible points that are at least as bad, itself included, of those answered at this fidelity.
    double not_worse = 0.0;
    double times_best = 0.0;  ///< how many times as bad as the best on the front, in the sense of the metric
    double best = 0.0;        ///< that one's value
    space::PointId best_point{};
};

inline constexpr double worst_share = 0.03;     ///< of all points
inline constexpr double far_behind_front = 10;  ///< times the best on the front

/// Of a feasible point with these metrics, worst first. The store has the common metrics, and the point itself or not;
/// a metric that does not apply to the point, or of which neither more nor less is better, is none.
[[nodiscard]] std::vector<Extreme> extremes_of(space::Space const& space, search::ResultStore const& store,
                                               FrontView const& front_view, space::PointId point,
                                               models::Metrics const& metrics);

}  // namespace pimdse::dse::report
