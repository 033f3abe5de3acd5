#pragma once

#include "models/contract/cycle_key.hpp"
#include "models/contract/inputs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Parts of the cycle key of an architecture, for tests that take it apart.
struct KeyParts {
    std::function<std::vector<KeyDeclaration>()> declarations;
    /// Makes a key with one part per parameter, in declared order. The declaration at `widened` counts as if its
    /// condition held everywhere; with no_declaration, none does and the key is cycle_key.
    std::function<CycleKeyMaker(Inputs const&, Point, std::size_t widened)> make;
    /// The declaration that decides each part; no_declaration: the value itself enters the key.
    std::function<std::vector<std::size_t>(Inputs const&, Point)> deciding;
};

}  // namespace pimdse::models
