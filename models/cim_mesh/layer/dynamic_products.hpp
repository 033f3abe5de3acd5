#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/counts.hpp"

#include <cstdint>

namespace pimdse::models::cim_mesh {

/// Cycles of attention in one layer where keys and values are multiplied in place (README.md, Dynamic products),
/// without softmax. The latency of a position that attends to `keys` keys is fixed() + per_key * keys.
struct DynamicTime {
    double write = 0.0;     ///< cells that store the key and the value of the position
    double products = 0.0;  ///< arrays, for the products of the position
    double routes = 0.0;    ///< the query to the keys and the sum back
    double per_key = 0.0;   ///< units that are busy with every pair of a query and a key

    /// Busy time of the arrays per position.
    [[nodiscard]] double arrays() const { return write + products; }
    [[nodiscard]] double fixed() const { return write + products + routes; }
};

/// Precondition: design.multiplies_in_place(). `transfer`, `hop`: cycles of a vector on a link, and of one addition of
/// the serial schedule.
[[nodiscard]] DynamicTime dynamic_time(MachineConstants const& machine, Design const& design,
                                       Partition const& partition, MeshCounts const& counts, double transfer,
                                       double hop);

/// Number of arrays of one layer for the keys and values of the whole batch; 0 unless they are written into cells.
[[nodiscard]] double dynamic_arrays(Design const& design, Partition const& partition);

/// Vectors of a position that enter the shared aggregator: the products of all crossbars. 0 without one.
[[nodiscard]] double shared_vectors(Design const& design, Partition const& partition);
/// Lower bound of those on the busiest link of the aggregator, which has four links, or two in a mesh of one row.
[[nodiscard]] double shared_on_a_link(Design const& design, Partition const& partition);

/// Time [s] until a cell for keys and values has been written as often as it endures, if requests of `latency` seconds
/// follow each other. Every place is written once per pass that computes it.
[[nodiscard]] double cell_life(MachineConstants const& machine, Design const& design, double latency);

}  // namespace pimdse::models::cim_mesh
