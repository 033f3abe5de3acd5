#include "models/cim_mesh/layer/holders.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

Holders::Holders(Placement const& placement) : placement_(&placement), along_ribbon_(true) {
    for (std::size_t i = 0; i < placement.columns.size(); ++i) add(i);
}

Holders::Holders(Placement const& placement, std::span<PlacedMatrix const* const> matrices) : placement_(&placement) {
    for (auto const* matrix : matrices) {
        for (std::size_t col = 0; col < static_cast<std::size_t>(matrix->cols); ++col)
            add(matrix->first + col * matrix->step);
    }
}

void Holders::add(std::size_t column) {
    columns_.push_back(static_cast<std::uint32_t>(column));
    ends_.push_back(size() + placement_->columns[column].path.length);
}

std::size_t Holders::find(std::int64_t place) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), place) - ends_.begin());
}

Router Holders::at(std::size_t on, std::int64_t place) const {
    auto const& path = column(on).path;
    auto const row = static_cast<std::int32_t>(place - ends_[on]) + path.length;
    return turned(column(on)) ? column(on).at(row) : path.at(row);
}

std::vector<Router> Holders::from(std::int64_t place, std::size_t count) const {
    std::vector<Router> routers;
    routers.reserve(count);
    for (auto on = find(place); routers.size() < count; ++place) {
        if (place == size()) place = 0;
        if (place == 0) on = 0;
        if (place == ends_[on]) ++on;
        routers.push_back(at(on, place));
    }
    return routers;
}

Area Holders::first(std::int64_t count) const {
    if (along_ribbon_ && count == size()) return placement_->area;
    Area area;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < columns_.size() && before < count; ++i) {
        auto path = column(i).path;
        if (auto const rest = static_cast<std::int32_t>(std::min<std::int64_t>(count - before, path.length));
            rest < path.length) {
            if (turned(column(i))) path.first += path.length - rest;
            path.length = rest;
        }
        area.add(path);
        before = ends_[i];
    }
    return area;
}

}  // namespace pimdse::models::cim_mesh
