#include "dse/search/space_grids.hpp"

#include "dse/search/ideal_point.hpp"
#include "dse/space/expression_bounds.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::dse::search {
namespace {
using models::Bound;

constexpr std::size_t max_cached = 1 << 16, max_profiles = 1 << 12;

[[noreturn]] void refuse_calibrated(space::Space const& space, std::size_t metric) {
    throw sim::InputError(
        "strategy 'ladder' needs proved lower bounds to prune boxes in a space of this size, and those of "
        "{} are calibrated. Use fewer points, or other objectives?",
        space.metrics()[metric].name);
}

void refuse_calibrated(space::Space const& space, IdealPoint const& ideal) {
    for (std::size_t i = 0; i < space.objectives().size(); ++i) {
        if (ideal.is_calibrated(i)) refuse_calibrated(space, space.objectives()[i].metric);
    }
}

/// The best bound of a run of positions, and that of its half that has the worse one.
std::pair<double, double> best_in(std::vector<double> const& profile, Box::Run const& run) {
    auto const first = profile.begin() + run.first, end = first + run.count, middle = end - run.count / 2;
    double const one = *std::min_element(first, middle), other = *std::min_element(middle, end);
    return {std::min(one, other), std::max(one, other)};
}

using models::Slope;

bool is_number(models::Kind kind) { return kind == models::Kind::integer || kind == models::Kind::quantity; }

/// 1 if the numbers on the axis grow, -1 if they fall, 0 otherwise.
int direction_of(space::Axis const& axis, models::Parameter const& parameter) {
    if (!is_number(parameter.kind)) return 0;
    bool grows = true, falls = true;
    auto const number = [&](std::uint64_t i) { return models::Expression::number_of(axis.at(i), 1.0); };
    for (std::uint64_t i = 1; i < axis.size(); ++i) {
        grows = grows && number(i - 1) < number(i);
        falls = falls && number(i - 1) > number(i);
    }
    return grows ? 1 : falls ? -1 : 0;
}

/// The architecture's metric behind a metric of a scenario or an aggregate: aggregation over scenarios preserves the
/// order.
std::string_view own_name(std::string_view metric) { return metric.substr(0, metric.find('@')); }

/// Whether some design has several devices.
bool has_groups(space::Machine const& machine) {
    int const at = models::find_parameter(machine.parameters(), models::devices_name);
    if (at < 0) return false;
    auto const& axis = machine.axes[static_cast<std::size_t>(at)];
    for (std::uint64_t i = 0; i < axis.size(); ++i)
        if (axis.at(i) != models::Value::integer(1)) return true;
    return false;
}

std::optional<Slope> slope_of(space::Machine const& machine, std::string_view parameter, std::string_view metric) {
    if (machine.architecture->proofs.monotone_lower_bounds == nullptr) return std::nullopt;
    for (auto const& law : machine.architecture->proofs.monotone_lower_bounds(machine.inputs)) {
        if (law.parameter == parameter && law.metric == metric && !(law.one_device && has_groups(machine)))
            return law.slope;
    }
    return std::nullopt;
}

}  // namespace

/// The value of each bound at a point; -infinity if the architecture refuses the point.
SpaceGrids::LowerBounds const& SpaceGrids::lower_bounds_at(space::PointId point) {
    auto const found = lower_bounds_.find(index_of(point));
    if (found != lower_bounds_.end()) return found->second;
    if (lower_bounds_.size() >= max_cached) lower_bounds_.clear();
    LowerBounds lower_bounds(axes_.bounds().size(), -infinite);
    if (auto const metrics = coarse_metrics(space(), point)) {
        for (std::size_t b = 0; b < lower_bounds.size(); ++b) {
            space::Objective const one{axes_.bounds()[b].metric, axes_.bounds()[b].end};
            auto const ideal = ideal_point_of(*metrics, {&one, 1});
            if (ideal.is_calibrated(0)) refuse_calibrated(space(), one.metric);
            lower_bounds[b] = ideal.lower[0];
        }
    }
    return lower_bounds_.emplace(index_of(point), std::move(lower_bounds)).first->second;
}

double SpaceGrids::lower_at(space::PointId point, std::size_t bound) {
    double const lower = lower_bounds_at(point)[bound];
    return std::isinf(lower) ? lower : lower - for_rounding * std::abs(lower);
}

double SpaceGrids::lower_of(Box const& box, std::size_t bound) {
    auto const position = axes_.best_corner(box, bound);
    return position ? lower_at(axes_.at(box, *position), bound) : -infinite;
}

/// The bound of a box for a metric that a table gives; nullopt for any other metric. +infinity if no row is in the box.
std::optional<double> SpaceGrids::lower_in_rows(Box const& box, std::size_t bound) const {
    auto const own = grids()[box.grid].own_metrics[bound];
    auto const& tables = axes_.tables(box.grid);
    if (own < 0 || !tables.gives(static_cast<std::size_t>(own))) return std::nullopt;
    auto const ends = tables.ends(static_cast<std::size_t>(own), axes_.runs_of(box));
    if (!ends) return infinite;
    return axes_.bounds()[bound].end == models::Sense::maximize ? -ends->max : ends->min;
}

/// The bound of a box. If the architecture refuses the box's best corner, the best bound of boxes around it that are
/// extended along one axis.
double SpaceGrids::lower_around(Box const& box, std::size_t bound) {
    if (auto const in_rows = lower_in_rows(box, bound)) return *in_rows;
    double lower = lower_of(box, bound);
    if (lower != -infinite || !axes_.best_corner(box, bound)) return lower;
    auto const& axes = grids()[box.grid].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (!axes[a].declared()) continue;
        Box longer = box;
        longer.axes[a] = {0, static_cast<std::uint32_t>(axes[a].size)};
        lower = std::max(lower, lower_of(longer, bound));
    }
    return lower;
}

/// Estimates of the machine's metrics over a box that has rows: those of tables, and others that have only the ends
/// given by these bounds.
models::Metrics SpaceGrids::estimates_of(Box const& box, LowerBounds const& lower_bounds) const {
    auto const& own = grids()[box.grid].own_metrics;
    models::Estimate nothing{std::numeric_limits<double>::quiet_NaN()};
    models::Metrics metrics(space().metrics().size(), nothing);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (lower_bounds[i] == -infinite || own[i] < 0) continue;
        auto& metric = metrics[static_cast<std::size_t>(own[i])];
        bool const fresh = std::isnan(metric.value);
        if (axes_.bounds()[i].end == models::Sense::maximize)
            metric = {-lower_bounds[i],
                      fresh ? -infinite : metric.lower,
                      -lower_bounds[i],
                      {fresh ? Bound::none : metric.kinds.lower, Bound::proved}};
        else
            metric = {lower_bounds[i],
                      lower_bounds[i],
                      fresh ? infinite : metric.upper,
                      {Bound::proved, fresh ? Bound::none : metric.kinds.upper}};
    }
    auto const& tables = axes_.tables(box.grid);
    auto const runs = axes_.runs_of(box);
    for (auto const metric : tables.metrics()) {
        auto const ends = tables.ends(metric, runs);
        metrics[metric] = models::Estimate::within(ends->min, ends->min, ends->max, {Bound::proved, Bound::proved});
    }
    return metrics;
}

/// The bounds of the objectives; that of a formula follows from the bounds of its metrics, which are not negative.
Values SpaceGrids::of_objectives(LowerBounds const& lower_bounds) const {
    auto const lower_of_bound = [&](std::size_t metric, models::Sense end) {
        auto const found = std::ranges::find(axes_.bounds(), TrackedBound{metric, end});
        return found == axes_.bounds().end() ? -infinite
                                             : lower_bounds[static_cast<std::size_t>(found - axes_.bounds().begin())];
    };
    Values all{};
    for (std::size_t i = 0; i < space().objectives().size(); ++i) {
        auto const& objective = space().objectives()[i];
        auto const* formula = space().formula_at(objective.metric);
        if (formula == nullptr) {
            all[i] = lower_of_bound(objective.metric, objective.better);
            continue;
        }
        models::Metrics plain(space().plain_metrics().size());
        for (auto const read : formula->reads()) {
            double const lower = lower_of_bound(space().place_of(read), models::Sense::minimize);
            double const upper = -lower_of_bound(space().place_of(read), models::Sense::maximize);
            bool const known = upper != infinite;
            plain[read] = models::Estimate::within(lower != -infinite ? lower
                                                   : known            ? upper
                                                                      : 0.0,
                                                   std::max(lower, 0.0), upper,
                                                   {Bound::proved, known ? Bound::proved : Bound::none});
        }
        auto const reach = formula->reach_of(plain);
        double const best = objective.better == models::Sense::maximize ? -reach.upper : reach.lower;
        all[i] = std::isinf(best) ? -infinite : best - for_rounding * std::abs(best);
    }
    return all;
}

/// True if no point of the box meets some constraint.
bool SpaceGrids::hopeless(Box const& box, LowerBounds const& lower_bounds) const {
    auto const& machine = space().machines()[box.grid];
    auto const& axes = grids()[box.grid].axes;
    auto const metrics = estimates_of(box, lower_bounds);
    SpaceAxes::Positions last;
    for (auto const& run : box.axes) last.push_back(run.first + run.count - 1);
    std::vector<models::Value> min, max;
    space().decode(axes_.at(box, {}), min);
    space().decode(axes_.at(box, last), max);
    return std::ranges::any_of(machine.constraints, [&](auto const& condition) {
        for (std::size_t a = 0; a < axes.size(); ++a) {
            bool const between = axes[a].ordered || box.axes[a].count == 1;
            if (!between && condition.expression.reads_parameter(axes[a].parameter)) return false;
        }
        return space::surely_fails(condition.expression, min, max, metrics);
    });
}

std::optional<Values> SpaceGrids::bound(Box const& box) {
    if (box.is_point()) {
        auto const ideal = coarse_ideal_point(space(), first_of(box));
        if (!ideal) return std::nullopt;
        refuse_calibrated(space(), *ideal);
        return ideal->lower;
    }
    if (axes_.tables(box.grid).lack_all_of(axes_.runs_of(box))) return std::nullopt;
    LowerBounds lower_bounds;
    for (std::size_t b = 0; b < axes_.bounds().size(); ++b) lower_bounds.push_back(lower_around(box, b));
    return hopeless(box, lower_bounds) ? std::nullopt : std::optional(of_objectives(lower_bounds));
}

std::vector<SpaceGrids::Profile> const& SpaceGrids::profiles_of(Box const& box) {
    auto const cell = axes_.cell_of(box);
    if (profiles_.size() >= max_profiles) profiles_.clear();
    auto const [found, fresh] = profiles_.try_emplace(index_of(first_of(cell)));
    auto const& axes = grids()[box.grid].axes;
    for (std::size_t a = 0; fresh && a < axes.size(); ++a) {
        Profile profile(axes_.bounds().size());
        for (std::size_t i = 0; axes[a].declared() && i < profile.size(); ++i) {
            auto position = axes_.best_corner(cell, i);
            for (std::uint32_t p = 0; p < axes[a].size; ++p) {
                (*position)[a] = p;
                Box slice = cell;
                slice.axes[a] = {p, 1};
                auto const in_rows = lower_in_rows(slice, i);
                profile[i].push_back(in_rows ? *in_rows : lower_at(axes_.at(cell, *position), i));
            }
        }
        found->second.push_back(std::move(profile));
    }
    return found->second;
}

/// The sum of the relative increases of the lower bounds in the half without the best position.
double SpaceGrids::gain(Box const& box, std::size_t axis, Profile const& profile) const {
    auto const& run = box.axes[axis];
    std::uint32_t const last = run.first + run.count - 1, middle = run.first + run.count - run.count / 2;
    double sum = 0.0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        auto const best = grids()[box.grid].axes[axis].best[i];
        if (best == BestEnd::any) continue;
        auto const [whole, half] = best == BestEnd::in_rows ? best_in(profile[i], run)
                                   : best == BestEnd::first ? std::pair(profile[i][run.first], profile[i][middle])
                                                            : std::pair(profile[i][last], profile[i][middle - 1]);
        if (half == -infinite) continue;
        sum +=
            whole == -infinite ? 1.0 : (half - whole) / std::max(std::abs(whole), std::numeric_limits<double>::min());
    }
    return sum;
}

std::size_t SpaceGrids::axis_to_cut(Box const& box) {
    auto const& axes = grids()[box.grid].axes;
    std::size_t longest = 0;
    bool open = false;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        bool const more_open = !axes[a].declared() && box.axes[a].count > 1;
        if (more_open == open ? box.axes[a].count > box.axes[longest].count : more_open) longest = a;
        open = open || more_open;
    }
    if (open) return longest;
    auto const& profiles = profiles_of(box);
    double max = 0.0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        double const here = box.axes[a].count > 1 ? gain(box, a, profiles[a]) : 0.0;
        if (here > max) longest = a;
        max = std::max(max, here);
    }
    return longest;
}

bool GridAxis::declared() const { return std::ranges::find(best, BestEnd::unknown) == best.end(); }

void SpaceAxes::track(TrackedBound const& bound) {
    if (std::ranges::find(bounds_, bound) == bounds_.end()) bounds_.push_back(bound);
}

/// A formula that is not monotone in a metric depends on both ends of its interval.
void SpaceAxes::track() {
    using models::Sense;
    for (auto const& objective : space_.objectives()) {
        auto const* formula = space_.formula_at(objective.metric);
        if (formula == nullptr) track({objective.metric, objective.better});
        for (auto const read : formula == nullptr ? std::vector<std::size_t>{} : formula->reads()) {
            int const direction = formula->direction_of(read);
            bool const lower = (objective.better == Sense::minimize) == (direction > 0);
            if (direction == 0 || lower) track({space_.place_of(read), Sense::minimize});
            if (direction == 0 || !lower) track({space_.place_of(read), Sense::maximize});
        }
    }
}

SpaceAxes::SpaceAxes(space::Space const& space) : space_(space) {
    track();
    for (auto const& machine : space.machines()) tables_.emplace_back(machine);
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
        int const own = models::find_metric(m.metrics(), metric.name);
        if (own >= 0 && tables_[machine].gives(static_cast<std::size_t>(own))) {
            best.push_back(tables_[machine].depends(static_cast<std::size_t>(own), parameter) ? BestEnd::in_rows
                                                                                              : BestEnd::any);
            continue;
        }
        // Slopes are declared for the better end of the interval.
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

std::vector<Box::Run> SpaceAxes::runs_of(Box const& box) const {
    std::vector<Box::Run> runs(space_.machines()[box.grid].axes.size(), Box::Run{0, 1});
    auto const& axes = grids_[box.grid].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) runs[axes[a].parameter] = box.axes[a];
    return runs;
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

std::vector<Certificate::Grid> SpaceAxes::numbering() const {
    std::vector<Certificate::Grid> list;
    for (auto const& grid : grids_) {
        list.push_back({grid.first, std::vector<std::uint64_t>(width_, 1)});
        for (std::size_t a = 0; a < grid.axes.size(); ++a) list.back().sizes[a] = grid.axes[a].size;
    }
    return list;
}

double SpaceAxes::min_boxes() const {
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

space::PointId SpaceAxes::at(Box const& box, Positions const& positions) const {
    auto const& grid = grids_[box.grid];
    std::uint64_t id = grid.first;
    for (std::size_t a = 0; a < grid.axes.size(); ++a)
        id += grid.axes[a].stride * (positions.empty() ? box.axes[a].first : positions[a]);
    return space::PointId{id};
}

Box SpaceAxes::box_of(space::PointId first, std::span<std::uint32_t const> counts) const {
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

/// The part of the grid with the same values along axes without a declared direction.
Box SpaceAxes::cell_of(Box const& box) const {
    Box cell = box;
    auto const& axes = grids_[box.grid].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].declared()) cell.axes[a] = {0, static_cast<std::uint32_t>(axes[a].size)};
    }
    return cell;
}

}  // namespace pimdse::dse::search
