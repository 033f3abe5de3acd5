#pragma once

#include "models/cim_mesh/layer/layer_pass.hpp"

namespace pimdse::models::cim_mesh {

/// A pass through a layer with the faster schedule (README.md, Schedules). A prompt and a denoising step are pipelines,
/// whose pace a whole schedule determines; a decoded token, and a prompt of one, does one stage after the other, so
/// that the products with weights and attention have a schedule each.
struct ScheduledParts {
    LayerParts parts;
    Schedule attention = Schedule::tree;  ///< energy depends on it. Only for exact times.
};

/// `serial` and `tree`: the parts with either schedule, or their lower bounds; the lower bound is that of both, so that
/// it is monotone in every parameter in which both are.
[[nodiscard]] ScheduledParts faster_parts(MachineConstants const& machine, Design const& design,
                                          Partition const& partition, LayerPass const& pass, LayerParts const& serial,
                                          LayerParts const& tree);

}  // namespace pimdse::models::cim_mesh
