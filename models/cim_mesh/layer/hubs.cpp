#include "models/cim_mesh/layer/hubs.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace pimdse::models::cim_mesh {
namespace {

/// The router of an area with the least cost; of equal ones the first by row, then by column.
template <class Cost>
Router cheapest(Area const& candidates, Cost const& cost) {
    sim::expects(!candidates.empty(), "a group has routers");
    using Rated = decltype(std::tuple{cost(Router{0, 0}), std::int32_t{}, std::int32_t{}});
    std::optional<Rated> best;
    for (auto const& part : candidates.rectangles()) {
        for (std::int32_t row = part.top; row <= part.bottom(); ++row) {
            for (std::int32_t col = part.left; col <= part.right(); ++col) {
                Rated const rated{cost(Router{row, col}), row, col};
                if (!best || rated < *best) best = rated;
            }
        }
    }
    return {std::get<1>(*best), std::get<2>(*best)};
}

}  // namespace

FarthestOf::FarthestOf(Area const& area) {
    for (auto const& part : area.rectangles()) {
        for (auto const row : {part.top, part.bottom()}) {
            for (auto const col : {part.left, part.right()}) add({row, col});
        }
    }
}

FarthestOf::FarthestOf(std::span<Router const> routers) {
    for (auto const at : routers) add(at);
}

void FarthestOf::add(Router at) {
    std::int32_t const sum = at.row + at.col, difference = at.row - at.col;
    min_sum_ = empty_ ? sum : std::min(min_sum_, sum);
    max_sum_ = empty_ ? sum : std::max(max_sum_, sum);
    min_difference_ = empty_ ? difference : std::min(min_difference_, difference);
    max_difference_ = empty_ ? difference : std::max(max_difference_, difference);
    empty_ = false;
}

std::int32_t FarthestOf::from(Router at) const {
    if (empty_) return 0;
    std::int32_t const sum = at.row + at.col, difference = at.row - at.col;
    return std::max({sum - min_sum_, max_sum_ - sum, difference - min_difference_, max_difference_ - difference});
}

TotalHops::TotalHops(Area const& area) {
    std::int32_t rows = 0, cols = 0;
    for (auto const& part : area.rectangles()) {
        rows = std::max(rows, part.bottom() + 1);
        cols = std::max(cols, part.right() + 1);
    }
    auto const count = [&](Axis& axis, std::int32_t places, auto const& range) {
        axis.routers.assign(static_cast<std::size_t>(places), 0);
        for (auto const& part : area.rectangles()) {
            auto const [first, length, wide] = range(part);
            for (std::int32_t at = first; at < first + length; ++at) axis.routers[static_cast<std::size_t>(at)] += wide;
        }
        std::int64_t routers = 0, moments = 0, place = 0;
        for (auto& here : axis.routers) {
            moments += here * place++;
            here = routers += here;
            axis.moments.push_back(moments);
        }
    };
    count(rows_, rows, [](Rectangle const& part) { return std::tuple{part.top, part.height, part.width}; });
    count(cols_, cols, [](Rectangle const& part) { return std::tuple{part.left, part.width, part.height}; });
}

/// Routers up to `from` are before it, the others behind.
std::int64_t TotalHops::Axis::away(std::int32_t from) const {
    if (routers.empty()) return 0;
    auto const last = std::min(static_cast<std::size_t>(from), routers.size() - 1);
    std::int64_t const before = routers[last], moments_before = moments[last];
    return from * before - moments_before + (moments.back() - moments_before) - from * (routers.back() - before);
}

std::int64_t TotalHops::from(Router at) const { return rows_.away(at.row) + cols_.away(at.col); }

Router median_of(Area const& candidates, Area const& to) {
    TotalHops const all(to);
    return cheapest(candidates, [&](Router at) { return all.from(at); });
}

Router center_of(Area const& candidates, std::span<FarthestOf const> sets) {
    TotalHops const all(candidates);
    return cheapest(candidates, [&](Router at) {
        std::int64_t longest = 0;
        for (auto const& set : sets) longest += set.from(at);
        return std::pair{longest, all.from(at)};
    });
}

}  // namespace pimdse::models::cim_mesh
