#include "dse/search/hypervolume.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace pimdse::dse::search {
namespace {

constexpr std::size_t max_objectives = 6;
/// Distances to the reference point, all positive; larger is better.
using Extent = std::array<double, max_objectives>;
using Extents = std::vector<Extent>;

double box(Extent const& point, std::size_t dimensions) {
    double volume = 1.0;
    for (std::size_t i = 0; i < dimensions; ++i) volume *= point[i];
    return volume;
}

bool dominates(Extent const& a, Extent const& b, std::size_t dimensions) {
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (a[i] < b[i]) return false;
    }
    return true;
}

/// Removes dominated vectors. In descending lexicographic order only an earlier vector can dominate a later one.
void drop_dominated(Extents& points, std::size_t dimensions) {
    std::sort(points.begin(), points.end(), [&](Extent const& a, Extent const& b) {
        return std::lexicographical_compare(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(dimensions), a.begin(),
                                            a.begin() + static_cast<std::ptrdiff_t>(dimensions));
    });
    Extents kept;
    for (auto const& point : points) {
        if (std::none_of(kept.begin(), kept.end(), [&](Extent const& k) { return dominates(k, point, dimensions); }))
            kept.push_back(point);
    }
    points = std::move(kept);
}

double volume(Extents points, std::size_t dimensions);

/// The volume that `point` adds to others: the volume of its box minus the part that lies in those of others.
double exclusive(Extent const& point, std::span<Extent const> others, std::size_t dimensions) {
    Extents within;
    within.reserve(others.size());
    for (auto const& other : others) {
        Extent cut{};
        for (std::size_t i = 0; i < dimensions; ++i) cut[i] = std::min(point[i], other[i]);
        within.push_back(cut);
    }
    if (dimensions > 4) drop_dominated(within, dimensions);
    return box(point, dimensions) - volume(std::move(within), dimensions);
}

void sort_by(Extents& points, std::size_t dimension) {
    std::sort(points.begin(), points.end(), [&](Extent const& a, Extent const& b) {
        return a[dimension] != b[dimension] ? a[dimension] > b[dimension] : a > b;
    });
}

/// The volume that points add to others in four dimensions. Most of the volume that other points share with a point
/// lies within a few boxes: the largest box is taken and all boxes that it contains are dropped, repeatedly, and only
/// the union of the boxes taken is computed.
class ExclusiveOfFour {
  public:
    double operator()(Extent const& point, Extents const& others) {
        cut(point, others);
        take_largest();
        std::ranges::sort(taken_, std::greater<>(), [](Cut const& c) { return c.sides[3]; });
        slice_.clear();
        double shared = 0.0;
        for (auto const& [sides, _] : taken_) shared += sides[3] * slice_.add({sides[0], sides[1], sides[2]});
        return box(point, 4) - shared;
    }

  private:
    struct Cut {
        std::array<double, 4> sides;
        double volume;

        [[nodiscard]] bool contains(Cut const& other) const {
            return static_cast<bool>(int{sides[0] >= other.sides[0]} & int{sides[1] >= other.sides[1]} &
                                     int{sides[2] >= other.sides[2]} & int{sides[3] >= other.sides[3]});
        }
    };
    void cut(Extent const& point, Extents const& others) {
        cuts_.clear();
        for (auto const& other : others) {
            auto& cut = cuts_.emplace_back();
            for (std::size_t i = 0; i < 4; ++i) cut.sides[i] = std::min(point[i], other[i]);
            cut.volume = cut.sides[0] * cut.sides[1] * cut.sides[2] * cut.sides[3];
        }
    }
    /// Branch-free, because whether one box contains another is unpredictable.
    void take_largest() {
        taken_.clear();
        while (!cuts_.empty()) {
            auto const biggest = *std::ranges::max_element(cuts_, {}, &Cut::volume);
            taken_.push_back(biggest);
            std::size_t left = 0;
            for (auto const& cut : cuts_) {
                bool const stays = !biggest.contains(cut);
                cuts_[left] = cut;
                left += stays ? 1 : 0;
            }
            cuts_.resize(left);
        }
    }

    std::vector<Cut> cuts_, taken_;
    SlicedVolume slice_;
};

/// Slices along the fifth dimension, in descending order.
double volume_of_five(Extents const& points) {
    Extents others;
    others.reserve(points.size());
    ExclusiveOfFour exclusive_of_four;
    double sum = 0.0;
    for (auto const& point : points) {
        sum += point[4] * exclusive_of_four(point, others);
        std::erase_if(others, [&](Extent const& other) { return dominates(point, other, 4); });
        others.push_back(point);
    }
    return sum;
}

/// Slices along the last dimension: over its whole extent in that dimension, a point shares space exactly with the
/// points that reach further, so it adds its extent times what it adds to these points in the other dimensions (While,
/// Bradstreet and Barone, "A fast way of calculating exact hypervolumes", 2012). In three dimensions the others form a
/// staircase, in four a set of boxes.
double volume(Extents points, std::size_t dimensions) {
    if (points.empty()) return 0.0;
    sort_by(points, dimensions - 1);
    if (dimensions == 1) return points.front()[0];
    double sum = 0.0;
    if (dimensions <= 3) {
        Staircase staircase;
        for (auto const& p : points) {
            sum += dimensions == 2 ? staircase.add(p[0], p[1]) : p[2] * staircase.add(p[0], p[1]);
        }
        return sum;
    }
    if (dimensions == 4) {
        SlicedVolume slice;
        for (auto const& p : points) sum += p[3] * slice.add({p[0], p[1], p[2]});
        return sum;
    }
    if (dimensions == 5) return volume_of_five(points);
    for (std::size_t k = 0; k < points.size(); ++k) {
        sum += points[k][dimensions - 1] * exclusive(points[k], std::span(points).first(k), dimensions - 1);
    }
    return sum;
}

/// False if the point does not improve on the reference in every objective.
bool extent_of(std::span<double const> point, std::span<double const> reference, Extent& into) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
        into[i] = reference[i] - point[i];
        if (!(into[i] > 0.0)) return false;
    }
    return true;
}

Extents extents_of(std::span<double const> points, std::span<double const> reference) {
    sim::expects(!reference.empty() && reference.size() <= max_objectives, "a reference point has 1 to 6 objectives");
    sim::expects(points.size() % reference.size() == 0, "every vector is complete");
    Extents extents;
    for (std::size_t at = 0; at < points.size(); at += reference.size()) {
        Extent extent{};
        if (extent_of(points.subspan(at, reference.size()), reference, extent)) extents.push_back(extent);
    }
    return extents;
}

}  // namespace

double hypervolume(std::span<double const> points, std::span<double const> reference) {
    return volume(extents_of(points, reference), reference.size());
}

double exclusive_hypervolume(std::span<double const> point, std::span<double const> points,
                             std::span<double const> reference) {
    sim::expects(point.size() == reference.size(), "one value per objective");
    Extent extent{};
    if (!extent_of(point, reference, extent)) return 0.0;
    return exclusive(extent, extents_of(points, reference), reference.size());
}

ObjectiveBox ObjectiveBox::around_nothing(std::vector<models::Sense> senses) {
    ObjectiveBox box{std::move(senses), {}, {}};
    for (auto const sense : box.senses) {
        double const worst = sense == models::Sense::maximize ? -INFINITY : INFINITY;
        box.ideal.push_back(worst);
        box.reference.push_back(-worst);
    }
    return box;
}

void ObjectiveBox::include(std::span<double const> values) {
    sim::expects(values.size() == senses.size(), "one value per objective");
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool const up = senses[i] == models::Sense::maximize;
        ideal[i] = up ? std::max(ideal[i], values[i]) : std::min(ideal[i], values[i]);
        reference[i] = up ? std::min(reference[i], values[i]) : std::max(reference[i], values[i]);
    }
}

void ObjectiveBox::normalise(std::span<double const> values, std::span<double> into) const {
    for (std::size_t i = 0; i < senses.size(); ++i) {
        double const extent = reference[i] - ideal[i];
        into[i] = extent != 0.0 ? (values[i] - ideal[i]) / extent : 0.0;
    }
}

double dominated_share(std::span<double const> points, ObjectiveBox const& box) {
    std::size_t const dimensions = box.senses.size();
    std::vector<double> normal(points.size());
    for (std::size_t at = 0; at < points.size(); at += dimensions) {
        box.normalise(points.subspan(at, dimensions), std::span(normal).subspan(at, dimensions));
    }
    return hypervolume(normal, std::vector<double>(dimensions, 1.0));
}

void SlicedVolume::clear() {
    a_.clear();
    b_.clear();
    c_.clear();
}

double SlicedVolume::add(Box const& box) {
    auto const higher = static_cast<std::size_t>(std::upper_bound(c_.begin(), c_.end(), box[2], std::greater<>()) -
                                                 c_.begin());  // the first box that is lower
    auto const base = base_below(box, higher);
    if (base.is_empty()) return 0.0;
    take_steps(base, higher);
    double const grown = grow(base, box, higher);
    if (grown > 0.0) insert(box, higher);
    return grown;
}

/// Higher boxes that span one whole side of the base take a strip along the other side: two maxima over the higher
/// boxes.
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

/// Collects the corners of higher boxes that lie within the base.
void SlicedVolume::take_steps(Base const& base, std::size_t higher) {
    steps_.clear();
    for (std::size_t i = 0; i < higher; ++i) {
        if (a_[i] > base.a0 && b_[i] > base.b0) occupy(base, a_[i], b_[i]);
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

/// Adds a step to the staircase; returns the part of the base that it newly occupies.
double SlicedVolume::occupy(Base const& base, double a, double b) {
    a = std::min(a, base.a1);
    b = std::min(b, base.b1);
    auto const at = std::partition_point(steps_.begin(), steps_.end(), [&](Step const& s) { return s.a < a; });
    double height = at == steps_.end() ? base.b0 : at->b;
    if (height >= b) return 0.0;
    double occupied = 0.0, edge = a;
    auto first = at;
    while (first != steps_.begin() && height < b) {
        auto const left = first - 1;
        occupied += (edge - left->a) * (b - height);
        edge = left->a;
        height = left->b;
        if (height >= b) break;
        first = left;
    }
    if (first == steps_.begin() && height < b) occupied += (edge - base.a0) * (b - height);
    auto const last = at != steps_.end() && at->a == a ? at + 1 : at;
    if (first == last) {
        steps_.insert(first, {a, b});
    } else {
        *first = {a, b};
        steps_.erase(first + 1, last);
    }
    return occupied;
}

/// Sweeps down from the top of the box: the free base shrinks with every lower box that reaches into it.
double SlicedVolume::grow(Base const& base, Box const& box, std::size_t higher) {
    double free = free_area(base), top = box[2], grown = 0.0;
    for (std::size_t i = higher; i < c_.size() && free > 0.0; ++i) {
        if (a_[i] <= base.a0 || b_[i] <= base.b0) continue;
        double const occupied = occupy(base, a_[i], b_[i]);
        if (occupied == 0.0) continue;
        grown += free * (top - c_[i]);
        top = c_[i];
        free -= occupied;
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

GrowingHypervolume::GrowingHypervolume(std::size_t objectives) : objectives_(objectives) {
    sim::expects(objectives >= 1 && objectives <= max_objectives, "a growing hypervolume has 1 to 3 objectives");
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

/// Adds a slab per vector, starting with the furthest one in the last objective. A vector that adds nothing to the
/// staircase of earlier ones is dominated and can be dropped for good.
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

}  // namespace pimdse::dse::search
