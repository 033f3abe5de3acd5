#pragma once

#include "dse/report/flips.hpp"
#include "dse/space/space.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::report {

/// A parameter whose value in best designs of a machine is the smallest or the largest that the space offers, although
/// the architecture allows others. The comparison may then rest on the range.
struct AxisEnd {
    std::size_t machine = 0, parameter = 0;  ///< positions in the space and in the machine
    models::Value value;
    bool largest = false;
    std::size_t designs = 0;       ///< number of best designs with this value
    std::size_t best_designs = 0;  ///< number of best designs of the machine: one per question that it can answer
};

/// By machine and parameter; the smallest value before the largest. Numbers only, of parameters with several values.
[[nodiscard]] std::vector<AxisEnd> axis_ends_of(space::Space const& space, FlipReport const& report);

}  // namespace pimdse::dse::report
