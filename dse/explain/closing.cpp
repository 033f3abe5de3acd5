#include "dse/explain/closing.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace pimdse::dse::explain {
namespace {

constexpr std::array<std::string_view, 5> way_names{"answered at cycle level", "closed by its bounds",
                                                    "closed by an equal key", "open", "infeasible at every level"};

/// Whether a point is in a box of its grid; both are counted from the grid's first point.
bool is_in_box(std::uint64_t point, std::uint64_t first, std::span<std::uint64_t const> sizes,
               std::span<std::uint32_t const> counts) {
    for (std::size_t a = sizes.size(); a-- > 0; point /= sizes[a], first /= sizes[a]) {
        auto const at = point % sizes[a], from = first % sizes[a];
        if (at < from || at - from >= counts[a]) return false;
    }
    return true;
}

/// Which of some boxes has the point; of single points, where there are no grids.
std::optional<std::size_t> place_of(task::PointId point, std::vector<task::PointId> const& firsts,
                                    std::vector<std::uint32_t> const& extents,
                                    std::vector<task::Certificate::Grid> const& grids) {
    auto const behind = std::ranges::upper_bound(grids, index_of(point), {}, &task::Certificate::Grid::first);
    bool const boxes = !extents.empty() && behind != grids.begin();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        if (firsts[i] == point) return i;
        if (!boxes || firsts[i] > point) continue;
        auto const& grid = *(behind - 1);
        std::size_t const axes = grid.sizes.size();
        bool const same_grid = index_of(firsts[i]) >= grid.first;
        if (same_grid && is_in_box(index_of(point) - grid.first, index_of(firsts[i]) - grid.first, grid.sizes,
                                   std::span(extents).subspan(i * axes, axes)))
            return i;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(Closing::Way way) { return way_names[static_cast<std::size_t>(way)]; }

Closing closing_of(task::Certificate const& certificate, answers::ResultStore const& store, task::PointId point) {
    using Way = Closing::Way;
    if (auto const at = place_of(point, certificate.closed, certificate.closed_extents, certificate.grids)) {
        Closing closing{Way::closed, certificate.witnesses[*at], {}};
        for (auto const& best : certificate.best) closing.best.push_back(best[*at]);
        return closing;
    }
    if (auto const at = place_of(point, certificate.twins, {}, {}))
        return {Way::twin, certificate.representatives[*at]};
    if (place_of(point, certificate.open, certificate.open_extents, certificate.grids)) return {Way::open};
    return {store.contains({point, models::Fidelity::cycle}) ? Way::answered : Way::infeasible};
}

}  // namespace pimdse::dse::explain
