#include "dse/genetic/neighbours.hpp"

#include "dse/genetic/orderings.hpp"
#include "sim/base/check.hpp"

#include <utility>

namespace pimdse::dse::genetic {
namespace {

std::uint64_t swaps_of(std::size_t items) { return items * (items - 1) / 2; }

/// Insertions next door are swaps.
std::uint64_t insertions_of(std::size_t items) { return items < 3 ? 0 : (items - 1) * (items - 2); }

std::uint64_t neighbours_along(std::uint64_t value, Gene const& gene) {
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            return (value > 0 ? 1 : 0) + (value + 1 < gene.values ? 1 : 0);
        case Gene::Kind::choice:
            return gene.values - 1;
        case Gene::Kind::ordering:
            return swaps_of(gene.items) + insertions_of(gene.items);
    }
    return 0;
}

void swap_pair(Ordering& ordering, std::uint64_t pair) {
    std::size_t second = 1;
    for (; pair >= second; ++second) pair -= second;
    std::swap(ordering[pair], ordering[second]);
}

void insert_pair(Ordering& ordering, std::uint64_t pair) {
    for (std::size_t from = 0; from < ordering.size(); ++from) {
        for (std::size_t to = 0; to < ordering.size(); ++to) {
            if (to + 1 >= from && to <= from + 1) continue;
            if (pair-- == 0) return insert_elsewhere(ordering, from, to);
        }
    }
}

std::uint64_t stepped(std::uint64_t value, Gene const& gene, std::uint64_t index) {
    if (gene.kind == Gene::Kind::ordinal) return index == 0 && value > 0 ? value - 1 : value + 1;
    if (gene.kind == Gene::Kind::choice) return index < value ? index : index + 1;
    auto ordering = ordering_of(value, gene.items);
    std::uint64_t const swaps = swaps_of(gene.items);
    if (index < swaps)
        swap_pair(ordering, index);
    else
        insert_pair(ordering, index - swaps);
    return rank_of(ordering);
}

}  // namespace

std::uint64_t neighbours_of(CodedPoint const& point, Genome const& genome) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < genome.size(); ++i) sum += neighbours_along(point.values[i], genome[i]);
    return sum;
}

CodedPoint neighbour(CodedPoint const& point, Genome const& genome, std::uint64_t index) {
    CodedPoint moved = point;
    for (std::size_t i = 0; i < genome.size(); ++i) {
        std::uint64_t const along = neighbours_along(point.values[i], genome[i]);
        if (index < along) {
            moved.values[i] = stepped(point.values[i], genome[i], index);
            return moved;
        }
        index -= along;
    }
    sim::expects(false, "there is a neighbour of this number");
    return moved;
}

}  // namespace pimdse::dse::genetic
