#include "dse/strategy/space_grids.hpp"

#include "dse/space/asked_machine.hpp"
#include "dse/space/expression_bounds.hpp"
#include "dse/strategy/coarse_corner.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::dse::strategy {
namespace {

using ladder::Box;
using models::Bound;

constexpr double unknown = -std::numeric_limits<double>::infinity();
constexpr double for_rounding = 1e-9;  // of sums of bounds, which are monotone but for that
constexpr std::size_t most_remembered = 1 << 16, most_profiles = 1 << 12;

void refuse_calibrated(space::Space const& space, ladder::Corner const& corner) {
    for (std::size_t i = 0; i < space.objectives().size(); ++i) {
        if (!corner.is_calibrated(i)) continue;
        throw sim::InputError(fmt::format(
            "strategy 'ladder' closes whole boxes of so many points by proved lows, and those of {} are calibrated. "
            "Use fewer points, or other objectives?",
            space.metrics()[space.objectives()[i].metric].name));
    }
}

}  // namespace

/// By objective; -infinity where the architecture refuses the point.
ladder::Values const& SpaceGrids::lows_at(task::PointId point) {
    auto const found = lows_.find(index_of(point));
    if (found != lows_.end()) return found->second;
    if (lows_.size() >= most_remembered) lows_.clear();
    std::size_t const machine = space().machine_of(point);
    std::vector<models::Value> values;
    space().decode(point, values);
    auto outcome = space::asked_anyway(space().machines()[machine], values, models::Fidelity::analytic);
    auto* metrics = std::get_if<models::Metrics>(&outcome);
    auto corner = ladder::unknown_corner();
    if (metrics != nullptr)
        corner = ladder::corner_of(space().placed(machine, std::move(*metrics)), space().objectives());
    refuse_calibrated(space(), corner);
    return lows_.emplace(index_of(point), corner.low).first->second;
}

double SpaceGrids::low_at(task::PointId point, std::size_t objective) {
    double const low = lows_at(point)[objective];
    return std::isinf(low) ? low : low - for_rounding * std::abs(low);
}

double SpaceGrids::low_of(Box const& box, std::size_t objective) {
    auto const corner = axes_.best_corner(box, objective);
    return corner ? low_at(axes_.at(box, *corner), objective) : unknown;
}

/// Where the box's own corner is refused: the best of boxes around it that are as long as one axis.
double SpaceGrids::low_around(Box const& box, std::size_t objective) {
    double low = low_of(box, objective);
    if (low != unknown || !axes_.best_corner(box, objective)) return low;
    auto const& axes = grids()[box.grid].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (!axes[a].declared()) continue;
        Box longer = box;
        longer.axes[a] = {0, static_cast<std::uint32_t>(axes[a].size)};
        low = std::max(low, low_of(longer, objective));
    }
    return low;
}

/// Of every metric of the machine what the lows of objectives say.
models::Metrics SpaceGrids::estimates_of(std::size_t machine, ladder::Values const& lows) const {
    auto const& own = grids()[machine].own_metrics;
    models::Estimate nothing{std::numeric_limits<double>::quiet_NaN()};
    models::Metrics metrics(space().metrics().size(), nothing);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (lows[i] == unknown || own[i] < 0) continue;
        bool const turned = space().objectives()[i].better == models::Sense::maximize;
        metrics[static_cast<std::size_t>(own[i])] =
            turned ? models::Estimate::within(-lows[i], unknown, -lows[i], {Bound::none, Bound::proved})
                   : models::Estimate::within(lows[i], lows[i], -unknown, {Bound::proved, Bound::none});
    }
    return metrics;
}

/// True if some condition is met by none of its points.
bool SpaceGrids::hopeless(Box const& box, ladder::Values const& lows) const {
    auto const& machine = space().machines()[box.grid];
    auto const& axes = grids()[box.grid].axes;
    auto const metrics = estimates_of(box.grid, lows);
    SpaceAxes::Positions last;
    for (auto const& run : box.axes) last.push_back(run.first + run.count - 1);
    std::vector<models::Value> least, most;
    space().decode(axes_.at(box, {}), least);
    space().decode(axes_.at(box, last), most);
    return std::ranges::any_of(machine.constraints, [&](auto const& condition) {
        for (std::size_t a = 0; a < axes.size(); ++a) {
            bool const between = axes[a].ordered || box.axes[a].count == 1;
            if (!between && condition.expression.reads_parameter(axes[a].parameter)) return false;
        }
        return space::surely_fails(condition.expression, least, most, metrics);
    });
}

std::optional<ladder::Values> SpaceGrids::bound(Box const& box) {
    if (box.is_point()) {
        auto const corner = coarse_corner(space(), first_of(box));
        if (!corner) return std::nullopt;
        refuse_calibrated(space(), *corner);
        return corner->low;
    }
    ladder::Values lows{};
    for (std::size_t i = 0; i < space().objectives().size(); ++i) lows[i] = low_around(box, i);
    return hopeless(box, lows) ? std::nullopt : std::optional(lows);
}

std::vector<SpaceGrids::Profile> const& SpaceGrids::profiles_of(Box const& box) {
    auto const cell = axes_.cell_of(box);
    if (profiles_.size() >= most_profiles) profiles_.clear();
    auto const [found, fresh] = profiles_.try_emplace(index_of(first_of(cell)));
    auto const& axes = grids()[box.grid].axes;
    for (std::size_t a = 0; fresh && a < axes.size(); ++a) {
        Profile profile(space().objectives().size());
        for (std::size_t i = 0; axes[a].declared() && i < profile.size(); ++i) {
            auto corner = axes_.best_corner(cell, i);
            for (std::uint32_t p = 0; p < axes[a].size; ++p) {
                (*corner)[a] = p;
                profile[i].push_back(low_at(axes_.at(cell, *corner), i));
            }
        }
        found->second.push_back(std::move(profile));
    }
    return found->second;
}

/// By how much lows rise in the half that does not have the best position, in shares of what they are at best.
double SpaceGrids::gain(Box const& box, std::size_t axis, Profile const& profile) const {
    auto const& run = box.axes[axis];
    std::uint32_t const last = run.first + run.count - 1, middle = run.first + run.count - run.count / 2;
    double sum = 0.0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        auto const best = grids()[box.grid].axes[axis].best[i];
        if (best == BestEnd::any) continue;
        double const whole = profile[i][best == BestEnd::first ? run.first : last];
        double const half = profile[i][best == BestEnd::first ? middle : middle - 1];
        if (half == unknown) continue;
        sum += whole == unknown ? 1.0 : (half - whole) / std::max(std::abs(whole), std::numeric_limits<double>::min());
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
    double most = 0.0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        double const here = box.axes[a].count > 1 ? gain(box, a, profiles[a]) : 0.0;
        if (here > most) longest = a;
        most = std::max(most, here);
    }
    return longest;
}

}  // namespace pimdse::dse::strategy
