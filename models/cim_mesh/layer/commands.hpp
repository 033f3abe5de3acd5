#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/partition.hpp"

namespace pimdse::models::cim_mesh {

/// Commands with which the main controller of a compute tile runs a decoded token through a layer (README.md,
/// Commands). A command starts one collective of the network: the sum of a set of output columns, the broadcast of
/// a vector, a vector to a hub or to its place in the cache, a key or value past the queries or a query past the keys,
/// softmax.
struct LayerCommands {
    double executed = 0.0;  ///< at the mean context
    double stored = 0.0;    ///< if a command repeats: one for every kind of collective of every matrix
};
[[nodiscard]] LayerCommands commands_of(Design const& design, Partition const& partition);

/// Bytes of the instruction memory for the stored commands of a layer.
[[nodiscard]] double command_bytes(MachineConstants const& machine, LayerCommands const& commands);

}  // namespace pimdse::models::cim_mesh
