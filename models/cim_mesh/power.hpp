#pragma once

#include "models/cim_mesh/placement/placement.hpp"
#include "models/cim_mesh/request.hpp"

namespace pimdse::models::cim_mesh {

/// Power of one router-PE pair in each state, W: the published unit powers, scaled as README.md says.
struct PairPower {
    double active = 0.0;
    double reprogram = 0.0;  ///< while its SRAM-DCIM takes new adapters
    double idle = 0.0;       ///< waiting, gated or not as the design says
    double gated = 0.0;
    double ungated = 0.0;
    double decode_macro = 0.0;  ///< leap-d: one of the decode region, at work or not
};
[[nodiscard]] PairPower pair_power(MachineConstants const& machine, Design const& design);

/// Pairs that are powered: whole mesh columns, since a column is switched as one.
struct Powered {
    double crossbars = 0.0;      ///< of a layer, with weights
    double layer = 0.0;          ///< of a layer, whole columns
    double tables = 0.0;         ///< of embedding and LM head, whole columns
    double layers = 0.0;         ///< of the model
    double decode_macros = 0.0;  ///< of the decode region, all layers
    double controllers = 0.0;    ///< W, all tiles
};
[[nodiscard]] Powered powered(MachineConstants const& machine, Design const& design, Partition const& partition,
                              Placement const& placement);

/// Energy of a whole request by state, J.
struct StateEnergy {
    sim::Bounded active;   ///< the layer at work
    sim::Bounded waiting;  ///< the other layers, and idle pairs in the columns of that at work
    sim::Bounded tables;   ///< embedding and LM head
    sim::Bounded controllers;
    sim::Bounded decode_region;
    double reprogramming = 0.0;

    [[nodiscard]] sim::Bounded total() const {
        return active + waiting + tables + controllers + decode_region + reprogramming;
    }
};

/// Static state count of the published figures: one layer active, all others and the tables idle, W.
[[nodiscard]] double average_power(Powered const& counts, PairPower const& power);
[[nodiscard]] StateEnergy state_energy(Partition const& partition, Powered const& counts, PairPower const& power,
                                       RequestTime const& time);
/// Share of the average power that gating saves against no gating, 0..1.
[[nodiscard]] double gating_saving(MachineConstants const& machine, Design const& design, Powered const& counts);
/// leap-a and leap-d: the power LEAP prints, of as many macros as it counts for every model, W; else `average`.
[[nodiscard]] double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power,
                                 double average);

/// Energy of a request from what moves and computes rather than from states, J; no published anchor.
[[nodiscard]] double activity_energy(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Macros of a design, m2.
struct MacroArea {
    double rram = 0.0, sram = 0.0, scratchpad = 0.0, router = 0.0, edge = 0.0;  ///< of one compute tile

    [[nodiscard]] double tile() const { return rram + sram + scratchpad + router + edge; }
};
[[nodiscard]] MacroArea tile_area(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
