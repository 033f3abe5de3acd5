#include "dse/search/nsga2.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::search {
namespace {

bool better(Fitness const& a, Fitness const& b) { return a.rank != b.rank ? a.rank < b.rank : a.distance > b.distance; }

/// The 16th root for distributions of index 15; uses square roots only, because every host rounds these identically.
double root(double x) { return std::sqrt(std::sqrt(std::sqrt(std::sqrt(x)))); }

std::uint64_t on_axis(double value, std::uint64_t values) {
    double const last = static_cast<double>(values - 1);
    double const inside = std::clamp(std::round(value), 0.0, last);
    return inside >= last ? values - 1 : static_cast<std::uint64_t>(inside);
}

std::uint64_t crossed_ordinal(std::uint64_t one, std::uint64_t other, std::uint64_t values, Rng& rng) {
    double const u = rng.fraction();
    double const spread = u < 0.5 ? root(2.0 * u) : 1.0 / root(2.0 * (1.0 - u));
    double const a = static_cast<double>(one), b = static_cast<double>(other);
    return on_axis(0.5 * ((1.0 + spread) * a + (1.0 - spread) * b), values);
}

std::uint64_t mutated_ordinal(std::uint64_t value, std::uint64_t values, Rng& rng) {
    double const u = rng.fraction();
    double const share = u < 0.5 ? root(2.0 * u) - 1.0 : 1.0 - root(2.0 * (1.0 - u));
    double const range = static_cast<double>(values - 1);
    std::uint64_t const moved = on_axis(static_cast<double>(value) + share * range, values);
    if (moved != value) return moved;
    if (value == 0 || (value + 1 < values && u >= 0.5)) return value + 1;
    return value - 1;
}

std::uint64_t reordered(std::uint64_t rank, std::size_t items, Rng& rng) {
    auto ordering = ordering_of(rank, items);
    std::size_t const from = rng.below(items);
    std::size_t const to = (from + 1 + rng.below(items - 1)) % items;
    if (rng.coin_flip())
        std::swap(ordering[from], ordering[to]);
    else
        insert_elsewhere(ordering, from, to);
    return rank_of(ordering);
}

std::uint64_t crossed_gene(std::uint64_t one, std::uint64_t other, Gene const& gene, Rng& rng) {
    if (one == other) return one;
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            if (rng.coin_flip()) return one;
            return rng.coin_flip() ? crossed_ordinal(one, other, gene.values, rng)
                                   : crossed_ordinal(other, one, gene.values, rng);
        case Gene::Kind::choice:
            return rng.coin_flip() ? one : other;
        case Gene::Kind::ordering:
            return rank_of(crossed(ordering_of(one, gene.items), ordering_of(other, gene.items), rng));
    }
    return one;
}

std::uint64_t mutated_gene(std::uint64_t value, Gene const& gene, Rng& rng) {
    switch (gene.kind) {
        case Gene::Kind::ordinal:
            return mutated_ordinal(value, gene.values, rng);
        case Gene::Kind::choice:
            return (value + 1 + rng.below(gene.values - 1)) % gene.values;
        case Gene::Kind::ordering:
            return reordered(value, gene.items, rng);
    }
    return value;
}

}  // namespace

Nsga2::Nsga2(Genomes const& genomes, Settings settings)
    : genomes_(genomes), settings_(settings), rng_(settings.seed), duplicates_(genomes, settings.seed) {
    sim::expects(settings.population >= 2, "a population has at least two members");
}

std::optional<CodedPoint> Nsga2::ask() {
    bool const founds = founders_ < settings_.population || points_.size() < 2;
    founders_ += founds ? 1 : 0;
    if (!founds) {
        if (auto point = unseen_child()) return point;
    }
    return duplicates_.take_random(rng_);
}

/// A child; if it is known, it is mutated further until it is not.
std::optional<CodedPoint> Nsga2::unseen_child() {
    constexpr int children = 8, variations = 8;
    for (int i = 0; i < children; ++i) {
        auto point = child();
        for (int j = 0; j < variations; ++j) {
            if (duplicates_.take(point)) return point;
            mutate(point, genomes_.of(point), rng_);
        }
    }
    return std::nullopt;
}

/// Binary tournament: the better of two random members.
std::size_t Nsga2::tournament() {
    std::size_t const a = rng_.below(points_.size()), b = rng_.below(points_.size());
    return better(fitness_[b], fitness_[a]) ? b : a;
}

CodedPoint Nsga2::child() {
    auto const& one = points_[tournament()];
    auto const& other = points_[tournament()];
    auto const& genome = genomes_.of(one);
    bool const cross = one.genome == other.genome && rng_.below(10) != 0;
    CodedPoint point = cross ? crossed(one, other, genome, rng_) : one;
    if (!cross || rng_.coin_flip()) mutate(point, genome, rng_);
    return point;
}

void Nsga2::tell(CodedPoint point, ObjectiveValues const& objective_values) {
    points_.push_back(std::move(point));
    values_.push_back(objective_values);
    fitness_ = fitness_of(values_, settings_.objectives);
    if (points_.size() > settings_.population) drop_worst();
}

void Nsga2::know(CodedPoint const& point, ObjectiveValues const& objective_values) {
    if (!duplicates_.take(point)) return;
    ++founders_;
    tell(point, objective_values);
}

/// Removes the worst member; among equals, the oldest.
void Nsga2::drop_worst() {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
        if (better(fitness_[worst], fitness_[i])) worst = i;
    }
    auto const at = static_cast<std::ptrdiff_t>(worst);
    points_.erase(points_.begin() + at);
    values_.erase(values_.begin() + at);
    fitness_.erase(fitness_.begin() + at);
}

CodedPoint crossed(CodedPoint const& one, CodedPoint const& other, Genome const& genome, Rng& rng) {
    CodedPoint child = one;
    for (std::size_t i = 0; i < genome.size(); ++i)
        child.values[i] = crossed_gene(one.values[i], other.values[i], genome[i], rng);
    return child;
}

void mutate(CodedPoint& point, Genome const& genome, Rng& rng) {
    auto const varying =
        static_cast<std::uint64_t>(std::ranges::count_if(genome, [](Gene const& gene) { return gene.values > 1; }));
    for (std::size_t i = 0; i < genome.size(); ++i) {
        if (genome[i].values > 1 && rng.below(varying) == 0)
            point.values[i] = mutated_gene(point.values[i], genome[i], rng);
    }
}

}  // namespace pimdse::dse::search
