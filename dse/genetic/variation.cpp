#include "dse/genetic/variation.hpp"

#include "dse/genetic/orderings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::genetic {
namespace {

/// The 16th root: distributions of index 15 need no other, and every machine rounds a square root alike.
double root(double x) { return std::sqrt(std::sqrt(std::sqrt(std::sqrt(x)))); }

std::uint64_t on_axis(double value, std::uint64_t values) {
    double const last = static_cast<double>(values - 1);
    double const inside = std::clamp(std::round(value), 0.0, last);
    return inside >= last ? values - 1 : static_cast<std::uint64_t>(inside);
}

std::uint64_t between(std::uint64_t one, std::uint64_t other, std::uint64_t values, Dice& dice) {
    double const u = dice.fraction();
    double const spread = u < 0.5 ? root(2.0 * u) : 1.0 / root(2.0 * (1.0 - u));
    double const a = static_cast<double>(one), b = static_cast<double>(other);
    return on_axis(0.5 * ((1.0 + spread) * a + (1.0 - spread) * b), values);
}

std::uint64_t beside(std::uint64_t value, std::uint64_t values, Dice& dice) {
    double const u = dice.fraction();
    double const share = u < 0.5 ? root(2.0 * u) - 1.0 : 1.0 - root(2.0 * (1.0 - u));
    double const range = static_cast<double>(values - 1);
    std::uint64_t const moved = on_axis(static_cast<double>(value) + share * range, values);
    if (moved != value) return moved;
    if (value == 0 || (value + 1 < values && u >= 0.5)) return value + 1;
    return value - 1;
}

std::uint64_t reordered(std::uint64_t rank, std::size_t items, Dice& dice) {
    auto ordering = ordering_of(rank, items);
    std::size_t const from = dice.below(items);
    std::size_t const to = (from + 1 + dice.below(items - 1)) % items;
    if (dice.heads())
        std::swap(ordering[from], ordering[to]);
    else
        insert_elsewhere(ordering, from, to);
    return rank_of(ordering);
}

std::uint64_t crossed_gene(std::uint64_t one, std::uint64_t other, Gene const& gene, Dice& dice) {
    if (one == other) return one;
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            if (dice.heads()) return one;
            return dice.heads() ? between(one, other, gene.values, dice) : between(other, one, gene.values, dice);
        case Gene::Kind::choice:
            return dice.heads() ? one : other;
        case Gene::Kind::ordering:
            return rank_of(crossed(ordering_of(one, gene.items), ordering_of(other, gene.items), dice));
    }
    return one;
}

std::uint64_t mutated_gene(std::uint64_t value, Gene const& gene, Dice& dice) {
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            return beside(value, gene.values, dice);
        case Gene::Kind::choice:
            return (value + 1 + dice.below(gene.values - 1)) % gene.values;
        case Gene::Kind::ordering:
            return reordered(value, gene.items, dice);
    }
    return value;
}

}  // namespace

CodedPoint crossed(CodedPoint const& one, CodedPoint const& other, Genome const& genome, Dice& dice) {
    CodedPoint child = one;
    for (std::size_t i = 0; i < genome.size(); ++i)
        child.values[i] = crossed_gene(one.values[i], other.values[i], genome[i], dice);
    return child;
}

void mutate(CodedPoint& point, Genome const& genome, Dice& dice) {
    auto const varying =
        static_cast<std::uint64_t>(std::ranges::count_if(genome, [](Gene const& gene) { return gene.values > 1; }));
    for (std::size_t i = 0; i < genome.size(); ++i) {
        if (genome[i].values > 1 && dice.below(varying) == 0)
            point.values[i] = mutated_gene(point.values[i], genome[i], dice);
    }
}

}  // namespace pimdse::dse::genetic
