#include "models/cim_mesh/layer/column_sums.hpp"

namespace pimdse::models::cim_mesh {

ColumnSums::ColumnSums(sim::noc::Mesh mesh, std::span<OutputColumn const* const> columns)
    : by_left_(mesh.cols,
               [&](auto const& visit) {
                   for (auto const* column : columns)
                       visit(column->path.left_col(), {column->path.right_col(), column});
               }),
      any_(static_cast<std::size_t>(mesh.cols), false),
      any_along_(static_cast<std::size_t>(mesh.rows), false) {
    for (auto const* column : columns) {
        std::int32_t const left = column->path.left_col(), right = column->path.right_col();
        most_behind_ = std::max(most_behind_, right - left);
        if (left < right) {
            any_along_[static_cast<std::size_t>(column->path.top)] = true;
            any_along_[static_cast<std::size_t>(column->path.top + column->path.height - 1)] = true;
        }
        std::fill(any_.begin() + left, any_.begin() + right + 1, true);
    }
}

}  // namespace pimdse::models::cim_mesh
