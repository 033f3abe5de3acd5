#include "dse/strategy/box_tally.hpp"

#include "sim/base/random.hpp"

#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return (a + b) % prime; }
std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return (a + (prime - b)) % prime; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}

/// Numbers that look random, one after the other.
class Weights {
  public:
    std::uint64_t next() { return sim::mixed_bits(sim::golden_step * ++count_) % prime; }

  private:
    std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t BoxTally::Weighed::whole() const {
    std::uint64_t all = factor;
    for (auto const& axis : before) all = times(all, axis.back());
    return all;
}

BoxTally::BoxTally(std::span<task::Certificate::Grid const> grids) {
    Weights weights;
    for (auto const& grid : grids) {
        Weighed weighed{grid.first, 1, weights.next(), {}};
        for (auto const size : grid.sizes) {
            std::vector<std::uint64_t> before{0};
            for (std::uint64_t i = 0; i < size; ++i) before.push_back(plus(before.back(), weights.next()));
            weighed.before.push_back(std::move(before));
            weighed.points *= size;
        }
        whole_ = plus(whole_, weighed.whole());
        grids_.push_back(std::move(weighed));
    }
}

std::optional<std::uint64_t> BoxTally::weight_of(task::PointId first, std::span<std::uint32_t const> counts) const {
    auto const id = index_of(first);
    auto const behind = std::ranges::upper_bound(grids_, id, {}, &Weighed::first);
    if (behind == grids_.begin()) return std::nullopt;
    auto const& grid = *(behind - 1);
    if (id - grid.first >= grid.points) return std::nullopt;
    std::uint64_t weight = grid.factor, rest = id - grid.first;
    for (std::size_t a = grid.before.size(); a-- > 0;) {
        auto const& before = grid.before[a];
        std::uint64_t const size = before.size() - 1, position = rest % size;
        std::uint64_t const count = counts.empty() ? 1 : counts[a];
        if (position + count > size) return std::nullopt;
        weight = times(weight, minus(before[position + count], before[position]));
        rest /= size;
    }
    return weight;
}

void BoxTally::add(std::span<task::PointId const> firsts, std::span<std::uint32_t const> extents) {
    std::size_t const axes = extents.empty() ? 0 : extents.size() / firsts.size();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        auto const weight = weight_of(firsts[i], extents.subspan(i * axes, axes));
        beyond_ = beyond_ || !weight;
        sum_ = plus(sum_, weight.value_or(0));
    }
}

}  // namespace pimdse::dse::strategy
