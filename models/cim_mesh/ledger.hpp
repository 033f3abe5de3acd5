#pragma once

#include "models/cim_mesh/events.hpp"
#include "models/contract/ledger.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// What the mesh says of every row.
[[nodiscard]] Ledger ledger();

/// Joules of a batch along a row of the ledger: until every request has its first token, and behind.
struct RowEnergy {
    std::string_view what;
    sim::Bounded prefill, decode;

    [[nodiscard]] sim::Bounded joules() const { return prefill + decode; }
};

/// What a batch does, and what the machine draws meanwhile.
struct BatchWork {
    EventEnergy each;
    Events first, later;  ///< of one request
    StaticPower drawn;
};

/// Where the energy of a batch goes: what happens, times what it takes; and what is drawn all the time.
[[nodiscard]] std::vector<RowEnergy> energy_rows_of(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition, BatchWork const& work,
                                                    RequestTime const& time);
[[nodiscard]] sim::Bounded sum_of(std::vector<RowEnergy> const& rows);
[[nodiscard]] sim::Bounded sum_of(std::vector<RowEnergy> const& rows, sim::Bounded RowEnergy::*phase);

/// Joules of what happens alone, all requests.
[[nodiscard]] double happening(BatchWork const& work, double requests);

/// Watts of one pair of the layer at work in later passes, by macro: what happens there and what is on, over the time
/// it works. What Table IV of PRIMAL prints of its macros, as far as events say it; of a pair with an adapter the
/// SRAM-DCIM.
struct UnitPower {
    sim::Bounded crossbar, adapter, scratchpad, router;
};
[[nodiscard]] UnitPower unit_power(Design const& design, Partition const& partition, BatchWork const& work,
                                   RequestTime const& time);

/// Bytes of all adapters, which the host sends.
[[nodiscard]] double adapter_bytes(Design const& design, Partition const& partition);

/// Where the area of all tiles goes.
[[nodiscard]] std::vector<Share> area_rows_of(MacroArea const& tile, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
