#include "dse/report/standing.hpp"

#include "dse/report/explanation.hpp"
#include "dse/search/front.hpp"
#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace pimdse::dse::report {
namespace {

constexpr std::size_t max_rivals = 5;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Compares one point with all others.
class StandingBuilder {
  public:
    StandingBuilder(FrontView const& front_view, space::PointId point, std::span<double const> vector)
        : front_view_(front_view), point_(point), own_(vector), limits_(vector.size()) {
        standing_.front_limits.resize(own_.size());
    }

    PointStanding run() {
        for (auto const at : front_view_.front()) compare_with_member(at);
        standing_.on_front = witnesses_.empty();
        for (std::size_t at = 0; at < front_view_.size(); ++at) compare_with(at);
        name_turns();
        standing_.dominators = in_order(witnesses_, witnesses_.size());
        standing_.rivals = in_order(rivals_, max_rivals);
        return std::move(standing_);
    }

  private:
    using Ranked = std::pair<double, space::PointId>;  ///< sorted ascending

    static std::vector<space::PointId> in_order(std::vector<Ranked>& ranked, std::size_t max) {
        std::ranges::sort(ranked);
        std::vector<space::PointId> points;
        for (std::size_t i = 0; i < std::min(max, ranked.size()); ++i) points.push_back(ranked[i].second);
        return points;
    }

    [[nodiscard]] bool equals_own(std::size_t at) const { return std::ranges::equal(front_view_.vector(at), own_); }

    void compare_with_member(std::size_t at) {
        auto const id = front_view_.id(at);
        if (id == point_) return;
        double const lead = lead_of(front_view_.vector(at), own_);
        if (lead >= 0.0 && !(equals_own(at) && point_ < id)) witnesses_.emplace_back(-lead, id);
        rivals_.emplace_back(distance(at), id);
    }

    /// The largest share by which the two points differ in an objective.
    [[nodiscard]] double distance(std::size_t at) const {
        double max = 0.0;
        for (std::size_t i = 0; i < own_.size(); ++i)
            max = std::max(max, std::abs(share_below(own_[i], front_view_.vector(at)[i])));
        return max;
    }

    void compare_with(std::size_t at) {
        if (front_view_.id(at) == point_) return;
        auto const other = front_view_.vector(at);
        if (lead_of(own_, other) >= 0.0) ++standing_.dominates;
        standing_.needed_gain = std::max(standing_.needed_gain.value_or(-infinity), lead_of(other, own_));
        std::size_t worse = 0, where = 0;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (other[i] <= own_[i]) continue;
            ++worse;
            where = i;
        }
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (worse == 0 || (worse == 1 && where == i)) offer(i, at);
        }
    }

    /// Point `at` is as good in all objectives but i. Of these points, the turn is the one with the least value in i.
    void offer(std::size_t i, std::size_t at) {
        auto& turn = limits_[i];
        if (!turn || front_view_.vector(at)[i] < front_view_.vector(*turn)[i]) turn = at;
    }

    void name_turns() {
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (!limits_[i]) continue;
            double const there = front_view_.vector(*limits_[i])[i];
            standing_.front_limits[i] = FrontLimit{front_view_.id(*limits_[i]), front_view_.as_metric(i, there),
                                                   std::abs(share_below(own_[i], there))};
        }
    }

    FrontView const& front_view_;
    space::PointId point_;
    std::span<double const> own_;
    std::vector<std::optional<std::size_t>> limits_;
    std::vector<Ranked> witnesses_, rivals_;
    PointStanding standing_;
};

constexpr std::array<std::string_view, 5> state_names{"evaluated at cycle level", "pruned by its bounds",
                                                      "pruned by an equal key", "open", "infeasible at every level"};

/// True if a box of a grid contains a point. `point` and `first` are relative to the first point of the grid.
bool is_in_box(std::uint64_t point, std::uint64_t first, std::span<std::uint64_t const> sizes,
               std::span<std::uint32_t const> counts) {
    for (std::size_t a = sizes.size(); a-- > 0; point /= sizes[a], first /= sizes[a]) {
        auto const at = point % sizes[a], from = first % sizes[a];
        if (at < from || at - from >= counts[a]) return false;
    }
    return true;
}

/// Position of the box that contains the point. Without extents, the boxes are single points.
std::optional<std::size_t> place_of(space::PointId point, std::vector<space::PointId> const& firsts,
                                    std::vector<std::uint32_t> const& extents,
                                    std::vector<search::Certificate::Grid> const& grids) {
    auto const behind = std::ranges::upper_bound(grids, index_of(point), {}, &search::Certificate::Grid::first);
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

using models::Sense;

double times(double own, double best, Sense better) {
    auto const& [more, less] = better == Sense::maximize ? std::pair(best, own) : std::pair(own, best);
    return less > 0.0 ? more / less : 0.0;
}

bool is_objective(FrontView const& front_view, space::Space const& space, std::size_t metric) {
    return std::ranges::any_of(front_view.objectives(), [&](space::Objective const& objective) {
        auto const* formula = space.formula_at(objective.metric);
        if (formula == nullptr) return objective.metric == metric;
        return std::ranges::any_of(formula->reads(), [&](std::size_t read) { return space.place_of(read) == metric; });
    });
}

std::optional<Extreme> extreme_in(std::size_t metric, Sense better, search::ResultStore const& store,
                                  FrontView const& front_view, space::PointId point, double own) {
    constexpr std::uint64_t few = 20;  // too few points for a share
    Extreme extreme{metric, own};
    std::uint64_t all = store.find({point, front_view.fidelity()}) ? 0 : 1, as_bad = all;
    for (std::size_t at = 0; at < front_view.size(); ++at) {
        auto const row = store.find({front_view.id(at), front_view.fidelity()});
        double const value = row ? store.value(*row, metric) : std::nan("");
        if (std::isnan(value)) continue;
        ++all;
        if (space::minimised(value, better) >= space::minimised(own, better)) ++as_bad;
    }
    bool found = false;
    for (auto const at : front_view.front()) {
        auto const row = store.find({front_view.id(at), front_view.fidelity()});
        double const value = row ? store.value(*row, metric) : std::nan("");
        if (std::isnan(value) || (found && space::minimised(value, better) >= space::minimised(extreme.best, better)))
            continue;
        extreme.best = value;
        extreme.best_point = front_view.id(at);
        found = true;
    }
    extreme.share_as_bad = static_cast<double>(as_bad) / static_cast<double>(all);
    extreme.times_best = found ? times(own, extreme.best, better) : 0.0;
    bool const among_worst = all >= few && extreme.share_as_bad <= worst_share;
    if (!among_worst && extreme.times_best <= far_behind_front) return std::nullopt;
    return extreme;
}

}  // namespace

PointStanding standing_of(FrontView const& front_view, space::PointId point, std::span<double const> vector) {
    return StandingBuilder(front_view, point, vector).run();
}

FrontView::FrontView(search::ResultStore const& store, std::vector<space::Objective> objectives,
                     models::Fidelity fidelity)
    : objectives_(std::move(objectives)), fidelity_(fidelity) {
    for (auto const row : store.sorted()) {
        if (store.status(row) != search::Status::ok || store.task(row).fidelity != fidelity_) continue;
        ids_.push_back(store.task(row).point);
        for (std::size_t i = 0; i < objectives_.size(); ++i)
            values_.push_back(as_metric(i, store.value(row, objectives_[i].metric)));
    }
    for (auto const point : search::front_of(store, objectives_, fidelity_).ids()) front_.push_back(*find(point));
}

std::optional<std::size_t> FrontView::find(space::PointId point) const {
    auto const found = std::ranges::lower_bound(ids_, point);
    if (found == ids_.end() || *found != point) return std::nullopt;
    return static_cast<std::size_t>(found - ids_.begin());
}

std::vector<double> FrontView::vector_of(models::Metrics const& metrics) const {
    std::vector<double> vector;
    for (std::size_t i = 0; i < objectives_.size(); ++i)
        vector.push_back(as_metric(i, metrics[objectives_[i].metric].value));
    return vector;
}

double FrontView::as_metric(std::size_t objective, double number) const {
    return space::minimised(number, objectives_[objective].better);
}

std::vector<Margin> margins_of(space::Machine const& machine, models::Point point, models::Outcome const& outcome) {
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    std::span<models::Estimate const> const results =
        metrics == nullptr ? std::span<models::Estimate const>{} : *metrics;
    std::vector<Margin> margins;
    for (auto const& constraint : machine.constraints) {
        auto const& condition = constraint.expression;
        bool const evaluated = constraint.parameters_only || metrics != nullptr;
        auto const truth = evaluated ? condition.truth(point, results) : models::Truth::unknown;
        bool const known = truth != models::Truth::unknown;
        margins.push_back({constraint.name, condition.text(), known, truth == models::Truth::yes,
                           known ? condition.slack(point, results) : std::nan(""),
                           known && metrics != nullptr ? space::crossings(condition, point, results)
                                                       : std::vector<space::Crossing>{}});
    }
    return margins;
}

std::string_view name_of(CertificateEntry::State state) { return state_names[static_cast<std::size_t>(state)]; }

CertificateEntry certificate_entry_of(search::Certificate const& certificate, search::ResultStore const& store,
                                      space::PointId point) {
    using State = CertificateEntry::State;
    if (auto const at = place_of(point, certificate.pruned, certificate.pruned_extents, certificate.grids)) {
        CertificateEntry entry{State::pruned, certificate.witnesses[*at], {}};
        for (auto const& best : certificate.best) entry.best.push_back(best[*at]);
        return entry;
    }
    if (auto const at = place_of(point, certificate.equal_keys, {}, {}))
        return {State::equal_key, certificate.representatives[*at]};
    if (place_of(point, certificate.open, certificate.open_extents, certificate.grids)) return {State::open};
    return {store.contains({point, models::Fidelity::cycle}) ? State::evaluated : State::infeasible};
}

std::vector<Extreme> extremes_of(space::Space const& space, search::ResultStore const& store,
                                 FrontView const& front_view, space::PointId point, models::Metrics const& metrics) {
    std::vector<Extreme> found;
    for (std::size_t m = 0; m < space.metrics().size(); ++m) {
        auto const& metric = space.metrics()[m];
        bool const relevant = models::find_common_metric(metric.name) != nullptr && metric.better != Sense::none &&
                              !std::isnan(metrics[m].value) && !is_objective(front_view, space, m);
        if (!relevant) continue;
        if (auto extreme = extreme_in(m, metric.better, store, front_view, point, metrics[m].value))
            found.push_back(*extreme);
    }
    std::ranges::stable_sort(found, {}, &Extreme::share_as_bad);
    return found;
}

}  // namespace pimdse::dse::report
