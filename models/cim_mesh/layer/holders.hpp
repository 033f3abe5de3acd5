#pragma once

#include "models/cim_mesh/placement/placement.hpp"

namespace pimdse::models::cim_mesh {

/// Routers that may hold keys, in the order in which they are filled.
class Holders {
  public:
    Holders() = default;
    /// Refers to the placement as long as it lives. All routers of the layer, in the order of the ribbon.
    explicit Holders(Placement const& placement);
    /// Those of some matrices, column after column, each as its sum runs.
    Holders(Placement const& placement, std::span<PlacedMatrix const* const> matrices);

    [[nodiscard]] std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    /// From a place on, one after another, the first behind the last.
    [[nodiscard]] std::vector<Router> from(std::int64_t place, std::size_t count) const;
    [[nodiscard]] Area first(std::int64_t count) const;

  private:
    void add(std::size_t column);
    [[nodiscard]] OutputColumn const& column(std::size_t at) const { return placement_->columns[columns_[at]]; }
    [[nodiscard]] std::size_t find(std::int64_t place) const;
    [[nodiscard]] Router at(std::size_t on, std::int64_t place) const;
    [[nodiscard]] bool turned(OutputColumn const& column) const { return column.backwards && !along_ribbon_; }

    Placement const* placement_ = nullptr;
    bool along_ribbon_ = false;
    std::vector<std::uint32_t> columns_;  // of the placement
    std::vector<std::int64_t> ends_;      // routers up to the end of each
};

}  // namespace pimdse::models::cim_mesh
