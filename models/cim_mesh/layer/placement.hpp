#pragma once

#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "sim/noc/mesh.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::cim_mesh {

[[nodiscard]] Ground ground_of(Design const& design, Partition const& partition);

/// Possible numbers of rows of a rectangle of a matrix, ascending: divisors of the rows of the matrix (an output column
/// is folded over neighbouring mesh columns) and multiples of them (output columns are stacked), up to the rows of the
/// mesh.
[[nodiscard]] std::vector<std::int64_t> rectangle_heights(Ground const& ground, Tiling const& matrix);

/// The packed placement: the order of execution, all rows of the mesh, all columns downwards.
[[nodiscard]] Genes packed_genes(Partition const& partition);

/// The genes from the parameters of the design.
[[nodiscard]] Genes chosen_genes(Design const& design, Partition const& partition);

/// A placed output column: a path of neighbouring routers that ends where its sum arrives.
struct OutputColumn {
    Serpentine path;
    bool backwards = false;    ///< whether its rows run against the ribbon
    std::uint32_t matrix = 0;  ///< index into Placement::matrices

    [[nodiscard]] Router at(std::int32_t row) const { return path.at(backwards ? path.length - 1 - row : row); }
    [[nodiscard]] Router start() const { return at(0); }
    [[nodiscard]] Router end() const { return at(path.length - 1); }
    /// The router at which the sum arrives if both halves are summed at the same time.
    [[nodiscard]] Router middle() const { return at(path.length / 2); }
};

/// One placed copy of a matrix.
struct PlacedMatrix {
    std::size_t tiling = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::size_t first = 0, step = 1;  ///< indices of its output columns in Placement::columns
};

/// The crossbars of a layer on its compute tiles, which are side by side and linked as inside a tile.
struct Placement {
    sim::noc::Mesh mesh;
    std::vector<PlacedMatrix> matrices;  ///< in the order of Partition::matrices, all copies
    std::vector<OutputColumn> columns;   ///< in the order of the ribbon
    Area area;                           ///< routers of all columns
    std::int64_t used_cols = 0;          ///< number of mesh columns with a crossbar

    [[nodiscard]] OutputColumn const& column(PlacedMatrix const& matrix, std::int64_t col) const {
        return columns[matrix.first + static_cast<std::size_t>(col) * matrix.step];
    }
};

/// Places the matrices of a layer; empty if they do not fit its compute tiles. Bands: on a ribbon that runs down and up
/// the columns of a band, band below band. An output column that would be split at the end of a band starts on the next
/// one. Rectangles: output columns side by side on shelves inside a compute tile, shelf below shelf, tile after tile; a
/// matrix that reaches the end of a shelf continues on the next one as another rectangle.
[[nodiscard]] Placement place(Ground const& ground, Genes const& genes);

/// The reason why a matrix cannot have rectangles of its height, with the numbers; empty if all heights are possible.
[[nodiscard]] std::string why_no_rectangles(Ground const& ground, Genes const& genes);

/// The reason why place() is empty, with the numbers. Precondition: it is empty.
[[nodiscard]] std::string why_no_room(Ground const& ground, Partition const& partition, Genes const& genes);

/// The routers of an output column in the direction of its sum.
[[nodiscard]] std::vector<sim::noc::Node> routers_of(sim::noc::Mesh mesh, OutputColumn const& column);

/// Everything on which a placed layer and its collectives depend, except the number of flits of a vector.
struct LayerKey {
    Ground ground;
    Genes genes;
    std::int64_t n = 0, f = 0, q = 0, kv = 0;  ///< slices, see Partition
    std::int64_t crossbar = 0;
    KvPool kv_pool = KvPool::layer;
    double border_hops = 0.0;
    Hubs attention_hub = Hubs::centroid, ffn_hubs = Hubs::centroid;  ///< not searched

    auto operator<=>(LayerKey const&) const = default;
};

/// The rule of the hubs, before a search chooses another one.
[[nodiscard]] inline Hubs fixed_hubs(Design const& design) {
    return design.hubs == Hubs::searched ? Hubs::centroid : design.hubs;
}

[[nodiscard]] inline LayerKey layer_key(MachineConstants const& machine, Design const& design, Partition const& p,
                                        Genes genes) {
    return {ground_of(design, p),
            std::move(genes),
            p.n,
            p.f,
            p.q,
            p.kv,
            design.crossbar,
            design.kv_pool,
            border_hops(machine, design),
            fixed_hubs(design),
            fixed_hubs(design)};
}

}  // namespace pimdse::models::cim_mesh
