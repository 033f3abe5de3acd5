#include "models/cim_mesh/programming.hpp"

#include "models/cim_mesh/layer/macros.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

double time_to_program(double crossbars, double rows, double transfer, double write) {
    double const round = std::max(crossbars * transfer, write);
    return (rows - 1.0) * round + crossbars * transfer + write;
}

Programming programming(MachineConstants const& m, Design const& d, Partition const& p) {
    if (d.weight_load == CellProgramming::none) return {};
    auto const rows = static_cast<double>(d.crossbar);
    Programming all;
    all.crossbars = static_cast<double>(d.model->layers * p.tiles + p.table_tiles);
    all.cells = all.crossbars * rows * rows;
    all.bytes = all.crossbars * rows * m.vector_bytes(rows);
    // From a corner of the tile to its mean router.
    all.byte_hops = all.bytes * static_cast<double>(d.mesh_rows + d.mesh_cols) / 2.0;
    double const transfer = cycles_on_link(m, d, static_cast<double>(d.link_bits)) / d.frequency;
    double const write = m.dynamic.cell_row_write.si;
    // One port programs the layers of all kinds.
    auto const together = static_cast<double>(p.all_crossbars);
    all.time = time_to_program(together, rows, transfer, write);
    all.together = together * rows * write / all.time;
    return all;
}

}  // namespace pimdse::models::cim_mesh
