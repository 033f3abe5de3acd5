#pragma once

#include "models/cim_mesh/layer/by_column.hpp"
#include "models/cim_mesh/placement/placement.hpp"

namespace pimdse::models::cim_mesh {

/// Output columns that have sums, by the mesh columns they lie on.
class ColumnSums {
  public:
    ColumnSums() = default;
    /// Refers to the columns as long as it lives.
    ColumnSums(sim::noc::Mesh mesh, std::span<OutputColumn const* const> columns);

    [[nodiscard]] bool any(std::int32_t col) const { return any_[static_cast<std::size_t>(col)]; }
    /// Whether a sum may go along a row, to the next mesh column.
    [[nodiscard]] bool any_along(std::int32_t row) const { return any_along_[static_cast<std::size_t>(row)]; }
    template <class Visit>
    void each(std::int32_t col, Visit const& visit) const {
        for (auto const& one : by_left_.of(std::max(0, col - most_behind_), col)) {
            if (one.right >= col) visit(*one.column);
        }
    }

  private:
    struct Wide {
        std::int32_t right = 0;
        OutputColumn const* column = nullptr;
    };
    ByColumn<Wide> by_left_;
    std::int32_t most_behind_ = 0;  // columns that the widest has behind its first
    std::vector<bool> any_, any_along_;
};

}  // namespace pimdse::models::cim_mesh
