#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "models/contract/breakdown.hpp"
#include "models/contract/ledger.hpp"

#include <array>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The ledger of cim_mesh: the source or the assumption behind every row.
[[nodiscard]] Ledger ledger();

inline void add(EnergyByRow& to, EnergyByRow const& more, double times = 1.0) {
    for (std::size_t row = 0; row < to.size(); ++row) to[row] += times * more[row];
}
/// Energy [J] of events by rows of the ledger.
[[nodiscard]] EnergyByRow joules_of(EventEnergy const& each, Events const& events);
/// The same divided by what draws it.
[[nodiscard]] std::vector<Share> shares_of(EventEnergy const& each, Events const& events);
/// Energy [J] of writing all adapters once, and of the programming of all cells.
[[nodiscard]] EnergyByRow adapter_joules(MachineConstants const& machine, Design const& design,
                                         Partition const& partition, EventEnergy const& each);
[[nodiscard]] EnergyByRow programming_joules(MachineConstants const& machine, Design const& design,
                                             Partition const& partition, EventEnergy const& each);

/// Power [W] of one pair of the active layer, by macro: energy of its events and static power of the parts that are on,
/// over the active time. It corresponds to the macros in Table IV of PRIMAL. The SRAM-DCIM is that of a pair with an
/// adapter. `seconds`: in which all layers have these events, one after another. In the order crossbar, SRAM-DCIM,
/// scratchpad, router.
[[nodiscard]] std::array<double, 4> unit_power(Design const& design, Partition const& partition,
                                               EventEnergy const& each, Events const& events, StaticPower const& power,
                                               double seconds);

/// Bytes of all adapters, which the host transfers.
[[nodiscard]] double adapter_bytes(Design const& design, Partition const& partition);

/// Area of the tiles of all kinds of layers, and of arrays or units for keys and values besides them, by rows of the
/// ledger.
[[nodiscard]] std::vector<Share> area_rows_of(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds);

/// The programming of all cells before the first request (weight_load = once; README.md, Programming of cells). All
/// numbers are 0 with weight_load = none.
struct Programming {
    double crossbars = 0.0;  ///< with weights: those of all layers of a kind, of the embedding and of the LM head
    double cells = 0.0;
    double bytes = 0.0;      ///< of the weights that enter the machine
    double byte_hops = 0.0;  ///< bytes x routers that they pass on their compute tile
    double time = 0.0;       ///< s, for all kinds of layers
    double together = 0.0;   ///< crossbars in which a row is being written, in the mean
};
[[nodiscard]] Programming programming(MachineConstants const& machine, Design const& design,
                                      Partition const& partition);

/// Time [s] until the last row is written, if one port brings row r of every crossbar, one after another, before row
/// r + 1 of any. A row takes `transfer` on the port and `write` in its crossbar, which writes one row at a time.
[[nodiscard]] double time_to_program(double crossbars, double rows, double transfer, double write);

}  // namespace pimdse::models::cim_mesh
