#pragma once

#include "dse/genetic/genome.hpp"
#include "dse/task/answer.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Points of a space as rows of numbers, a genome for each machine: numeric axes in ascending order, names and flags as
/// choices, orderings by their ranks.
class SpaceCode {
  public:
    explicit SpaceCode(space::Space const& space);

    [[nodiscard]] genetic::Genomes const& genomes() const { return genomes_; }
    [[nodiscard]] task::PointId id_of(genetic::CodedPoint point) const;
    [[nodiscard]] genetic::CodedPoint point_of(task::PointId id) const;

  private:
    /// Of an axis whose values do not ascend: places of its values in ascending order, and the other way round.
    struct Order {
        std::vector<std::uint64_t> places, ranks;
    };
    [[nodiscard]] static Order order_of(space::Space const& space, std::size_t machine, std::size_t axis);

    genetic::Genomes genomes_;
    std::vector<std::vector<Order>> orders_;  ///< of each machine, of each axis
};

}  // namespace pimdse::dse::strategy
