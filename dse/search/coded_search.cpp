#include "dse/search/coded_search.hpp"

#include "dse/search/ideal_point.hpp"
#include "dse/search/local_search.hpp"
#include "dse/search/nsga2.hpp"
#include "dse/space/space.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace pimdse::dse::search {

namespace {

/// Adapts a search among coded points to the Strategy interface.
template <class Search>
class CodedSearch : public Strategy {
  public:
    CodedSearch(space::Space const& space, typename Search::Settings settings)
        : space_(space), code_(space), search_(code_.genomes(), std::move(settings)) {}

    space::Batch ask(std::uint64_t max) final {
        std::vector<space::PointId> points;
        while (points.size() < max && requested_ < space_.budget()) {
            auto const point = search_.ask();
            if (!point) break;
            ++requested_;
            points.push_back(code_.id_of(*point));
        }
        return space::Batch::list(std::move(points), space_.search().fidelity);
    }
    void tell(space::Result const& result) final {
        search_.tell(code_.point_of(result.task.point), objective_values_of(result));
    }
    bool know(space::Result const& result) final {
        search_.know(code_.point_of(result.task.point), objective_values_of(result));
        return true;
    }
    std::uint64_t lag() const final { return 64; }

  protected:
    [[nodiscard]] std::uint64_t requested() const { return requested_; }
    [[nodiscard]] Search const& search() const { return search_; }
    [[nodiscard]] space::Space const& space() const { return space_; }
    [[nodiscard]] SpaceCode const& code() const { return code_; }

  private:
    [[nodiscard]] ObjectiveValues objective_values_of(space::Result const& result) const {
        if (auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome))
            return {.violation = infeasible->violation};
        auto const* metrics = std::get_if<models::Metrics>(&result.outcome);
        if (metrics == nullptr) return {};
        ObjectiveValues const objective_values{true, search::values_of(*metrics, space_.objectives())};
        bool const has_nan =
            std::ranges::any_of(objective_values.values, [](double value) { return std::isnan(value); });
        return has_nan ? ObjectiveValues{} : objective_values;
    }

    space::Space const& space_;
    SpaceCode code_;
    Search search_;
    std::uint64_t requested_ = 0;
};

class GeneticSearch final : public CodedSearch<Nsga2> {
  public:
    explicit GeneticSearch(space::Space const& space)
        : CodedSearch(space, {space.objectives().size(), space.search().seed}) {}
    std::uint64_t planned() const override { return space().budget(); }
};

class NeighbourSearch final : public CodedSearch<LocalSearch> {
  public:
    explicit NeighbourSearch(space::Space const& space)
        : CodedSearch(space, {.objectives = space.objectives().size(),
                              .seed = space.search().seed,
                              .again = space.search().budget != 0,
                              .lower_of = lower_of(space)}) {}
    std::uint64_t planned() const override { return space().search().budget != 0 ? space().budget() : requested(); }
    std::string ending() const override {
        auto const unchecked = search().unchecked();
        if (unchecked == 0)
            return fmt::format("a local optimum: every neighbour of the {} points on its front {}", search().members(),
                               search().skipped() == 0 ? "is known" : "is known, or no better by its bounds");
        return fmt::format("no local optimum yet: {} of the {} points on its front have neighbours that are not known",
                           unchecked, search().members());
    }

  private:
    /// Lower bounds from analytic results, if the search evaluates at a finer fidelity.
    LocalSearch::LowerBoundOf lower_of(space::Space const& space) {
        if (space.search().fidelity == models::Fidelity::analytic) return {};
        return [this](CodedPoint const& point) -> std::optional<ParetoTree::Vector> {
            auto const ideal = coarse_ideal_point(this->space(), code().id_of(point));
            return ideal ? std::optional(ideal->lower) : std::nullopt;
        };
    }
};

using models::Kind;

Gene gene_of(space::Axis const& axis, models::Parameter const& parameter) {
    auto const kind = axis.at(0).kind();
    std::size_t const items = parameter.items.size();
    if (kind == Kind::permutation && items >= 1 && items <= 20 && axis.size() == sim::factorial(items))
        return {Gene::Kind::ordering, axis.size(), items};
    bool const numeric = kind == Kind::integer || kind == Kind::quantity;
    return {numeric ? Gene::Kind::ordinal : Gene::Kind::choice, axis.size(), 0};
}

void refuse_shards(space::Space const& space) {
    if (space.search().shards <= 1) return;
    throw sim::InputError(
        "strategy '{}' cannot be split into shards (its requests depend on every result). Use ranks, or "
        "strategy 'random'?",
        space.search().strategy);
}

std::vector<Genome> genomes_of(space::Space const& space) {
    std::vector<Genome> genomes;
    for (auto const& machine : space.machines()) {
        auto& genome = genomes.emplace_back();
        for (std::size_t i = 0; i < machine.axes.size(); ++i)
            genome.push_back(gene_of(machine.axes[i], machine.parameters()[i]));
    }
    return genomes;
}

}  // namespace

std::unique_ptr<Strategy> make_nsga2(space::Space const& space) {
    refuse_shards(space);
    refuse_too_many(space);
    return std::make_unique<GeneticSearch>(space);
}

std::unique_ptr<Strategy> make_pls(space::Space const& space) {
    refuse_shards(space);
    if (space.search().budget != 0) refuse_too_many(space);
    return std::make_unique<NeighbourSearch>(space);
}

SpaceCode::SpaceCode(space::Space const& space) : genomes_(genomes_of(space)) {
    for (std::size_t machine = 0; machine < space.machines().size(); ++machine) {
        auto& orders = orders_.emplace_back();
        for (std::size_t axis = 0; axis < space.machines()[machine].axes.size(); ++axis)
            orders.push_back(order_of(space, machine, axis));
    }
}

SpaceCode::Order SpaceCode::order_of(space::Space const& space, std::size_t machine, std::size_t axis) {
    auto const& values = space.machines()[machine].axes[axis];
    auto const kind = values.at(0).kind();
    if (kind != Kind::integer && kind != Kind::quantity) return {};
    Order order;
    order.places.resize(values.size());
    std::iota(order.places.begin(), order.places.end(), std::uint64_t{0});
    auto const less = [&](std::uint64_t a, std::uint64_t b) { return values.at(a) < values.at(b); };
    if (std::ranges::is_sorted(order.places, less)) return {};
    std::ranges::sort(order.places, less);
    order.ranks.resize(values.size());
    for (std::uint64_t rank = 0; rank < order.places.size(); ++rank) order.ranks[order.places[rank]] = rank;
    return order;
}

space::PointId SpaceCode::id_of(CodedPoint point) const {
    auto const& orders = orders_[point.genome];
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i].places.empty()) point.values[i] = orders[i].places[point.values[i]];
    }
    return space::PointId{genomes_.key(point)};
}

CodedPoint SpaceCode::point_of(space::PointId id) const {
    auto point = genomes_.at(index_of(id));
    auto const& orders = orders_[point.genome];
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i].ranks.empty()) point.values[i] = orders[i].ranks[point.values[i]];
    }
    return point;
}

void refuse_too_many(space::Space const& space) {
    constexpr std::uint64_t max = 1 << 25;  // points: tens of bytes each
    if (space.budget() <= max) return;
    throw sim::InputError(
        "strategy '{}' keeps every requested point in memory, at most {}, and would request {}. Use a "
        "smaller --budget, or strategy 'random'?",
        space.search().strategy, max, space.budget());
}

}  // namespace pimdse::dse::search
