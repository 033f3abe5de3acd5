#include "dse/genetic/genome.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::dse::genetic {
namespace {

std::optional<std::uint64_t> points_of(Genome const& genome) {
    std::uint64_t points = 1;
    for (auto const& gene : genome) {
        if (__builtin_mul_overflow(points, gene.values, &points)) return std::nullopt;
    }
    return points;
}

}  // namespace

Genomes::Genomes(std::vector<Genome> genomes) : genomes_(std::move(genomes)) {
    sim::expects(!genomes_.empty(), "there is a genome");
    for (auto const& genome : genomes_) {
        auto const points = points_of(genome);
        std::uint64_t sum = 0;
        firsts_.push_back(size_.value_or(0));
        if (size_ && points && !__builtin_add_overflow(*size_, *points, &sum))
            size_ = sum;
        else
            size_.reset();
    }
}

std::uint64_t Genomes::hash(CodedPoint const& point) const {
    std::uint64_t bits = point.genome;
    for (auto const value : point.values) bits = sim::mixed_bits(bits ^ sim::mixed_bits(value));
    return bits;
}

std::uint64_t Genomes::key(CodedPoint const& point) const {
    if (!size_) return hash(point);
    auto const& genome = of(point);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < genome.size(); ++i) number = number * genome[i].values + point.values[i];
    return firsts_[point.genome] + number;
}

CodedPoint Genomes::at(std::uint64_t number) const {
    sim::expects(size_ && number < *size_, "there is a point of this number");
    auto const after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    CodedPoint point{static_cast<std::size_t>(after - firsts_.begin()) - 1, {}};
    auto const& genome = of(point);
    number -= firsts_[point.genome];
    point.values.resize(genome.size());
    for (std::size_t i = genome.size(); i-- > 0; number /= genome[i].values)
        point.values[i] = number % genome[i].values;
    return point;
}

CodedPoint Genomes::random(Dice& dice) const {
    CodedPoint point{dice.below(genomes_.size()), {}};
    for (auto const& gene : of(point)) point.values.push_back(dice.below(gene.values));
    return point;
}

}  // namespace pimdse::dse::genetic
