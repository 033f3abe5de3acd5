#pragma once

#include "models/cim_mesh/power.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Joules of a batch along a row of the ledger.
struct RowEnergy {
    std::string_view what;
    sim::Bounded joules;
};

/// Where the energy of a batch goes: pairs at work by what draws their power, pairs that wait by what they keep on,
/// control, adapters on their way. A pair is charged for one state at a time.
[[nodiscard]] std::vector<RowEnergy> energy_rows_of(MachineConstants const& machine, Partition const& partition,
                                                    Powered const& counts, PairPower const& power,
                                                    RequestTime const& time);
[[nodiscard]] sim::Bounded sum_of(std::vector<RowEnergy> const& rows);

/// Bytes of all adapters, which the host sends.
[[nodiscard]] double adapter_bytes(Design const& design, Partition const& partition);

/// Where the area of all tiles goes.
[[nodiscard]] std::vector<Share> area_rows_of(MacroArea const& tile, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
