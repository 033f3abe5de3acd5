#include "dse/search/bounded_search_strategy.hpp"

#include "dse/search/bounded_search.hpp"
#include "dse/search/box_search.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/search/space_grids.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

/// The parts of a search by lower bounds that do not depend on how points are visited: results, broken bounds,
/// certificates.
namespace pimdse::dse::search {
namespace {

/// How many cycle-level points may be in flight (Strategy::lag).
constexpr std::uint64_t cycle_lag = 256;

std::string shown(models::Metric const& metric, double value) {
    double const as_it_is = space::minimised(value, metric.better);
    return fmt::format("{} ({})", sim::print_quantity(as_it_is, metric.unit), as_it_is);
}

/// Throw a MismatchError that describes the bug of the model.
[[noreturn]] void refuse(space::Space const& space, BrokenBound const& broken) {
    auto const& metric = space.metrics()[space.objectives()[broken.objective].metric];
    throw sim::MismatchError(
        "point {}: {} is {} at cycle level, better than its proved bound {} (a bug of the model: the front would be "
        "wrong). Use strategy 'sweep' until it is fixed?",
        index_of(broken.point), metric.name, shown(metric, broken.value), shown(metric, broken.lower));
}

[[noreturn]] void refuse(BrokenKey const& broken) {
    throw sim::MismatchError("{} (a bug of the model: the front would be wrong)", broken.what());
}

/// Runs a step of the search; a broken bound or key is thrown as a MismatchError.
template <class Step>
auto guarded(space::Space const& space, Step step) {
    try {
        return step();
    } catch (BrokenBound const& broken) {
        refuse(space, broken);
    } catch (BrokenKey const& broken) {
        refuse(broken);
    }
}

Reply reply_of(space::Space const& space, space::Result const& fine) {
    if (auto const* metrics = std::get_if<models::Metrics>(&fine.outcome))
        return {Reply::End::feasible, search::values_of(*metrics, space.objectives())};
    return {std::holds_alternative<models::Infeasible>(fine.outcome) ? Reply::End::infeasible : Reply::End::failed, {}};
}

/// Restores the signs of maximised objectives, which are negated inside the search.
void restore_signs(space::Space const& space, Certificate& certificate) {
    for (std::size_t i = 0; i < space.objectives().size(); ++i)
        for (auto& best : certificate.best[i]) best = space::minimised(best, space.objectives()[i].better);
}

constexpr std::uint64_t max_listed = 1 << 25;                            // points; each takes tens of bytes
constexpr std::uint64_t sweep_lag = 1 << 20, min_sweep = sweep_lag / 4;  // points per request, worth distributing

void refuse_unsuitable(space::Space const& space) {
    for (auto const* architecture : space.architectures()) {
        if (std::ranges::find(architecture->fidelities, models::Fidelity::cycle) != architecture->fidelities.end())
            continue;
        throw sim::InputError(
            "strategy 'ladder' finds the front of the cycle level, which {} does not have. Use strategy 'sweep'?",
            architecture->name);
    }
    if (space.search().shards > 1)
        throw sim::InputError(
            "strategy 'ladder' cannot be split into shards (a point of one shard prunes points of another). Use ranks, "
            "or strategy 'sweep'?");
}

BoundedSearch::Settings bounded_search_settings(space::Space const& space) {
    auto const& search = space.search();
    return {space.objectives().size(), search.budget, search.epsilon, search.audit, search.seed};
}

class BoundedSearchStrategy final : public Strategy {
  public:
    explicit BoundedSearchStrategy(space::Space const& space)
        : space_(space),
          bounded_search_(
              bounded_search_settings(space), [&space](space::PointId point) { return space::cycle_key(space, point); },
              [&space](space::PointId a, space::PointId b) { return difference_of_equal_keys(space, a, b); }) {}

    space::Batch ask(std::uint64_t max) override {
        if (!all_requested()) return sweep(max);
        if (!all_received()) return {};
        return guarded(space_, [&] {
            return space::Batch::list(bounded_search_.ask(std::min<std::uint64_t>(max, 1)), models::Fidelity::cycle);
        });
    }

    void tell(space::Result const& result) override {
        if (!all_received()) return add_bounds(result);
        guarded(space_, [&] { bounded_search_.tell(result.task.point, reply_of(space_, result)); });
    }

    std::uint64_t lag() const override { return all_received() ? cycle_lag : sweep_lag; }
    std::uint64_t planned() const override { return space_.size() + bounded_search_.runs(); }

    std::optional<Standing> standing() const override {
        auto standing = bounded_search_.standing();
        standing.open += space_.size() - received_;
        return standing;
    }

    std::optional<Certificate> certificate() const override {
        auto certificate = bounded_search_.certificate();
        certificate.points = space_.size();
        certificate.infeasible = infeasible_;
        certificate.lag = cycle_lag;
        for (std::uint64_t id = received_; id < space_.size(); ++id) certificate.open.push_back(space::PointId{id});
        restore_signs(space_, certificate);
        return certificate;
    }

  private:
    [[nodiscard]] bool all_requested() const { return requested_ == space_.size(); }
    [[nodiscard]] bool all_received() const { return received_ == space_.size(); }

    space::Batch sweep(std::uint64_t max) {
        std::uint64_t const left = space_.size() - requested_;
        if (max < std::min(left, min_sweep)) return {};
        std::uint64_t const count = std::min(max, left);
        requested_ += count;
        return space::Batch::range(space::PointId{requested_ - count}, count, models::Fidelity::analytic);
    }

    void add_bounds(space::Result const& result) {
        ++received_;
        if (auto const ideal = coarse_ideal_point(space_, result))
            bounded_search_.add(result.task.point, *ideal);
        else
            ++infeasible_;
    }

    space::Space const& space_;
    BoundedSearch bounded_search_;
    std::uint64_t requested_ = 0, received_ = 0;  ///< points of the analytic sweep
    std::uint64_t infeasible_ = 0;
};

constexpr std::uint64_t few_points = 1 << 17;  // can be listed in seconds
constexpr double min_points_per_box = 256;     // boxes with fewer points do not pay
constexpr double max_boxes = 1 << 23;          // each takes hundreds of bytes

class BoxSearchStrategy final : public Strategy {
  public:
    explicit BoxSearchStrategy(space::Space const& space)
        : space_(space),
          grids_(space),
          search_(
              bounded_search_settings(space), grids_,
              [&space](space::PointId point) { return space::cycle_key(space, point); },
              [&space](space::PointId a, space::PointId b) { return difference_of_equal_keys(space, a, b); }) {}

    space::Batch ask(std::uint64_t max) override {
        return guarded(space_, [&] {
            return space::Batch::list(search_.ask(std::min<std::uint64_t>(max, 1)), models::Fidelity::cycle);
        });
    }
    void tell(space::Result const& result) override {
        guarded(space_, [&] { search_.tell(result.task.point, reply_of(space_, result)); });
    }
    std::uint64_t lag() const override { return cycle_lag; }
    bool waits() const override { return search_.waits(); }
    std::uint64_t planned() const override { return search_.runs(); }

    std::optional<Standing> standing() const override { return search_.standing(); }

    std::optional<Certificate> certificate() const override {
        auto certificate = search_.certificate();
        certificate.points = space_.size();
        certificate.grids = grids_.axes().numbering();
        certificate.lag = cycle_lag;
        restore_signs(space_, certificate);
        return certificate;
    }

  private:
    space::Space const& space_;
    SpaceGrids grids_;
    BoxSearch search_;
};

/// True if the search should bound boxes of points before single points: there are many points, and lower bounds have a
/// declared direction along enough parameters.
bool has_worthwhile_boxes(space::Space const& space) {
    auto const points = static_cast<double>(space.size());
    return space.size() > few_points && SpaceAxes(space).min_boxes() * min_points_per_box <= points;
}

}  // namespace

std::unique_ptr<Strategy> make_bounded_search(space::Space const& space) {
    refuse_unsuitable(space);
    if (space.size() > max_listed || has_worthwhile_boxes(space)) return make_box_search(space);
    return std::make_unique<BoundedSearchStrategy>(space);
}

std::unique_ptr<Strategy> make_box_search(space::Space const& space) {
    SpaceAxes const axes(space);
    if (axes.min_boxes() > max_boxes)
        throw sim::InputError(
            "strategy 'ladder' would list {:.0f} boxes of {} points, because no direction is declared "
            "along {}. Use fewer values of these parameters, other objectives, or strategy 'random'?",
            axes.min_boxes(), space.size(), fmt::join(axes.undeclared(), ", "));
    return std::make_unique<BoxSearchStrategy>(space);
}

}  // namespace pimdse::dse::search
