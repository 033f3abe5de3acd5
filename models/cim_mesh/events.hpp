#pragma once

#include "models/cim_mesh/layer/layer_pass.hpp"
#include "models/cim_mesh/power.hpp"
#include "models/contract/standby.hpp"

namespace pimdse::models::cim_mesh {

/// Energy [J] of one event at the clock and sizes of the design, from constants.toml; independent of published powers.
struct EventEnergy {
    double converters = 0.0;  ///< product of a crossbar: input and output converters
    double cells = 0.0;       ///< product of a crossbar: cells
    double adapter = 0.0;     ///< multiply-add in the SRAM-DCIM
    double multiply = 0.0;    ///< multiply-add in a router
    double addition = 0.0;    ///< addition of a value of two partial sums
    double softmax = 0.0;     ///< per score, or element of an activation
    double scratchpad = 0.0;  ///< per byte read or written
    double router = 0.0;      ///< per byte through a router
    double wire = 0.0;        ///< per byte to the next router
    double port = 0.0;        ///< product of a crossbar: its vectors through the port; 0 if it is not counted
    double adapter_port =
        0.0;                  ///< multiply-add in the SRAM-DCIM: its share of the vectors through the port; 0 likewise
    double die_link = 0.0;    ///< per byte to the next compute tile, in addition; 0 if it has no link of its own
    double cell_write = 0.0;  ///< an RRAM cell; 0 unless keys and values are written into them
    double command = 0.0;     ///< per byte of a command that is read
};
[[nodiscard]] EventEnergy event_energy(MachineConstants const& machine, Design const& design,
                                       Partition const& partition);

/// Numbers of events in passes of one request, in all layers and the LM head.
struct Events {
    double products = 0.0;  ///< products of crossbars
    double adapters = 0.0, multiplies = 0.0, additions = 0.0, softmax = 0.0;
    double activations = 0.0;     ///< elements, unless they are inside the fitted service times
    double gated_elements = 0.0;  ///< products of an element of gate with one of up, likewise
    double scratchpad_bytes = 0.0;
    double hops = 0.0;           ///< bytes x routers that they pass
    double borders = 0.0;        ///< bytes x borders between compute tiles of a layer that they cross
    double command_bytes = 0.0;  ///< commands that are not repeated, read from the instruction memory
    double cell_writes = 0.0, array_products = 0.0;  ///< keys and values in RRAM cells; multiply-adds in SRAM arrays
};
Events operator+(Events a, Events const& b);
Events operator*(double times, Events events);

/// Events of a pass in all layers, without the LM head; those of the head for one position. `counts` gives the routes
/// of vectors.
[[nodiscard]] Events events_of(MachineConstants const& machine, Design const& design, Partition const& partition,
                               MeshCounts const& counts, HeldQueries const& held, LayerPass const& pass);
[[nodiscard]] Events head_events(MachineConstants const& machine, Design const& design, Partition const& partition,
                                 MeshCounts const& counts);

/// Static power [W], which does not depend on events.
struct StaticPower {
    Standby rest;
    double layer = 0.0;  ///< in addition while a layer works
    double head = 0.0;   ///< in addition while the LM head works
    /// Parts of one pair that is on: crossbar, router, SRAM-DCIM with adapters, scratchpad.
    double crossbar_on = 0.0, router_on = 0.0, adapter_on = 0.0, scratchpad_on = 0.0;
};
[[nodiscard]] StaticPower static_power(MachineConstants const& machine, Design const& design,
                                       Partition const& partition, Powered const& powered);

}  // namespace pimdse::models::cim_mesh
