#pragma once

#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::search {

/// Why the front of a search is that of its whole space although few points were answered at cycle level. Every point
/// is in one place: infeasible by its coarse answer, closed, a twin, open, or answered at cycle level.
struct Certificate {
    /// What closed points rest on, per objective.
    struct Ground {
        models::Bound kind = models::Bound::proved;  ///< the weakest behind the bounds that closed a point
        double slack = 0.0;                          ///< by which share calibrated bounds were widened
        bool operator==(Ground const&) const = default;
    };
    std::vector<Ground> grounds;
    /// Points that nobody on the front lets be better than it, each with a member of the front that is at least as good
    /// as the point could be; equal in every objective only if the member has the smaller id.
    std::vector<space::PointId> pruned, witnesses;
    std::vector<std::vector<double>> best;  ///< per objective: what each closed point could reach at best
    /// Points whose cycle-level answer is that of another, because their cycle keys are equal.
    std::vector<space::PointId> equal_keys, representatives;
    std::vector<space::PointId> open;  ///< nothing is known of these: the search was cut short, or they failed
    std::uint64_t infeasible = 0;      ///< by their coarse answers; without `refused`
    /// Where points are too many to be listed, those closed, open and refused are boxes: the smallest id of each, and
    /// how many positions it has along each axis, box after box. No extents: single points. The ids of a box are those
    /// of its grid, one per machine, in mixed radix, the last axis fastest.
    struct Grid {
        std::uint64_t first = 0;           ///< id
        std::vector<std::uint64_t> sizes;  ///< of its axes, as many in every grid
        bool operator==(Grid const&) const = default;
    };
    std::vector<Grid> grids;  ///< none: single points
    std::vector<std::uint32_t> pruned_extents, open_extents, refused_extents;
    std::vector<space::PointId> refused;  ///< boxes without a point that is feasible at any level
    std::uint64_t runs = 0;               ///< points answered at cycle level, those that failed included
    std::uint64_t points = 0;             ///< of the space
    std::uint64_t lag = 0;                ///< points under way at most
    std::uint64_t below = 0;              ///< answers that were better than a calibrated bound
    double epsilon = 0.0;  ///< closed points may be better than their witness by this share, in any objective
    /// Closed points that were answered after all, picked at random, and how many of them turned out not to be covered.
    std::uint64_t audited = 0, audited_wrong = 0;
    /// Twins that were simulated after all, picked at random; a different result ends the search.
    std::uint64_t audited_equal_keys = 0;
    /// What worse bounds would have cost: so many more answers, had they been lower by this share.
    struct BoundSensitivity {
        double share = 0.0;
        std::uint64_t runs = 0;
        bool operator==(BoundSensitivity const&) const = default;
    };
    std::vector<BoundSensitivity> sensitivities;  ///< none: not asked for
    bool operator==(Certificate const&) const = default;
};

/// What the audit found; "" if there was none. Where none of m was wrong, at most a share of 3/m of the closed points
/// is, at 95 % (the rule of three).
[[nodiscard]] std::string audit_text(Certificate const& certificate);
/// What lower bounds would have cost; "" if that was not asked for.
[[nodiscard]] std::string sensitivity_text(Certificate const& certificate);

/// "front exact (proved lows)", or what is missing to that; `objectives`: their names.
[[nodiscard]] std::string statement_of(Certificate const& certificate, std::vector<std::string> const& objectives);
/// Whether a statement stored in a file is that of its certificate, in the words of this program or of older ones,
/// which called lower bounds lows.
[[nodiscard]] bool is_statement_of(std::string_view stored, Certificate const& certificate,
                                   std::vector<std::string> const& objectives);

/// How many points are in each place, boxes taken for what is in them.
struct PointCounts {
    std::uint64_t pruned = 0, open = 0, infeasible = 0;
};
[[nodiscard]] PointCounts points_in(Certificate const& certificate);

[[nodiscard]] std::vector<std::string> objective_names(space::Columns const& columns);

/// How far a search is that closes points by bounds.
struct Standing {
    std::uint64_t pruned = 0;     ///< by bounds
    std::uint64_t in_flight = 0;  ///< asked for and not answered
    std::uint64_t open = 0;       ///< may be on the front as far as it is known
    /// By which share of its hypervolume the front is short of what it could be if everything that is not closed were
    /// as good as its bounds; NaN while nothing is known of it.
    double gap = std::numeric_limits<double>::quiet_NaN();
    bool gap_is_rough = false;  ///< only some of the points were looked at
    bool operator==(Standing const&) const = default;
};

/// "closed 812, flying 12, open 301, gap 3.12 %"
[[nodiscard]] std::string text_of(Standing const& standing);

}  // namespace pimdse::dse::search
