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
    double executed = 0.0;  ///< at a context
    double stored = 0.0;    ///< if a command repeats: one for every kind of collective of every matrix
};
/// `schedule` = searched: the larger numbers of the two schedules.
[[nodiscard]] LayerCommands commands_of(Design const& design, Partition const& partition, double context);
/// With the schedules of the products with weights and of attention, `serial` or `tree` each.
[[nodiscard]] LayerCommands commands_of(Design const& design, Partition const& partition, double context,
                                        Schedule weights, Schedule attention);

/// Bytes of instruction memory for the commands of a layer: each once, or every execution at the longest context. If
/// the schedule is searched, the commands of both.
[[nodiscard]] double command_bytes(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Cycles to issue the commands of a layer for `positions` positions that follow each other, `commands` for each.
/// Commands that repeat are issued once.
[[nodiscard]] double issue_cycles(MachineConstants const& machine, Design const& design, LayerCommands const& commands,
                                  double positions);

}  // namespace pimdse::models::cim_mesh
