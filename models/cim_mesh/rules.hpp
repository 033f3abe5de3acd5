#pragma once

#include "models/cim_mesh/layer/kv_cache.hpp"

#include <optional>

namespace pimdse::models::cim_mesh {

/// The first rule a design breaks, with the numbers: generation, context, blocks, batch, clock, fifo, head_dimension,
/// lora_rank, mesh_column, kv_pool.
[[nodiscard]] std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition);

}  // namespace pimdse::models::cim_mesh
