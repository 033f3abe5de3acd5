#pragma once

#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

namespace pimdse::dse::report {

/// What the time of evaluating designs again may be, and how many are worth it.
struct BreakdownLimits {
    double seconds = 10.0;
    std::size_t designs = 1000;
};

/// Where time, energy and area of designs go: {"parts": names, "of": {ID: {SCENARIO or "": {"time": [[part, amount],
/// ...], "energy": ..., "area": ...}}}, "asked": how many, "answered": how many of these}. Largest shares first.
[[nodiscard]] nlohmann::ordered_json breakdowns_json(space::Space const& space, std::span<task::Task const> designs,
                                                     BreakdownLimits limits);

}  // namespace pimdse::dse::report
