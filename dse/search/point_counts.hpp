#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::search {

/// Counts of the points of a store. A point that was evaluated at several fidelities counts once, by its finest
/// evaluation.
struct EvaluatedPoints {
    std::uint64_t points = 0, feasible = 0, infeasible = 0, failed = 0;
};

[[nodiscard]] EvaluatedPoints count_points(ResultStore const& store);

/// The ids that have a result at this fidelity: rows, blocks whose front is kept, and parts of blocks.
[[nodiscard]] space::IdSet evaluated_ids(ResultStore const& store, models::Fidelity fidelity);

/// The points that broke one rule, or failed in one way.
struct FailureKind {
    std::string rule;
    std::uint64_t points = 0;
    std::optional<Row> example;  ///< nullopt if only fronts are kept and no row is of this kind
};

/// The rule that an infeasible row breaks; for other failures their class.
[[nodiscard]] std::string_view failure_of(ResultStore const& store, Row row);

/// All kinds of failures, most frequent first; the example is the row with the smallest id.
[[nodiscard]] std::vector<FailureKind> failure_kinds(ResultStore const& store);

/// A cycle-level value outside the proved interval of the point's analytic row: a bug of a model.
struct BoundViolation {
    space::PointId point{};
    std::size_t metric = 0;
    double value = 0.0, bound = 0.0;
};

/// The first violation by id among the cycle-level rows of `fine` and the analytic rows of `coarse`, which may be the
/// same store. Intervals are widened by 1e-9 of themselves for rounding unless they are exact.
[[nodiscard]] std::optional<BoundViolation> first_broken_bound(ResultStore const& fine, ResultStore const& coarse,
                                                               std::size_t metrics);

/// "point 3: latency is 1 ms at cycle level, outside its proved analytic bound 2 ms (a bug of the model)".
[[nodiscard]] std::string text_of(BoundViolation const& broken, models::MetricList const& metrics);

}  // namespace pimdse::dse::search
