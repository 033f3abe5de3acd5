#pragma once

#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/power.hpp"

namespace pimdse::models::cim_mesh {

/// Joules of one event at the design's clock and sizes: constants of constants.toml, whatever the machine is said to
/// draw on average.
struct EventEnergy {
    double converters = 0.0;  ///< a product of a crossbar: its converters, in and out
    double cells = 0.0;       ///< and its cells
    double adapter = 0.0;     ///< a multiply-add in the SRAM-DCIM
    double multiply = 0.0;    ///< the same in a router
    double addition = 0.0;    ///< of two partial sums, a value
    double softmax = 0.0;     ///< a score
    double scratchpad = 0.0;  ///< a byte, read or written
    double router = 0.0;      ///< a byte in and out of a router
    double wire = 0.0;        ///< a byte to the next router
};
[[nodiscard]] EventEnergy event_energy(MachineConstants const& machine, Design const& design,
                                       Partition const& partition);

/// What happens in the passes of one request, all layers and the LM head together.
struct Events {
    double products = 0.0;  ///< of crossbars
    double adapters = 0.0, multiplies = 0.0, additions = 0.0, softmax = 0.0;
    double scratchpad_bytes = 0.0;
    double hops = 0.0;  ///< bytes times routers
};
Events operator+(Events a, Events const& b);
Events operator*(double times, Events events);

/// Of the prompt, or the first denoising step; of all later passes. counts: of the layer, for the ways of vectors.
[[nodiscard]] Events first_events(MachineConstants const& machine, Design const& design, Partition const& partition,
                                  MeshCounts const& counts);
[[nodiscard]] Events later_events(MachineConstants const& machine, Design const& design, Partition const& partition,
                                  MeshCounts const& counts);

/// What is drawn whether anything happens or not, W.
struct StaticPower {
    double scratchpads = 0.0;     ///< all of them
    double adapters = 0.0;        ///< SRAM-DCIM that keeps adapters; ungated, all of it
    double control = 0.0;         ///< of all tiles
    double waiting = 0.0;         ///< logic that is on while no layer works: ungated, all of it
    double layer = 0.0;           ///< more than waiting while a layer works
    double head = 0.0;            ///< more than waiting while the LM head works
    double region_pads = 0.0;     ///< leap-d: of the decode region
    double region_routers = 0.0;  ///< the same
    /// Of one pair that is on: crossbar, router, SRAM-DCIM that keeps adapters, scratchpad.
    double crossbar_on = 0.0, router_on = 0.0, adapter_on = 0.0, scratchpad_on = 0.0;

    [[nodiscard]] double idle() const {
        return scratchpads + adapters + control + waiting + region_pads + region_routers;
    }
};
[[nodiscard]] StaticPower static_power(MachineConstants const& machine, Design const& design,
                                       Partition const& partition, Powered const& powered);

}  // namespace pimdse::models::cim_mesh
