#pragma once

#include "sim/base/check.hpp"
#include "sim/base/units.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

/// What the overlap of equal streams comes to on paper.
namespace pimdse::sim {

/// Makespan of N streams of two stages under a two-buffer rule, in closed recurrence:
/// T = in_0 + sum over i of max(in_i, work_(i-1)) + work_(N-1). `in` and `work` have the same, non-zero length.
[[nodiscard]] inline Time lock_step_makespan(std::span<Time const> in, std::span<Time const> work) {
    expects(!in.empty() && in.size() == work.size(), "every stream has both stages");
    Time total = in.front();
    for (std::size_t i = 1; i < in.size(); ++i) total += std::max(in[i], work[i - 1]);
    return total + work.back();
}

/// The most that N equal streams can gain when a share `rest` = R/T of a time T + R cannot be split and input and work
/// take T each: 2 - 2 (T/N + R) / (T + T/N + R).
[[nodiscard]] inline double equal_streams_bound(double streams, double rest) {
    double const part = 1.0 / streams + rest;
    return 2.0 - 2.0 * part / (1.0 + part);
}

}  // namespace pimdse::sim
