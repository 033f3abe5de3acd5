#include "dse/front/sliced_volume.hpp"

#include <algorithm>
#include <functional>

namespace pimdse::dse::front {

void SlicedVolume::clear() {
    a_.clear();
    b_.clear();
    c_.clear();
}

double SlicedVolume::add(Box const& box) {
    auto const higher = static_cast<std::size_t>(std::upper_bound(c_.begin(), c_.end(), box[2], std::greater<>()) -
                                                 c_.begin());  // the first that is lower
    auto const base = base_below(box, higher);
    if (base.is_empty()) return 0.0;
    take_steps(base, higher);
    double const grown = grow(base, box, higher);
    if (grown > 0.0) insert(box, higher);
    return grown;
}

/// What reaches over the whole of one side takes a strip along the other: two maxima over the higher boxes.
SlicedVolume::Base SlicedVolume::base_below(Box const& box, std::size_t higher) const {
    double a0 = 0.0, b0 = 0.0;
    for (std::size_t i = 0; i < higher; ++i) {
        double const strip_a = b_[i] >= box[1] ? a_[i] : 0.0;
        double const strip_b = a_[i] >= box[0] ? b_[i] : 0.0;
        a0 = a0 > strip_a ? a0 : strip_a;
        b0 = b0 > strip_b ? b0 : strip_b;
    }
    return {a0, box[0], b0, box[1]};
}

/// The corners of higher boxes that lie within the base.
void SlicedVolume::take_steps(Base const& base, std::size_t higher) {
    steps_.clear();
    for (std::size_t i = 0; i < higher; ++i) {
        if (a_[i] > base.a0 && b_[i] > base.b0) cover(base, a_[i], b_[i]);
    }
}

double SlicedVolume::free_area(Base const& base) const {
    double free = 0.0, left = base.a0;
    for (auto const& step : steps_) {
        free += (step.a - left) * (base.b1 - step.b);
        left = step.a;
    }
    return free + (base.a1 - left) * (base.b1 - base.b0);
}

/// Adds a corner to the staircase; returns how much of the base it covers that was free.
double SlicedVolume::cover(Base const& base, double a, double b) {
    a = std::min(a, base.a1);
    b = std::min(b, base.b1);
    auto const at = std::partition_point(steps_.begin(), steps_.end(), [&](Step const& s) { return s.a < a; });
    double height = at == steps_.end() ? base.b0 : at->b;
    if (height >= b) return 0.0;
    double covered = 0.0, edge = a;
    auto first = at;
    while (first != steps_.begin() && height < b) {
        auto const left = first - 1;
        covered += (edge - left->a) * (b - height);
        edge = left->a;
        height = left->b;
        if (height >= b) break;
        first = left;
    }
    if (first == steps_.begin() && height < b) covered += (edge - base.a0) * (b - height);
    auto const last = at != steps_.end() && at->a == a ? at + 1 : at;
    if (first == last) {
        steps_.insert(first, {a, b});
    } else {
        *first = {a, b};
        steps_.erase(first + 1, last);
    }
    return covered;
}

/// Sweeps down from the top of the box: the free base shrinks with every lower box that reaches into it.
double SlicedVolume::grow(Base const& base, Box const& box, std::size_t higher) {
    double free = free_area(base), top = box[2], grown = 0.0;
    for (std::size_t i = higher; i < c_.size() && free > 0.0; ++i) {
        if (a_[i] <= base.a0 || b_[i] <= base.b0) continue;
        double const covered = cover(base, a_[i], b_[i]);
        if (covered == 0.0) continue;
        grown += free * (top - c_[i]);
        top = c_[i];
        free -= covered;
        if (a_[i] >= base.a1 && b_[i] >= base.b1) free = 0.0;
    }
    return grown + std::max(free, 0.0) * top;
}

void SlicedVolume::insert(Box const& box, std::size_t higher) {
    std::size_t kept = higher;
    for (std::size_t i = higher; i < c_.size(); ++i) {
        if (a_[i] <= box[0] && b_[i] <= box[1]) continue;
        a_[kept] = a_[i];
        b_[kept] = b_[i];
        c_[kept] = c_[i];
        ++kept;
    }
    for (auto* const side : {&a_, &b_, &c_}) side->resize(kept);
    auto const place = static_cast<std::ptrdiff_t>(higher);
    a_.insert(a_.begin() + place, box[0]);
    b_.insert(b_.begin() + place, box[1]);
    c_.insert(c_.begin() + place, box[2]);
}

}  // namespace pimdse::dse::front
