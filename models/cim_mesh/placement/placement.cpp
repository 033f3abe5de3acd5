#include "models/cim_mesh/placement/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Mesh;
using sim::noc::Node;

/// Positions of a band's ribbon: down its first column, up the second, and so on.
class Ribbon {
  public:
    Ribbon(Mesh mesh, std::int64_t height)
        : mesh_(mesh), height_(height), bands_(mesh.rows / height), length_(height * mesh.cols) {}

    /// First position of a run of `rows` at or behind `from` that one band holds; -1 if there is none.
    [[nodiscard]] std::int64_t fit(std::int64_t from, std::int64_t rows) const {
        if (rows > length_) return -1;
        if (from % length_ + rows > length_) from = (from / length_ + 1) * length_;
        return from + rows <= bands_ * length_ ? from : -1;
    }

    [[nodiscard]] Node at(std::int64_t position) const {
        std::int64_t const band = position / length_, in_band = position % length_;
        std::int64_t const col = in_band / height_, along = in_band % height_;
        std::int64_t const row = band * height_ + (col % 2 == 0 ? along : height_ - 1 - along);
        return mesh_.at(static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
    }

  private:
    Mesh mesh_;
    std::int64_t height_, bands_, length_;
};

/// Rectangles side by side on shelves inside a compute tile.
class Shelves {
  public:
    explicit Shelves(Ground const& ground)
        : rows_(ground.mesh_rows), cols_(ground.mesh_cols), tiles_(ground.placed_tiles) {}

    /// The routers of an output column in a rectangle `height` rows high, a path of neighbours; empty if there is no
    /// room.
    [[nodiscard]] std::vector<Node> next(Mesh mesh, std::int64_t column_rows, std::int64_t height) {
        std::int64_t const width = height < column_rows ? column_rows / height : 1;
        std::int64_t const stack = height / std::min(height, column_rows);
        bool const goes_on = height == height_ && column_rows == column_rows_ && stacked_ < stack;
        if (!goes_on) {
            if (!open(height, width)) return {};
            height_ = height;
            column_rows_ = column_rows;
            stacked_ = 0;
            left_ = next_col_;
            next_col_ += width;
        }
        std::int64_t const above = top_ + stacked_++ * column_rows;
        std::vector<Node> path;
        path.reserve(static_cast<std::size_t>(column_rows));
        std::int64_t const high = std::min(height, column_rows);
        for (std::int64_t i = 0; i < column_rows; ++i) {
            std::int64_t const fold = i / high, along = i % high;
            std::int64_t const row = above + (fold % 2 == 0 ? along : high - 1 - along);
            path.push_back(
                mesh.at(static_cast<std::int32_t>(row), static_cast<std::int32_t>(tile_ * cols_ + left_ + fold)));
        }
        return path;
    }

  private:
    /// Room for `width` mesh columns on the current shelf or on a new one.
    bool open(std::int64_t height, std::int64_t width) {
        if (height > rows_ || width > cols_) return false;
        if (height <= shelf_height_ && next_col_ + width <= cols_) return true;
        top_ += shelf_height_;
        if (top_ + height > rows_) {
            ++tile_;
            top_ = 0;
        }
        shelf_height_ = height;
        next_col_ = 0;
        return tile_ < tiles_;
    }

    std::int64_t rows_, cols_, tiles_;
    std::int64_t tile_ = 0, top_ = 0, shelf_height_ = 0, next_col_ = 0;
    std::int64_t height_ = 0, column_rows_ = 0, stacked_ = 0, left_ = 0;  // of the mesh column begun last
};

bool runs_backwards(CrossbarOrder order, std::int64_t column) {
    return order == CrossbarOrder::reversed || (order == CrossbarOrder::snake && column % 2 == 1);
}

std::int64_t tallest(Ground const& ground, Tiling const& matrix) {
    auto const heights = rectangle_heights(ground, matrix);
    auto const own = std::find(heights.begin(), heights.end(), matrix.rows);
    return own != heights.end() ? *own : heights.empty() ? matrix.rows : heights.back();
}

/// One output column of one copy of a matrix.
struct OutputColumn {
    std::size_t which;
    std::int64_t copy, col;
};

/// All output columns in the order in which they are laid.
std::vector<OutputColumn> columns_of(Ground const& ground, Genes const& genes) {
    std::vector<OutputColumn> columns;
    auto const is = [&](std::size_t which, std::string_view name) { return ground.matrices[which].name == name; };
    for (std::size_t i = 0; i < genes.order.size(); ++i) {
        std::vector<std::size_t> together{genes.order[i]};
        bool const pair = genes.interleave == Interleave::gate_up && i + 1 < genes.order.size() &&
                          ((is(genes.order[i], "gate") && is(genes.order[i + 1], "up")) ||
                           (is(genes.order[i], "up") && is(genes.order[i + 1], "gate")));
        if (pair) together.push_back(genes.order[++i]);
        auto const& tiling = ground.matrices[together.front()];
        for (std::int64_t copy = 0; copy < tiling.stored; ++copy) {
            for (std::int64_t col = 0; col < tiling.cols; ++col) {
                for (auto const which : together) columns.push_back({which, copy, col});
            }
        }
    }
    return columns;
}

/// The routers of every output column in the order of `columns`; empty if they do not fit.
std::vector<std::vector<Node>> paths_of(Ground const& ground, Genes const& genes, Mesh mesh,
                                        std::vector<OutputColumn> const& columns) {
    std::int64_t const height =
        genes.band_height > 0 ? std::min<std::int64_t>(genes.band_height, ground.mesh_rows) : ground.mesh_rows;
    Ribbon const ribbon(mesh, height);
    Shelves shelves(ground);
    std::vector<std::vector<Node>> paths;
    paths.reserve(columns.size());
    std::int64_t next = 0;
    for (auto const& column : columns) {
        std::int64_t const rows = ground.matrices[column.which].rows;
        if (!genes.heights.empty()) {
            paths.push_back(shelves.next(mesh, rows, genes.heights[column.which]));
            if (paths.back().empty()) return {};
            continue;
        }
        std::int64_t const from = ribbon.fit(next, rows);
        if (from < 0) return {};
        next = from + rows;
        paths.emplace_back();
        paths.back().reserve(static_cast<std::size_t>(rows));
        for (std::int64_t row = 0; row < rows; ++row) paths.back().push_back(ribbon.at(from + row));
    }
    return paths;
}

std::int64_t used_columns(Placement const& placement) {
    std::vector<bool> used(static_cast<std::size_t>(placement.mesh.cols), false);
    for (Node const node : placement.pool) used[static_cast<std::size_t>(placement.mesh.col(node))] = true;
    return std::count(used.begin(), used.end(), true);
}

}  // namespace

std::vector<std::int64_t> rectangle_heights(Ground const& ground, Tiling const& matrix) {
    std::vector<std::int64_t> heights;
    for (std::int64_t height = 1; height <= ground.mesh_rows; ++height) {
        bool const folds = matrix.rows % height == 0 && matrix.rows / height <= ground.mesh_cols;
        if (folds || height % matrix.rows == 0) heights.push_back(height);
    }
    return heights;
}

Genes packed_genes(Partition const& partition) {
    Genes genes;
    genes.order.resize(partition.matrices.size());
    std::iota(genes.order.begin(), genes.order.end(), std::size_t{0});
    genes.directions.assign(partition.matrices.size(), CrossbarOrder::normal);
    return genes;
}

Genes chosen_genes(Design const& design, Partition const& partition) {
    auto genes = packed_genes(partition);
    std::copy(design.attention_order.begin(), design.attention_order.end(), genes.order.begin());
    auto const behind = genes.order.begin() + 4;
    bool const gated = genes.order.size() > 6;
    if (design.ffn_order == FfnOrder::up_gate_down && gated) std::swap(behind[0], behind[1]);
    if (design.ffn_order == FfnOrder::down_up_gate) std::reverse(behind, genes.order.end());
    if (design.ffn_order == FfnOrder::interleaved) genes.interleave = Interleave::gate_up;
    genes.directions.assign(genes.directions.size(), static_cast<CrossbarOrder>(design.tile_order));
    genes.band_height = design.band_height;
    if (design.shape == MatrixShape::bands) return genes;
    auto const ground = ground_of(design, partition);
    for (std::size_t i = 0; i < partition.matrices.size(); ++i) {
        std::int64_t const rows = i < 4                                  ? design.attention_rows
                                  : partition.matrices[i].name == "down" ? design.down_rows
                                                                         : design.up_rows;
        genes.heights.push_back(rows > 0 ? rows : tallest(ground, ground.matrices[i]));
    }
    return genes;
}

Ground ground_of(Design const& design, Partition const& partition) {
    return {partition.matrices, design.mesh_rows, design.mesh_cols, partition.placed_tiles};
}

Placement place(Ground const& ground, Genes const& genes) {
    Placement p;
    p.mesh = {static_cast<std::int32_t>(ground.mesh_rows),
              static_cast<std::int32_t>(ground.mesh_cols * ground.placed_tiles)};
    auto const columns = columns_of(ground, genes);
    auto const paths = paths_of(ground, genes, p.mesh, columns);
    if (paths.empty()) return {};
    std::vector<std::vector<PlacedMatrix>> placed(ground.matrices.size());
    for (std::size_t i = 0; i < ground.matrices.size(); ++i) {
        auto const& tiling = ground.matrices[i];
        placed[i].assign(static_cast<std::size_t>(tiling.stored), {i, tiling.rows, tiling.cols, {}});
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto const& [which, copy, col] = columns[i];
        auto& tiles = placed[which][static_cast<std::size_t>(copy)].tiles;
        auto const& path = paths[i];
        if (runs_backwards(genes.directions[which], col))
            tiles.insert(tiles.end(), path.rbegin(), path.rend());
        else
            tiles.insert(tiles.end(), path.begin(), path.end());
        p.pool.insert(p.pool.end(), path.begin(), path.end());
    }
    for (auto& copies : placed) std::move(copies.begin(), copies.end(), std::back_inserter(p.matrices));
    p.used_cols = used_columns(p);
    return p;
}

std::string why_no_rectangles(Ground const& ground, Genes const& genes) {
    for (std::size_t i = 0; i < genes.heights.size(); ++i) {
        auto const& matrix = ground.matrices[i];
        auto const heights = rectangle_heights(ground, matrix);
        if (std::find(heights.begin(), heights.end(), genes.heights[i]) == heights.end()) {
            return fmt::format(
                "rectangles of {} rows cannot hold the columns of {} crossbars of matrix {} on a mesh of {} x {}, {} "
                "can",
                genes.heights[i], matrix.rows, matrix.name, ground.mesh_rows, ground.mesh_cols,
                fmt::join(heights, ", "));
        }
    }
    return "";
}

std::string why_no_room(Ground const& ground, Partition const& partition, Genes const& genes) {
    std::string const shape = genes.heights.empty()
                                  ? fmt::format("bands of {} rows", genes.band_height)
                                  : fmt::format("rectangles of {} rows", fmt::join(genes.heights, ", "));
    return fmt::format("{} on a mesh of {} rows do not hold the {} crossbars of a layer on {} compute tiles", shape,
                       ground.mesh_rows, partition.tiles, ground.placed_tiles);
}

bool is_legal(Placement const& placement) {
    std::vector<bool> taken(static_cast<std::size_t>(placement.mesh.nodes()), false);
    for (auto const& matrix : placement.matrices) {
        for (std::size_t i = 0; i < matrix.tiles.size(); ++i) {
            Node const node = matrix.tiles[i];
            if (node < 0 || node >= placement.mesh.nodes() || taken[static_cast<std::size_t>(node)]) return false;
            taken[static_cast<std::size_t>(node)] = true;
            bool const starts_column = i % static_cast<std::size_t>(matrix.rows) == 0;
            if (!starts_column && placement.mesh.distance(matrix.tiles[i - 1], node) != 1) return false;
        }
    }
    return true;
}

}  // namespace pimdse::models::cim_mesh
