#include "dse/ladder/box.hpp"

#include "sim/base/check.hpp"

namespace pimdse::dse::ladder {

std::uint64_t Box::points() const {
    std::uint64_t points = 1;
    for (auto const& run : axes) points *= run.count;
    return points;
}

std::pair<Box, Box> Box::cut(std::size_t axis) const {
    sim::expects(axes.at(axis).count >= 2, "there is something to cut");
    std::pair<Box, Box> halves{*this, *this};
    std::uint32_t const more = axes[axis].count - axes[axis].count / 2;
    halves.first.axes[axis].count = more;
    halves.second.axes[axis] = {axes[axis].first + more, axes[axis].count - more};
    return halves;
}

}  // namespace pimdse::dse::ladder
