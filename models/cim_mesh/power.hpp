#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/partition.hpp"

#include <cstdint>

namespace pimdse::models::cim_mesh {

/// Time [s] to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition);

/// The papers' own accounting: active power [W] of one router-PE pair by macro, from published powers, scaled as
/// README.md describes. The metrics of energy and power are counted from events (events.hpp); this is for comparison.
struct PairPower {
    double crossbar = 0.0;                   ///< RRAM with its converters
    double adapters = 0.0, retention = 0.0;  ///< SRAM-DCIM: active; retaining its adapters
    double scratchpad = 0.0;                 ///< active or waiting
    double router = 0.0;
    double region_pads = 0.0, region_router = 0.0;  ///< leap-d: in a macro of the decode region
    bool gated = false;                             ///< crossbar and router are off while the pair waits

    [[nodiscard]] double active() const { return crossbar + adapters + scratchpad + router; }
    [[nodiscard]] double kept() const { return scratchpad + retention; }
    [[nodiscard]] double ungated() const { return crossbar + router + kept(); }
    [[nodiscard]] double idle() const { return gated ? kept() : ungated(); }
};
[[nodiscard]] PairPower pair_power(MachineConstants const& machine, Design const& design);

/// Numbers of powered pairs: whole mesh columns, because a column is switched as a unit.
struct Powered {
    double crossbars = 0.0;      ///< pairs of a layer with weights
    double active = 0.0;         ///< the same, times the share of this kind in all layers
    double layer = 0.0;          ///< pairs of a layer, in whole columns
    double tables = 0.0;         ///< pairs of embedding and LM head, in whole columns
    double layers = 0.0;         ///< layers of the model
    double decode_macros = 0.0;  ///< macros of the decode region, all layers
    double control = 0.0;        ///< power of the control of all tiles, W
};
/// `columns`: number of mesh columns of a layer with a crossbar.
[[nodiscard]] Powered powered(MachineConstants const& machine, Design const& design, Partition const& partition,
                              std::int64_t columns);

/// Power [W] by the states of the published figures: one layer active, all others and the tables idle.
[[nodiscard]] double average_power(Powered const& counts, PairPower const& power);
/// leap-a and leap-d: the power [W] in LEAP, of the same number of macros for every model; otherwise `average`.
[[nodiscard]] double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power,
                                 double average);

/// Area [m2] of the macros of one compute tile.
struct MacroArea {
    double rram = 0.0, sram = 0.0, scratchpad = 0.0;
    double fifos = 0.0, links = 0.0, multipliers = 0.0;  ///< parts of the routers
    double control = 0.0;
    double softmax = 0.0;             ///< units of their own, besides what a router has
    double die_links = 0.0;           ///< links of their own to other tiles
    double rram_at_full_speed = 0.0;  ///< with converters for products that a transfer hides
    double routers_of_a_pair = 1.0;   ///< leap-d: two

    [[nodiscard]] double routers() const { return fifos + links + multipliers + softmax; }
    [[nodiscard]] double pairs() const { return rram + sram + scratchpad + routers(); }
    [[nodiscard]] double tile() const {
        return rram + sram + scratchpad + fifos + links + multipliers + control + softmax + die_links;
    }
};
[[nodiscard]] MacroArea tile_area(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Area [m2] for keys and values besides the compute tiles, all layers: arrays, or digital units. 0 for routers.
[[nodiscard]] double dynamic_area(MachineConstants const& machine, Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
