#pragma once

#include "models/upmem/cost.hpp"
#include "models/upmem/timeline.hpp"

namespace pimdse::models::upmem {

/// Energy of a point by cause, in joules.
struct EnergyParts {
    double active = 0.0, idle = 0.0, mram = 0.0, host = 0.0;
    [[nodiscard]] double total() const { return active + idle + mram + host; }
};
[[nodiscard]] EnergyParts energy_of(Prepared const& prepared, Design const& design, Plan const& plan,
                                    Timeline const& timeline, std::span<double const> cycles);

/// Pure; the body of Architecture::evaluate and explain.
[[nodiscard]] Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Breakdown explain(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Trace trace(Inputs const& inputs, Point point, Fidelity fidelity);

}  // namespace pimdse::models::upmem
