#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/partition.hpp"

namespace pimdse::models::cim_mesh {

/// The programming of all cells before the first request (weight_load = once; README.md, Programming of cells). All
/// numbers are 0 with weight_load = none.
struct Programming {
    double crossbars = 0.0;  ///< with weights: those of all layers of a kind, of the embedding and of the LM head
    double cells = 0.0;
    double bytes = 0.0;      ///< of the weights that enter the machine
    double byte_hops = 0.0;  ///< bytes x routers that they pass on their compute tile
    double time = 0.0;       ///< s, for all kinds of layers
    double together = 0.0;   ///< crossbars in which a row is being written, in the mean
};
[[nodiscard]] Programming programming(MachineConstants const& machine, Design const& design,
                                      Partition const& partition);

/// Time [s] until the last row is written, if one port brings row r of every crossbar, one after another, before row
/// r + 1 of any. A row takes `transfer` on the port and `write` in its crossbar, which writes one row at a time.
[[nodiscard]] double time_to_program(double crossbars, double rows, double transfer, double write);

}  // namespace pimdse::models::cim_mesh
