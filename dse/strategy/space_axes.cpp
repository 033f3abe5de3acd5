#include "dse/strategy/space_axes.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::dse::strategy {
namespace {

using ladder::Box;
using models::Slope;

bool is_number(models::Kind kind) { return kind == models::Kind::integer || kind == models::Kind::quantity; }

/// 1: its numbers grow, -1: they fall, 0: neither.
int direction_of(space::Axis const& axis, models::Parameter const& parameter) {
    if (!is_number(parameter.kind)) return 0;
    bool grows = true, falls = true;
    auto const number = [&](std::uint64_t i) { return space::Expression::number_of(axis.at(i), 1.0); };
    for (std::uint64_t i = 1; i < axis.size(); ++i) {
        grows = grows && number(i - 1) < number(i);
        falls = falls && number(i - 1) > number(i);
    }
    return grows ? 1 : falls ? -1 : 0;
}

/// The metric of the architecture that this one is in a scenario, or is made of: all that is done with several keeps
/// their order.
std::string_view own_name(std::string_view metric) { return metric.substr(0, metric.find('@')); }

std::optional<Slope> slope_of(space::Machine const& machine, std::string_view parameter, std::string_view metric) {
    if (machine.architecture->monotone_lows == nullptr) return std::nullopt;
    for (auto const& law : machine.architecture->monotone_lows(machine.inputs)) {
        if (law.parameter == parameter && law.metric == metric) return law.slope;
    }
    return std::nullopt;
}

}  // namespace

bool GridAxis::declared() const { return std::ranges::find(best, BestEnd::unknown) == best.end(); }

void SpaceAxes::track(TrackedBound const& bound) {
    if (std::ranges::find(bounds_, bound) == bounds_.end()) bounds_.push_back(bound);
}

/// A formula that goes both ways with a metric rests on both of its ends.
void SpaceAxes::track() {
    using models::Sense;
    for (auto const& objective : space_.objectives()) {
        auto const* formula = space_.formula_at(objective.metric);
        if (formula == nullptr) track({objective.metric, objective.better});
        for (auto const read : formula == nullptr ? std::vector<std::size_t>{} : formula->reads()) {
            int const direction = formula->direction_of(read);
            bool const low = (objective.better == Sense::minimize) == (direction > 0);
            if (direction == 0 || low) track({space_.place_of(read), Sense::minimize});
            if (direction == 0 || !low) track({space_.place_of(read), Sense::maximize});
        }
    }
}

SpaceAxes::SpaceAxes(space::Space const& space) : space_(space) {
    track();
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        grids_.push_back(grid_of(m));
        width_ = std::max(width_, grids_.back().axes.size());
    }
}

std::vector<BestEnd> SpaceAxes::best_of(std::size_t machine, std::size_t parameter) const {
    auto const& m = space_.machines()[machine];
    auto const& described = m.parameters()[parameter];
    int const direction = direction_of(m.axes[parameter], described);
    std::vector<BestEnd> best;
    for (auto const& bound : bounds_) {
        auto const& metric = space_.metrics()[bound.metric];
        // Declared is how the better end goes.
        auto const slope =
            metric.better == bound.end ? slope_of(m, described.name, own_name(metric.name)) : std::nullopt;
        if (!slope || direction == 0) {
            best.push_back(BestEnd::unknown);
        } else if (*slope == Slope::flat) {
            best.push_back(BestEnd::any);
        } else {
            bool const rises = (*slope == Slope::up) == (direction > 0);
            best.push_back(rises == (bound.end == models::Sense::minimize) ? BestEnd::first : BestEnd::last);
        }
    }
    return best;
}

SpaceGrid SpaceAxes::grid_of(std::size_t machine) const {
    auto const& m = space_.machines()[machine];
    SpaceGrid grid{space_.first_of(machine), {}, {}};
    for (auto const& bound : bounds_)
        grid.own_metrics.push_back(models::find_metric(m.metrics(), space_.metrics()[bound.metric].name));
    std::uint64_t stride = 1;
    for (std::size_t p = m.axes.size(); p-- > 0; stride *= m.axes[p].size()) {
        if (m.axes[p].size() == 1) continue;
        sim::expects(m.axes[p].size() <= std::numeric_limits<std::uint32_t>::max(), "positions fit 32 bits");
        bool const ordered = direction_of(m.axes[p], m.parameters()[p]) != 0;
        grid.axes.push_back({p, stride, m.axes[p].size(), ordered, best_of(machine, p)});
    }
    std::ranges::reverse(grid.axes);
    return grid;
}

std::vector<Box> SpaceAxes::whole() const {
    std::vector<Box> boxes;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
        Box box{static_cast<std::uint32_t>(g), std::vector<Box::Run>(width_)};
        for (std::size_t a = 0; a < grids_[g].axes.size(); ++a)
            box.axes[a].count = static_cast<std::uint32_t>(grids_[g].axes[a].size);
        boxes.push_back(std::move(box));
    }
    return boxes;
}

std::vector<task::Certificate::Grid> SpaceAxes::numbering() const {
    std::vector<task::Certificate::Grid> list;
    for (auto const& grid : grids_) {
        list.push_back({grid.first, std::vector<std::uint64_t>(width_, 1)});
        for (std::size_t a = 0; a < grid.axes.size(); ++a) list.back().sizes[a] = grid.axes[a].size;
    }
    return list;
}

double SpaceAxes::least_boxes() const {
    double all = 0.0;
    for (auto const& grid : grids_) {
        double boxes = 1.0;
        for (auto const& axis : grid.axes) boxes *= axis.declared() ? 1.0 : static_cast<double>(axis.size);
        all += boxes;
    }
    return all;
}

std::vector<std::string> SpaceAxes::undeclared() const {
    std::vector<std::string> names;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
        for (auto const& axis : grids_[g].axes) {
            if (!axis.declared()) names.push_back(space_.machines()[g].parameters()[axis.parameter].name);
        }
    }
    return names;
}

task::PointId SpaceAxes::at(Box const& box, Positions const& positions) const {
    auto const& grid = grids_[box.grid];
    std::uint64_t id = grid.first;
    for (std::size_t a = 0; a < grid.axes.size(); ++a)
        id += grid.axes[a].stride * (positions.empty() ? box.axes[a].first : positions[a]);
    return task::PointId{id};
}

Box SpaceAxes::box_of(task::PointId first, std::span<std::uint32_t const> counts) const {
    auto const machine = space_.machine_of(first);
    auto const& grid = grids_[machine];
    Box box{static_cast<std::uint32_t>(machine), std::vector<Box::Run>(width_)};
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
        auto const& axis = grid.axes[a];
        auto const position = (index_of(first) - grid.first) / axis.stride % axis.size;
        sim::expects(counts[a] >= 1 && position + counts[a] <= axis.size, "the box lies in its grid");
        box.axes[a] = {static_cast<std::uint32_t>(position), counts[a]};
    }
    return box;
}

std::optional<SpaceAxes::Positions> SpaceAxes::best_corner(Box const& box, std::size_t bound) const {
    auto const& axes = grids_[box.grid].axes;
    Positions positions(axes.size());
    for (std::size_t a = 0; a < axes.size(); ++a) {
        auto const& run = box.axes[a];
        if (run.count > 1 && axes[a].best[bound] == BestEnd::unknown) return std::nullopt;
        positions[a] = axes[a].best[bound] == BestEnd::last ? run.first + run.count - 1 : run.first;
    }
    return positions;
}

/// All of the grid that has the same values along axes without a declared direction.
Box SpaceAxes::cell_of(Box const& box) const {
    Box cell = box;
    auto const& axes = grids_[box.grid].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].declared()) cell.axes[a] = {0, static_cast<std::uint32_t>(axes[a].size)};
    }
    return cell;
}

}  // namespace pimdse::dse::strategy
