#pragma once

#include "models/contract/architecture.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::dse::task {

/// Index of a point in its space: mixed radix over the parameters in the architecture's declared order, the last one
/// fastest.
enum class PointId : std::uint64_t {};
constexpr std::uint64_t index_of(PointId id) { return static_cast<std::uint64_t>(id); }

/// What is asked of a pool: this point at this fidelity.
struct Task {
    PointId point{};
    models::Fidelity fidelity = models::Fidelity::analytic;
    auto operator<=>(Task const&) const = default;
};

/// What came back. `seconds` and `rank` are the only fields that may differ between two equal runs.
struct Answer {
    Task task;
    models::Outcome outcome;
    double seconds = 0.0;
    int rank = 0;
};

}  // namespace pimdse::dse::task
