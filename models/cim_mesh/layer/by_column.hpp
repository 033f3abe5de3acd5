#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Things by the mesh column they belong to, in the order in which they come.
template <class What>
class ByColumn {
  public:
    ByColumn() = default;
    /// `each(visit)` calls `visit(col, what)` for all of them, the same whenever it is called; columns are 0 to `cols`.
    template <class Each>
    ByColumn(std::int32_t cols, Each const& each) : begins_(static_cast<std::size_t>(cols) + 2, 0) {
        each([&](std::int32_t col, What const&) { ++begins_[static_cast<std::size_t>(col) + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        all_.resize(begins_.back());
        auto next = begins_;
        each([&](std::int32_t col, What const& what) { all_[next[static_cast<std::size_t>(col)]++] = what; });
    }

    /// From a column to another, that included.
    [[nodiscard]] std::span<What const> of(std::int32_t first, std::int32_t last) const {
        std::size_t const begin = begins_[static_cast<std::size_t>(first)];
        return std::span(all_).subspan(begin, begins_[static_cast<std::size_t>(last) + 1] - begin);
    }
    [[nodiscard]] std::span<What const> at(std::int32_t col) const { return of(col, col); }

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<What> all_;
};

}  // namespace pimdse::models::cim_mesh
