#include "dse/space/axis.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::dse::space {

Axis Axis::permutations(std::size_t items) {
    sim::expects(items >= 1 && items <= 20, "between 1 and 20 items are permuted");
    return {{}, sim::factorial(items)};
}

std::uint64_t Axis::find(models::Value const& value) const {
    if (orderings_ != 0) {
        return value.kind() == models::Kind::permutation && value.as_permutation() < orderings_ ? value.as_permutation()
                                                                                                : orderings_;
    }
    return static_cast<std::uint64_t>(std::find(values_.begin(), values_.end(), value) - values_.begin());
}

std::optional<std::uint64_t> points_of(std::span<Axis const> axes) {
    std::uint64_t points = 1;
    for (auto const& axis : axes) {
        if (__builtin_mul_overflow(points, axis.size(), &points)) return std::nullopt;
    }
    return points;
}

}  // namespace pimdse::dse::space
