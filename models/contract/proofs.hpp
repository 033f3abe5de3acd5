#pragma once

#include "models/contract/cycle_key.hpp"
#include "models/contract/inputs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Direction of the optimistic bound of a metric at analytic level (the lower bound of a minimised metric, the upper
/// bound of a maximised one) when a numeric parameter grows and everything else stays: never down, never up, or
/// constant. This holds for bounds only; the cycle level need not be monotone.
enum class Slope : std::uint8_t { up, down, flat };
struct MonotoneLowerBound {
    std::string_view parameter, metric;
    Slope slope = Slope::flat;
    bool one_device = false;  ///< holds for designs with one device only
};
/// One direction of several metrics with several parameters, each.
struct MonotoneGroup {
    std::vector<std::string_view> parameters;
    Slope slope = Slope::flat;
    std::vector<std::string_view> metrics;
};
[[nodiscard]] inline std::vector<MonotoneLowerBound> pairs_of(std::vector<MonotoneGroup> const& groups) {
    std::vector<MonotoneLowerBound> pairs;
    for (auto const& [parameters, slope, metrics] : groups)
        for (auto const& parameter : parameters)
            for (auto const& metric : metrics) pairs.push_back({parameter, metric, slope});
    return pairs;
}

/// Parts of the cycle key of an architecture, for tests that take it apart.
struct KeyParts {
    std::function<std::vector<KeyDeclaration>()> declarations;
    /// Makes a key with one part per parameter, in declared order. The declaration at `widened` counts as if its
    /// condition held everywhere; with no_declaration, none does and the key is cycle_key.
    std::function<CycleKeyMaker(Inputs const&, Point, std::size_t widened)> make;
    /// The declaration that decides each part; no_declaration: the value itself enters the key.
    std::function<std::vector<std::size_t>(Inputs const&, Point)> deciding;
    [[nodiscard]] CycleKey key(Inputs const& inputs, Point point) const {
        return make(inputs, point, no_declaration).key();
    }
};

/// What is proved about an architecture.
struct Proofs {
    /// Points with equal keys have equal cycle-level metrics. A point that cannot be built may have any key. Pure; set
    /// by answering() if `key_parts` is set.
    std::function<CycleKey(Inputs const&, Point)> cycle_key{};
    /// How the cycle key is made, if it is made by a KeyTable: all parameters, except as it declares.
    KeyParts key_parts{};
    /// Metrics and parameters for which the optimistic analytic bounds are known to be monotone with these constants;
    /// the others are unknown.
    std::function<std::vector<MonotoneLowerBound>(Inputs const&)> monotone_lower_bounds{};
    /// Optional: constants for which the direction of the metrics is unknown; for all others it follows from their
    /// dimension (constant_slopes.hpp). Not set: it is unknown for all constants.
    std::function<std::vector<std::string>(Inputs const&)> constants_without_slopes{};
};

}  // namespace pimdse::models
