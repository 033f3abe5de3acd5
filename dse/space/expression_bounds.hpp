#pragma once

#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// True if no metrics within these bounds meet the condition, as far as the bounds are proved: then those of no finer
/// level do. A metric that is NaN here, unknown or without bounds, may be anything. One that turns unknown at a finer
/// level makes nothing true that no value within the bounds makes true (Expression: unknown results never become yes).
[[nodiscard]] bool surely_fails(Expression const& condition, models::Point point,
                                std::span<models::Estimate const> metrics);

/// The same of all points whose numbers lie between those of these two, and whose choices are the same or are not read.
[[nodiscard]] bool surely_fails(Expression const& condition, models::Point least, models::Point most,
                                std::span<models::Estimate const> metrics);

/// A comparison that a metric meets, or misses, by its estimate, and not by its interval.
struct Crossing {
    std::string comparison;  ///< as it was written: "power <= 10 W"
    std::string_view end;    ///< which end of the interval is beyond the limit: "upper bound", "lower bound", "bounds"
};

/// Which comparisons leave a condition undecided that estimates decide: within the intervals of these metrics, proved
/// or calibrated, it may be otherwise. An end behind which nothing stands may be anywhere. Empty where it is unknown
/// anyway.
[[nodiscard]] std::vector<Crossing> crossings(Expression const& condition, models::Point point,
                                              std::span<models::Estimate const> metrics,
                                              Expression::Absent const& absent = {});

}  // namespace pimdse::dse::space
