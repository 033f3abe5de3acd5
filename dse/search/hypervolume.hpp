#pragma once

#include "models/contract/metric.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The volume of objective space that a set dominates, up to `reference`; exact for 1 to 6 objectives, all minimised.
/// `points` contains vectors of reference.size() values one after the other. Points that do not improve on the
/// reference in every objective, or contain a NaN, add nothing. The order of points and the presence of dominated ones
/// change at most the last bits.
[[nodiscard]] double hypervolume(std::span<double const> points, std::span<double const> reference);

/// The volume that `point` alone would add to the hypervolume of `points`.
[[nodiscard]] double exclusive_hypervolume(std::span<double const> point, std::span<double const> points,
                                           std::span<double const> reference);

/// A box in objective space that normalises vectors: every objective becomes 0 at its best value and 1 at its worst.
struct ObjectiveBox {
    std::vector<models::Sense> senses;
    std::vector<double> ideal;      ///< the best value of each objective
    std::vector<double> reference;  ///< the worst value of each objective: the fixed reference point

    /// An empty box, to be grown by include() to the smallest box around vectors.
    static ObjectiveBox around_nothing(std::vector<models::Sense> senses);
    /// Grows the box to include a vector; ignores a vector with a non-finite value.
    void include(std::span<double const> values);
    /// Maps values to [0, 1] per objective, minimised; an objective without extent becomes 0.
    void normalise(std::span<double const> values, std::span<double> into) const;
};

/// The share of the box that a set dominates, 0 to 1. `points` contains vectors in the orientation of the objectives,
/// one after the other.
[[nodiscard]] double dominated_share(std::span<double const> points, ObjectiveBox const& box);

/// The volume of a growing set of boxes [0, a] x [0, b] x [0, c], from which the hypervolume of four objectives is
/// computed slice by slice (Guerreiro and Fonseca, "Computing and updating hypervolume contributions in up to four
/// dimensions", 2018, keep the slices in the same way and give the complexity; the sweeps below are our own). Adding a
/// box takes time linear in the number of boxes that no other box contains.
class SlicedVolume {
  public:
    using Box = std::array<double, 3>;

    /// Adds a box with positive sides; returns by how much the volume grew (0 if another box contains it).
    double add(Box const& box);
    void clear();

  private:
    /// The part of the new box's base that is left, [a0, a1] x [b0, b1], without what higher boxes occupy.
    struct Base {
        double a0 = 0.0, a1 = 0.0, b0 = 0.0, b1 = 0.0;
        [[nodiscard]] bool is_empty() const { return a0 >= a1 || b0 >= b1; }
    };
    [[nodiscard]] Base base_below(Box const& box, std::size_t higher) const;
    void take_steps(Base const& base, std::size_t higher);
    [[nodiscard]] double free_area(Base const& base) const;
    [[nodiscard]] double grow(Base const& base, Box const& box, std::size_t higher);
    double occupy(Base const& base, double a, double b);
    void insert(Box const& box, std::size_t higher);

    std::vector<double> a_, b_, c_;  ///< boxes that no other box contains, sorted by descending height c
    struct Step {
        double a, b;
    };
    std::vector<Step> steps_;  ///< a staircase within the base: a rises, b falls
};

/// The area under a growing staircase.
class Staircase {
  public:
    /// Adds the rectangle [0, x] x [0, y]; returns how much the area grew.
    double add(double x, double y) {
        auto right = steps_.lower_bound(x);
        double const occupied = right == steps_.end() ? 0.0 : right->second;
        if (occupied >= y) return 0.0;
        double grown = 0.0;
        double edge = x;           // the right edge of the part not yet counted
        double height = occupied;  // what is already occupied left of it
        auto step = right;
        if (step != steps_.end() && step->first == x) step = steps_.erase(step);
        while (step != steps_.begin()) {
            auto const left = std::prev(step);
            grown += (edge - left->first) * (y - height);
            edge = left->first;
            height = left->second;
            if (height >= y) break;
            step = steps_.erase(left);
        }
        if (step == steps_.begin()) grown += edge * (y - height);
        steps_.emplace_hint(step, x, y);
        return grown;
    }

  private:
    std::map<double, double> steps_;  ///< x -> y, y falls as x grows
};

/// The hypervolume of a growing set, up to 1 in every objective (all minimised); exact, for 1 to 3 objectives. Adding a
/// vector takes logarithmic time with two objectives; with three, each volume() is one sweep over the non-dominated
/// vectors.
class GrowingHypervolume {
  public:
    static constexpr std::size_t max_objectives = 3;

    explicit GrowingHypervolume(std::size_t objectives);
    /// Adds a vector. Vectors that do not improve on 1 in every objective add nothing.
    void add(std::span<double const> point);
    /// Equal to hypervolume() of all vectors so far except for the last bits; with three objectives independent of
    /// their order.
    [[nodiscard]] double volume();

  private:
    /// Distances to the reference, the last objective first; unused ones are 1.
    using Extent = std::array<double, max_objectives>;
    void sweep();

    std::size_t objectives_;
    Staircase staircase_;
    std::vector<Extent> swept_;    ///< the non-dominated vectors with three objectives, furthest in the last one first
    std::vector<Extent> waiting_;  ///< added after the last sweep
    double volume_ = 0.0;
};

}  // namespace pimdse::dse::search
