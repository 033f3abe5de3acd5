#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

/// What `f` makes of a number that is sure or lies between two, where it only grows with it or only shrinks.
template <class F>
[[nodiscard]] sim::Bounded over(sim::Bounded const& number, F const& f) {
    if (number.is_exact()) return f(number.value);
    double const low = f(number.low), high = f(number.high);
    auto const kinds = low <= high ? number.kinds : number.kinds.swapped();
    return {f(number.value), std::min(low, high), std::max(low, high), kinds};
}

/// What is known of the packed layer, where the layer may lie in any other way: none is less than `least`, which is
/// proved; the rest is calibrated.
[[nodiscard]] sim::Bounded opened(MachineConstants::Allowances const& allowed, sim::Bounded const& packed,
                                  double least);
/// The same part by part.
[[nodiscard]] LayerTime opened(MachineConstants::Allowances const& allowed, LayerTime const& packed,
                               LayerTime const& least);

/// Every part as its value, whatever is known of it.
[[nodiscard]] LayerTime as_said(LayerTime time);

}  // namespace pimdse::models::cim_mesh
