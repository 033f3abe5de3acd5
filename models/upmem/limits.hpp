#pragma once

#include "models/upmem/timeline.hpp"

#include <string>

namespace pimdse::models::upmem {

/// What the busiest DPU of a plan does: cycles in all, cycles in which it issues, cycles in which its MRAM is busy.
struct BusyCycles {
    double all = 0.0, issuing = 0.0, transferring = 0.0;
};

/// What takes most of the time of a phase: DPUs that compute (then their pipelines in instructions per second, or their
/// MRAM in bytes per second, whichever is busier), or host link, launches or host (then a share of the time).
/// Precondition: the phase takes time.
[[nodiscard]] PhaseLimit limit_of(Design const& design, std::string phase, Plan const& plan, Timeline const& timeline,
                                  BusyCycles const& busy);

}  // namespace pimdse::models::upmem
