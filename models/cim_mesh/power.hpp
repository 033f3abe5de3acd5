#pragma once

#include "models/cim_mesh/request.hpp"

namespace pimdse::models::cim_mesh {

/// Power of one router-PE pair in each state, W: the published unit powers, scaled as README.md says.
struct PairPower {
    double active = 0.0;
    double reprogram = 0.0;  ///< while its SRAM-DCIM takes new adapters
    double idle = 0.0;       ///< waiting, gated or not as the design says
    double gated = 0.0;
    double ungated = 0.0;
};
[[nodiscard]] PairPower pair_power(MachineConstants const& machine, Design const& design);

/// Energy of a whole request by state, J.
struct StateEnergy {
    sim::Bounded active;   ///< the layer at work
    sim::Bounded waiting;  ///< the other layers
    sim::Bounded tables;   ///< embedding and LM head
    double reprogramming = 0.0;

    [[nodiscard]] sim::Bounded total() const { return active + waiting + tables + reprogramming; }
};

/// Static state count of the published figures: one layer active, all others and the tables idle, W.
[[nodiscard]] double average_power(Design const& design, Partition const& partition, PairPower const& power);
[[nodiscard]] StateEnergy state_energy(Design const& design, Partition const& partition, PairPower const& power,
                                       RequestTime const& time);
/// Share of the average power that gating saves against no gating, 0..1.
[[nodiscard]] double gating_saving(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Energy of a request from what moves and computes rather than from states, J; no published anchor.
[[nodiscard]] double activity_energy(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Macros of a design, m2.
struct MacroArea {
    double rram = 0.0, sram = 0.0, scratchpad = 0.0, router = 0.0, edge = 0.0;  ///< of one compute tile

    [[nodiscard]] double tile() const { return rram + sram + scratchpad + router + edge; }
};
[[nodiscard]] MacroArea tile_area(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
