#include "dse/front/growing_hypervolume.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <functional>

namespace pimdse::dse::front {

GrowingHypervolume::GrowingHypervolume(std::size_t objectives) : objectives_(objectives) {
    sim::expects(objectives >= 1 && objectives <= most_objectives, "a growing hypervolume has 1 to 3 objectives");
}

void GrowingHypervolume::add(std::span<double const> point) {
    sim::expects(point.size() == objectives_, "one value per objective");
    Extent extent{1.0, 1.0, 1.0};
    for (std::size_t i = 0; i < objectives_; ++i) {
        double const distance = 1.0 - point[i];
        if (!(distance > 0.0)) return;
        extent[objectives_ - 1 - i] = distance;
    }
    if (objectives_ == 3)
        waiting_.push_back(extent);
    else
        volume_ += staircase_.add(extent[0], extent[1]);
}

double GrowingHypervolume::volume() {
    if (!waiting_.empty()) sweep();
    return volume_;
}

/// A slab per vector, from the furthest in the last objective on. One that adds nothing to the staircase of those
/// before it is dominated and never counts again.
void GrowingHypervolume::sweep() {
    auto const middle = static_cast<std::ptrdiff_t>(swept_.size());
    std::sort(waiting_.begin(), waiting_.end(), std::greater<>());
    swept_.insert(swept_.end(), waiting_.begin(), waiting_.end());
    std::inplace_merge(swept_.begin(), swept_.begin() + middle, swept_.end(), std::greater<>());
    waiting_.clear();
    Staircase floor;
    volume_ = 0.0;
    std::erase_if(swept_, [&](Extent const& extent) {
        double const area = floor.add(extent[2], extent[1]);
        volume_ += extent[0] * area;
        return area == 0.0;
    });
}

}  // namespace pimdse::dse::front
