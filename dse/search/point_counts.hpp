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

/// Points of a store, each counted once however many fidelities it was evaluated at: its finest evaluation decides.
struct EvaluatedPoints {
    std::uint64_t points = 0, feasible = 0, infeasible = 0, failed = 0;
};

[[nodiscard]] EvaluatedPoints count_points(ResultStore const& store);

/// The ids that have an answer at this fidelity: rows, blocks of which the front is kept, and parts of blocks.
[[nodiscard]] space::IdSet evaluated_ids(ResultStore const& store, models::Fidelity fidelity);

/// What is said of the points that broke one rule, or failed in one way.
struct FailureKind {
    std::string rule;
    std::uint64_t points = 0;
    std::optional<ResultStore::Row> example;  ///< none where fronts are kept and no row is of this kind
};

/// The rule that an infeasible row breaks; of other failures their class.
[[nodiscard]] std::string_view failure_of(ResultStore const& store, ResultStore::Row row);

/// The commonest first; the example is the one with the smallest id.
[[nodiscard]] std::vector<FailureKind> failure_kinds(ResultStore const& store);

/// A cycle-level value outside the proved interval of the analytic row of its point: a bug of a model.
struct BoundViolation {
    space::PointId point{};
    std::size_t metric = 0;
    double value = 0.0, bound = 0.0;
};

/// The one with the smallest id among the cycle-level rows of `fine` and the analytic rows of `coarse`, which may be
/// the same store. Intervals are widened by 1e-9 of themselves for rounding unless they are exact.
[[nodiscard]] std::optional<BoundViolation> first_broken_bound(ResultStore const& fine, ResultStore const& coarse,
                                                               std::size_t metrics);

/// "point 3: latency is 1 ms at cycle level, outside its proved analytic bound 2 ms (a bug of the model)".
[[nodiscard]] std::string text_of(BoundViolation const& broken, models::MetricList const& metrics);

}  // namespace pimdse::dse::search
