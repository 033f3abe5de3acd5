#include "dse/search/genome.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pimdse::dse::search {
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
    sim::expects(!genomes_.empty(), "there is at least one genome");
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
    sim::expects(size_ && number < *size_, "the number of a point is below the number of points");
    auto const after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    CodedPoint point{static_cast<std::size_t>(after - firsts_.begin()) - 1, {}};
    auto const& genome = of(point);
    number -= firsts_[point.genome];
    point.values.resize(genome.size());
    for (std::size_t i = genome.size(); i-- > 0; number /= genome[i].values)
        point.values[i] = number % genome[i].values;
    return point;
}

CodedPoint Genomes::random(Rng& rng) const {
    CodedPoint point{rng.below(genomes_.size()), {}};
    for (auto const& gene : of(point)) point.values.push_back(rng.below(gene.values));
    return point;
}

Ordering ordering_of(std::uint64_t rank, std::size_t items) {
    sim::expects(items >= 1 && rank < sim::factorial(items), "the rank of an ordering is below n!");
    Ordering left(items), ordering;
    std::iota(left.begin(), left.end(), std::uint8_t{0});
    for (std::uint64_t block = sim::factorial(items); !left.empty();) {
        block /= left.size();
        auto const chosen = left.begin() + static_cast<std::ptrdiff_t>(rank / block);
        rank %= block;
        ordering.push_back(*chosen);
        left.erase(chosen);
    }
    return ordering;
}

std::uint64_t rank_of(Ordering const& ordering) {
    std::uint64_t rank = 0;
    for (auto at = ordering.begin(); at != ordering.end(); ++at) {
        auto const smaller = std::count_if(at, ordering.end(), [&](auto item) { return item < *at; });
        rank = rank * static_cast<std::uint64_t>(ordering.end() - at) + static_cast<std::uint64_t>(smaller);
    }
    return rank;
}

void insert_elsewhere(Ordering& ordering, std::size_t from, std::size_t to) {
    auto const at = [&](std::size_t place) { return ordering.begin() + static_cast<std::ptrdiff_t>(place); };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
}

Ordering crossed(Ordering const& one, Ordering const& other, Rng& rng) {
    std::size_t first = rng.below(one.size()), last = rng.below(one.size());
    if (first > last) std::swap(first, last);
    auto const stays = [&](std::uint8_t item) {
        auto const place = static_cast<std::size_t>(std::find(one.begin(), one.end(), item) - one.begin());
        return place >= first && place <= last;
    };
    Ordering child = one;
    std::size_t into = 0;
    for (auto const item : other) {
        if (stays(item)) continue;
        if (into == first) into = last + 1;
        child[into++] = item;
    }
    return child;
}

std::optional<CodedPoint> DuplicateFilter::take_random(Rng& rng) {
    constexpr int tries = 64;
    for (int i = 0; i < tries; ++i) {
        auto point = genomes_.random(rng);
        if (take(point)) return point;
    }
    return take_next();
}

std::optional<CodedPoint> DuplicateFilter::take_next() {
    if (!genomes_.size()) return std::nullopt;
    sim::Shuffle const order(*genomes_.size(), seed_);
    while (next_ < *genomes_.size()) {
        std::uint64_t const number = order.at(next_++);
        if (taken_.insert(number).second) return genomes_.at(number);
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::search
