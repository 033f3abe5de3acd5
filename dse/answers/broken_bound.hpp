#pragma once

#include "dse/answers/result_store.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace pimdse::dse::answers {

/// A cycle-level value outside the proved interval of the analytic row of its point: a bug of a model.
struct BoundViolation {
    task::PointId point{};
    std::size_t metric = 0;
    double value = 0.0, bound = 0.0;
};

/// The one with the smallest id among the cycle-level rows of `fine` and the analytic rows of `coarse`, which may be
/// the same store. Intervals are widened by 1e-9 of themselves for rounding unless they are exact.
[[nodiscard]] std::optional<BoundViolation> first_broken_bound(ResultStore const& fine, ResultStore const& coarse,
                                                               std::size_t metrics);

/// "point 3: latency is 1 ms at cycle level, outside its proved analytic bound 2 ms (a bug of the model)".
[[nodiscard]] std::string text_of(BoundViolation const& broken, models::MetricList const& metrics);

}  // namespace pimdse::dse::answers
