#pragma once

#include "dse/search/genome.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

/// Strategies that vary points that did well, whatever the parameters mean. Both throw InputError where the space does
/// not suit: a shard, more points than they remember.
namespace pimdse::dse::search {

/// A genetic search (NSGA-II) up to the budget; each point once.
[[nodiscard]] std::unique_ptr<Strategy> make_nsga2(space::Space const& space);

/// Pareto local search: up to the budget, or, without one, to its first local optimum.
[[nodiscard]] std::unique_ptr<Strategy> make_pls(space::Space const& space);

/// Points of a space as rows of numbers, a genome for each machine: numeric axes in ascending order, names and flags as
/// choices, orderings by their ranks.
class SpaceCode {
  public:
    explicit SpaceCode(space::Space const& space);

    [[nodiscard]] Genomes const& genomes() const { return genomes_; }
    [[nodiscard]] space::PointId id_of(CodedPoint point) const;
    [[nodiscard]] CodedPoint point_of(space::PointId id) const;

  private:
    /// Of an axis whose values do not ascend: places of its values in ascending order, and the other way round.
    struct Order {
        std::vector<std::uint64_t> places, ranks;
    };
    [[nodiscard]] static Order order_of(space::Space const& space, std::size_t machine, std::size_t axis);

    Genomes genomes_;
    std::vector<std::vector<Order>> orders_;  ///< of each machine, of each axis
};

// What strategies ask of a space; each throws InputError.

/// Of one that remembers every point it asks for: so few that memory holds them.
void refuse_too_many(space::Space const& space);

}  // namespace pimdse::dse::search
