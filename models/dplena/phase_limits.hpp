#pragma once

#include "models/dplena/accounts.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// What limits the sampling, or the passes and samplings until the first token and after it.
[[nodiscard]] std::vector<PhaseLimit> phase_limits(Answer const& answer, Design const& design,
                                                   MachineConstants const& machine);

}  // namespace pimdse::models::dplena
