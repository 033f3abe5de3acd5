#pragma once

#include "dse/search/genome.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <memory>
#include <vector>

/// Strategies that vary good points without knowledge of what parameters mean. Both throw InputError if the space is
/// not suitable: a shard, or more points than they can keep in memory.
namespace pimdse::dse::search {

/// A genetic search (NSGA-II) up to the budget; evaluates no point twice.
[[nodiscard]] std::unique_ptr<Strategy> make_nsga2(space::Space const& space);

/// Pareto local search up to the budget or, without a budget, to its first local optimum.
[[nodiscard]] std::unique_ptr<Strategy> make_pls(space::Space const& space);

/// Encodes points of a space as vectors of numbers, with a genome for each machine: numeric axes in ascending order,
/// names and flags as choices, orderings by their ranks.
class SpaceCode {
  public:
    explicit SpaceCode(space::Space const& space);

    [[nodiscard]] Genomes const& genomes() const { return genomes_; }
    [[nodiscard]] space::PointId id_of(CodedPoint point) const;
    [[nodiscard]] CodedPoint point_of(space::PointId id) const;

  private:
    /// For an axis whose values do not ascend: positions of its values in ascending order, and the inverse.
    struct Order {
        std::vector<std::uint64_t> places, ranks;
    };
    [[nodiscard]] static Order order_of(space::Space const& space, std::size_t machine, std::size_t axis);

    Genomes genomes_;
    std::vector<std::vector<Order>> orders_;  ///< [machine][axis]
};

// Requirements of strategies on a space; each throws InputError.

/// For strategies that keep every requested point in memory: refuses more points than fit.
void refuse_too_many(space::Space const& space);

}  // namespace pimdse::dse::search
