#include "dse/front/hypervolume.hpp"

#include "dse/front/sliced_volume.hpp"
#include "dse/front/staircase.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace pimdse::dse::front {
namespace {

constexpr std::size_t most_objectives = 6;
/// Distances to the reference, all positive: the bigger the better.
using Extent = std::array<double, most_objectives>;
using Extents = std::vector<Extent>;

double box(Extent const& point, std::size_t dimensions) {
    double volume = 1.0;
    for (std::size_t i = 0; i < dimensions; ++i) volume *= point[i];
    return volume;
}

bool covers(Extent const& a, Extent const& b, std::size_t dimensions) {
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (a[i] < b[i]) return false;
    }
    return true;
}

/// Leaves out what another vector covers. In descending lexicographic order only an earlier one can cover a later one.
void drop_covered(Extents& points, std::size_t dimensions) {
    std::sort(points.begin(), points.end(), [&](Extent const& a, Extent const& b) {
        return std::lexicographical_compare(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(dimensions), a.begin(),
                                            a.begin() + static_cast<std::ptrdiff_t>(dimensions));
    });
    Extents kept;
    for (auto const& point : points) {
        if (std::none_of(kept.begin(), kept.end(), [&](Extent const& k) { return covers(k, point, dimensions); }))
            kept.push_back(point);
    }
    points = std::move(kept);
}

double volume(Extents points, std::size_t dimensions);

/// What `point` adds to the volume of others: its box less what they cover of it.
double exclusive(Extent const& point, std::span<Extent const> others, std::size_t dimensions) {
    Extents within;
    within.reserve(others.size());
    for (auto const& other : others) {
        Extent cut{};
        for (std::size_t i = 0; i < dimensions; ++i) cut[i] = std::min(point[i], other[i]);
        within.push_back(cut);
    }
    if (dimensions > 4) drop_covered(within, dimensions);
    return box(point, dimensions) - volume(std::move(within), dimensions);
}

void sort_by(Extents& points, std::size_t dimension) {
    std::sort(points.begin(), points.end(), [&](Extent const& a, Extent const& b) {
        return a[dimension] != b[dimension] ? a[dimension] > b[dimension] : a > b;
    });
}

/// What points add to the volume of others in four dimensions. Nearly all that others cover of a point lies within some
/// few boxes: the biggest is taken and all that it covers dropped, again and again, and only those taken are put
/// together.
class ExclusiveOfFour {
  public:
    double operator()(Extent const& point, Extents const& others) {
        cut(point, others);
        take_uncovered();
        std::ranges::sort(taken_, std::greater<>(), [](Cut const& c) { return c.sides[3]; });
        slice_.clear();
        double covered = 0.0;
        for (auto const& [sides, _] : taken_) covered += sides[3] * slice_.add({sides[0], sides[1], sides[2]});
        return box(point, 4) - covered;
    }

  private:
    struct Cut {
        std::array<double, 4> sides;
        double volume;

        [[nodiscard]] bool covers(Cut const& other) const {
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
    /// Without branches: whether a box is covered cannot be foreseen.
    void take_uncovered() {
        taken_.clear();
        while (!cuts_.empty()) {
            auto const biggest = *std::ranges::max_element(cuts_, {}, &Cut::volume);
            taken_.push_back(biggest);
            std::size_t left = 0;
            for (auto const& cut : cuts_) {
                bool const stays = !biggest.covers(cut);
                cuts_[left] = cut;
                left += stays ? 1 : 0;
            }
            cuts_.resize(left);
        }
    }

    std::vector<Cut> cuts_, taken_;
    SlicedVolume slice_;
};

/// Slices along the fifth dimension, in its descending order.
double volume_of_five(Extents const& points) {
    Extents others;
    others.reserve(points.size());
    ExclusiveOfFour exclusive_of_four;
    double sum = 0.0;
    for (auto const& point : points) {
        sum += point[4] * exclusive_of_four(point, others);
        std::erase_if(others, [&](Extent const& other) { return covers(point, other, 4); });
        others.push_back(point);
    }
    return sum;
}

/// Slices along the last dimension: a point meets, over its whole extent there, exactly the points that reach further,
/// so it adds its extent times what it adds to them in the other dimensions (While, Bradstreet and Barone, "A fast way
/// of calculating exact hypervolumes", 2012). In three dimensions the others are a staircase, in four a set of boxes.
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

/// False if the point does not improve on the reference everywhere.
bool extent_of(std::span<double const> point, std::span<double const> reference, Extent& into) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
        into[i] = reference[i] - point[i];
        if (!(into[i] > 0.0)) return false;
    }
    return true;
}

Extents extents_of(std::span<double const> points, std::span<double const> reference) {
    sim::expects(!reference.empty() && reference.size() <= most_objectives, "a reference point has 1 to 6 objectives");
    sim::expects(points.size() % reference.size() == 0, "whole vectors");
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

}  // namespace pimdse::dse::front
