#pragma once

#include "models/cim_mesh/events.hpp"
#include "models/contract/breakdown.hpp"
#include "models/contract/ledger.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The ledger of cim_mesh: the source or the assumption behind every row.
[[nodiscard]] Ledger ledger();

/// Energy [J] of a batch in a row of the ledger: until every request has its first token, and afterwards.
struct RowEnergy {
    std::string_view what;
    sim::Bounded prefill, decode;

    [[nodiscard]] sim::Bounded joules() const { return prefill + decode; }
};

/// Events of a batch with their energies, and the static power of the machine.
struct BatchWork {
    EventEnergy each;
    Events first, later;  ///< of one request
    StaticPower idle;
};

/// Energy of a batch by rows of the ledger: events times their energies, and static power times its duration.
[[nodiscard]] std::vector<RowEnergy> energy_rows_of(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition, BatchWork const& work,
                                                    RequestTime const& time);
[[nodiscard]] sim::Bounded sum_of(std::vector<RowEnergy> const& rows);
[[nodiscard]] sim::Bounded sum_of(std::vector<RowEnergy> const& rows, sim::Bounded RowEnergy::*phase);

/// Energy [J] of the events of all requests, without static power.
[[nodiscard]] double event_joules(BatchWork const& work, double requests);

/// Power [W] of one pair of the active layer in later passes, by macro: energy of its events and static power of the
/// parts that are on, over the active time. It corresponds to the macros in Table IV of PRIMAL. The SRAM-DCIM is that
/// of a pair with an adapter.
struct UnitPower {
    sim::Bounded crossbar, adapter, scratchpad, router;

    [[nodiscard]] sim::Bounded pair() const { return crossbar + adapter + scratchpad + router; }
};
[[nodiscard]] UnitPower unit_power(Design const& design, Partition const& partition, BatchWork const& work,
                                   RequestTime const& time);

/// Bytes of all adapters, which the host transfers.
[[nodiscard]] double adapter_bytes(Design const& design, Partition const& partition);

/// Area of all tiles, and of arrays or units for keys and values besides them, by rows of the ledger.
[[nodiscard]] std::vector<Share> area_rows_of(MachineConstants const& machine, Design const& design,
                                              MacroArea const& tile, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
