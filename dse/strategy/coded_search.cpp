#include "dse/strategy/coded_search.hpp"

#include "dse/genetic/local_search.hpp"
#include "dse/genetic/nsga2.hpp"
#include "dse/ladder/corner.hpp"
#include "dse/space/space.hpp"
#include "dse/strategy/coarse_corner.hpp"
#include "dse/strategy/space_code.hpp"
#include "dse/strategy/suitable.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::dse::strategy {
namespace {

/// Makes a strategy of a search among coded points.
template <class Search>
class CodedSearch : public Strategy {
  public:
    CodedSearch(space::Space const& space, typename Search::Settings settings)
        : space_(space), code_(space), search_(code_.genomes(), std::move(settings)) {}

    task::Batch ask(std::uint64_t most) final {
        std::vector<task::PointId> points;
        while (points.size() < most && asked_ < budget()) {
            auto const point = search_.ask();
            if (!point) break;
            ++asked_;
            points.push_back(code_.id_of(*point));
        }
        return task::Batch::list(std::move(points), space_.search().fidelity);
    }
    void tell(task::Answer const& answer) final { search_.tell(code_.point_of(answer.task.point), merit_of(answer)); }
    bool know(task::Answer const& answer) final {
        search_.know(code_.point_of(answer.task.point), merit_of(answer));
        return true;
    }
    std::uint64_t lag() const final { return 64; }

  protected:
    [[nodiscard]] std::uint64_t budget() const {
        std::uint64_t const wanted = space_.search().budget;
        return wanted == 0 ? space_.size() : std::min(wanted, space_.size());
    }
    [[nodiscard]] std::uint64_t asked() const { return asked_; }
    [[nodiscard]] Search const& search() const { return search_; }
    [[nodiscard]] space::Space const& space() const { return space_; }
    [[nodiscard]] SpaceCode const& code() const { return code_; }

  private:
    [[nodiscard]] genetic::Merit merit_of(task::Answer const& answer) const {
        auto const* metrics = std::get_if<models::Metrics>(&answer.outcome);
        if (metrics == nullptr) return {};
        genetic::Merit const merit{true, ladder::values_of(*metrics, space_.objectives())};
        auto const unknown = std::ranges::any_of(merit.values, [](double value) { return std::isnan(value); });
        return unknown ? genetic::Merit{} : merit;
    }

    space::Space const& space_;
    SpaceCode code_;
    Search search_;
    std::uint64_t asked_ = 0;
};

class GeneticSearch final : public CodedSearch<genetic::Nsga2> {
  public:
    explicit GeneticSearch(space::Space const& space)
        : CodedSearch(space, {space.objectives().size(), space.search().seed}) {}
    std::uint64_t planned() const override { return budget(); }
};

class NeighbourSearch final : public CodedSearch<genetic::LocalSearch> {
  public:
    explicit NeighbourSearch(space::Space const& space)
        : CodedSearch(space, {.objectives = space.objectives().size(),
                              .seed = space.search().seed,
                              .again = space.search().budget != 0,
                              .low_of = low_of(space)}) {}
    std::uint64_t planned() const override { return space().search().budget != 0 ? budget() : asked(); }
    std::string ending() const override {
        auto const unchecked = search().unchecked();
        if (unchecked == 0)
            return fmt::format("a local optimum: every neighbour of the {} points on its front {}", search().members(),
                               search().skipped() == 0 ? "is known" : "is known, or no better by its bounds");
        return fmt::format("no local optimum yet: {} of the {} points on its front have neighbours that are not known",
                           unchecked, search().members());
    }

  private:
    /// At finer fidelities, where analytic answers bound what a point may come to.
    genetic::LocalSearch::LowOf low_of(space::Space const& space) {
        if (space.search().fidelity == models::Fidelity::analytic) return {};
        return [this](genetic::CodedPoint const& point) -> std::optional<front::ParetoTree::Vector> {
            auto const corner = coarse_corner(this->space(), code().id_of(point));
            return corner ? std::optional(corner->low) : std::nullopt;
        };
    }
};

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

}  // namespace pimdse::dse::strategy
