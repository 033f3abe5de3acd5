#pragma once

#include "models/cim_mesh/layer/layer_time.hpp"

namespace pimdse::models::cim_mesh {

/// A layer with the faster schedule of each phase (README.md, Schedules). A prompt and a denoising step are pipelines,
/// whose pace a whole schedule determines; a decoded token, and a prompt of one, does one stage after the other, so
/// that the products with weights and attention have a schedule each.
struct ScheduledLayer {
    LayerTime time;
    /// The schedules of attention in both phases, which energy depends on. Only for exact times.
    Schedule first = Schedule::tree, later = Schedule::tree;
};

/// `serial` and `tree`: the parts of serial_layer() and tree_layer(), or of their lower bounds; the lower bound is that
/// of both, so that it is monotone in every parameter in which both are.
[[nodiscard]] ScheduledLayer faster_layer(MachineConstants const& machine, Design const& design,
                                          Partition const& partition, LayerTime const& serial, LayerTime const& tree);

}  // namespace pimdse::models::cim_mesh
