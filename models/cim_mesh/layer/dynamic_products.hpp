#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/counts.hpp"

namespace pimdse::models::cim_mesh {

/// Cycles of attention in one layer where keys and values are multiplied in place (README.md, Dynamic products),
/// without softmax, for a position that attends to a number of keys.
struct DynamicTime {
    double write = 0.0;     ///< to write the key and the value of the position into cells
    double products = 0.0;  ///< of arrays, for the position
    double routes = 0.0;    ///< of the query to the keys, and of the sum back
    double pairs = 0.0;     ///< of the unit with the most of these keys, or of the sums over arrays
    double least = 0.0;     ///< that a unit takes for a position of a prompt, however few its keys are
    double per_key = 0.0;   ///< mean over all units, per pair of a query and a key: the pace of a prompt

    /// Latency but for the routes.
    [[nodiscard]] double at_keys() const { return write + products + pairs; }
    /// The part of the latency that does not grow with every key.
    [[nodiscard]] double fixed() const { return write + products + routes; }
};

/// Precondition: design.multiplies_in_place(). `transfer`, `hop`: cycles of a vector on a link, and of one addition of
/// the serial schedule; `keys`: number of keys, or a mean of it.
[[nodiscard]] DynamicTime dynamic_time(MachineConstants const& machine, Design const& design,
                                       Partition const& partition, MeshCounts const& counts, double transfer,
                                       double hop, double keys);

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
