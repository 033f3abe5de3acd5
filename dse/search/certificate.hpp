#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::search {

/// The certificate of a search by bounds: why its front is the front of the whole space although few points were
/// evaluated at cycle level. Every point is in exactly one list: infeasible by its coarse result, pruned, an equal-key
/// point, open, or evaluated at cycle level.
struct Certificate {
    /// The kind of bounds that pruned points, per objective.
    struct Ground {
        models::Bound kind = models::Bound::proved;  ///< the weakest kind of a bound that pruned a point
        double slack = 0.0;                          ///< share by which calibrated bounds were widened
        bool operator==(Ground const&) const = default;
    };
    std::vector<Ground> grounds;
    /// Pruned points, each with a witness: a member of the front that is at least as good as the point could be; equal
    /// in every objective only if the member has the smaller id.
    std::vector<space::PointId> pruned, witnesses;
    std::vector<std::vector<double>> best;  ///< per objective: the best value that each pruned point could reach
    /// Equal-key points, and the evaluated points whose cycle-level results they have because their cycle keys are
    /// equal.
    std::vector<space::PointId> equal_keys, representatives;
    std::vector<space::PointId> open;  ///< undecided points: the search was cut short, or they failed
    std::uint64_t infeasible = 0;      ///< points infeasible by their coarse results, without those in `refused`
    /// If there are too many points to list, the pruned, open and refused ones are boxes: the smallest id of each box,
    /// and its number of positions along each axis, box after box. No extents: single points. The ids of a box are
    /// those of its grid, one grid per machine, in mixed radix, the last axis fastest.
    struct Grid {
        std::uint64_t first = 0;           ///< smallest id
        std::vector<std::uint64_t> sizes;  ///< sizes of the axes; every grid has the same number of axes
        bool operator==(Grid const&) const = default;
    };
    std::vector<Grid> grids;  ///< empty: single points
    std::vector<std::uint32_t> pruned_extents, open_extents, refused_extents;
    std::vector<space::PointId> refused;  ///< boxes without a point that is feasible at any level
    std::uint64_t runs = 0;               ///< points evaluated at cycle level, including failed ones
    std::uint64_t points = 0;             ///< size of the space
    std::uint64_t lag = 0;                ///< largest number of points in flight
    std::uint64_t below = 0;              ///< results that were better than a calibrated bound
    double epsilon = 0.0;  ///< pruned points may be better than their witness by this share, in any objective
    /// Pruned points that the audit evaluated, picked at random, and how many of them were not dominated after all.
    std::uint64_t audited = 0, audited_wrong = 0;
    /// Equal-key points that the audit simulated, picked at random; a different result ends the search.
    std::uint64_t audited_equal_keys = 0;
    /// Bound sensitivity: how many more evaluations would have been needed if bounds had been lower by this share.
    struct BoundSensitivity {
        double share = 0.0;
        std::uint64_t runs = 0;
        bool operator==(BoundSensitivity const&) const = default;
    };
    std::vector<BoundSensitivity> sensitivities;  ///< empty: not requested
    bool operator==(Certificate const&) const = default;
};

/// A sentence about the audit; "" if there was none. If none of m points was wrong, at most a share of 3/m of the
/// pruned points is wrong, at 95 % confidence (the rule of three).
[[nodiscard]] std::string audit_text(Certificate const& certificate);
/// A sentence about the bound sensitivities; "" if they were not computed.
[[nodiscard]] std::string sensitivity_text(Certificate const& certificate);

/// "front exact (proved lower bounds)", or the limits of the statement; `objectives`: their names.
[[nodiscard]] std::string statement_of(Certificate const& certificate, std::vector<std::string> const& objectives);
/// Whether a statement stored in a file is that of its certificate, in the words of this program or of older ones,
/// which called lower bounds lows.
[[nodiscard]] bool is_statement_of(std::string_view stored, Certificate const& certificate,
                                   std::vector<std::string> const& objectives);

/// Number of points in each list; boxes count with all their points.
struct PointCounts {
    std::uint64_t pruned = 0, open = 0, infeasible = 0;
};
[[nodiscard]] PointCounts points_in(Certificate const& certificate);

[[nodiscard]] std::vector<std::string> objective_names(space::Columns const& columns);

/// The progress of a search that prunes points by bounds.
struct Standing {
    std::uint64_t pruned = 0;     ///< points pruned by bounds
    std::uint64_t in_flight = 0;  ///< points requested and not evaluated yet
    std::uint64_t open = 0;       ///< points that may still be on the front
    /// The share of hypervolume that the front lacks compared with a front in which every point that is not pruned were
    /// as good as its bounds; NaN while this is unknown.
    double gap = std::numeric_limits<double>::quiet_NaN();
    bool gap_is_rough = false;  ///< computed from a selection of the points
    bool operator==(Standing const&) const = default;
};

/// "pruned 812, in flight 12, open 301, gap 3.12 %"
[[nodiscard]] std::string text_of(Standing const& standing);

}  // namespace pimdse::dse::search
