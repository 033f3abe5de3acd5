#pragma once

#include "models/contract/architecture.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The volume of objective space that a set dominates, up to `reference`; exact for 1 to 6 objectives, all minimised.
/// `points` has one vector of reference.size() values after the other. Points that do not improve on the reference in
/// every objective, or hold a NaN, count nothing. The order of points and the presence of dominated ones change at most
/// the last bits.
[[nodiscard]] double hypervolume(std::span<double const> points, std::span<double const> reference);

/// What `point` alone would add to the hypervolume of `points`.
[[nodiscard]] double exclusive_hypervolume(std::span<double const> point, std::span<double const> points,
                                           std::span<double const> reference);

/// A box in objective space that makes vectors comparable: every objective becomes 0 at its best and 1 at its worst.
struct ObjectiveBox {
    std::vector<models::Sense> senses;
    std::vector<double> ideal;      ///< the best value of each objective
    std::vector<double> reference;  ///< the worst value of each objective: the fixed reference point

    /// The smallest box around vectors that are offered one by one; start from an empty one.
    static ObjectiveBox around_nothing(std::vector<models::Sense> senses);
    /// Grows the box; a vector with a value that is not finite is ignored.
    void include(std::span<double const> values);
    /// Into [0, 1] per objective, minimised; an objective without extent becomes 0.
    void normalise(std::span<double const> values, std::span<double> into) const;
};

/// The share of the box that a set dominates, 0 to 1. `points` in the orientation of the objectives, one vector after
/// the other.
[[nodiscard]] double dominated_share(std::span<double const> points, ObjectiveBox const& box);

/// The volume of a set of boxes [0, a] x [0, b] x [0, c] that grows: what four objectives are a stack of, slice by
/// slice (Guerreiro and Fonseca, "Computing and updating hypervolume contributions in up to four dimensions", 2018,
/// keep the slices as here and give the order of the work; the sweeps below are ours). A box costs a time linear in how
/// many are not covered by others.
class SlicedVolume {
  public:
    using Box = std::array<double, 3>;

    /// Adds a box with positive sides; returns how much the volume grew, 0 where another box covers it.
    double add(Box const& box);
    void clear();

  private:
    /// What is left of the new box's base, [a0, a1] x [b0, b1], once what stands higher than it is taken away.
    struct Base {
        double a0 = 0.0, a1 = 0.0, b0 = 0.0, b1 = 0.0;
        [[nodiscard]] bool is_empty() const { return a0 >= a1 || b0 >= b1; }
    };
    [[nodiscard]] Base base_below(Box const& box, std::size_t higher) const;
    void take_steps(Base const& base, std::size_t higher);
    [[nodiscard]] double free_area(Base const& base) const;
    [[nodiscard]] double grow(Base const& base, Box const& box, std::size_t higher);
    double cover(Base const& base, double a, double b);
    void insert(Box const& box, std::size_t higher);

    std::vector<double> a_, b_, c_;  ///< boxes that no other covers, the highest (c) first
    struct Step {
        double a, b;
    };
    std::vector<Step> steps_;  ///< a staircase within the base: a rises, b falls
};

/// The area under a staircase that grows step by step.
class Staircase {
  public:
    /// Adds the rectangle [0, x] x [0, y]; returns how much the area grew.
    double add(double x, double y) {
        auto right = steps_.lower_bound(x);
        double const covered = right == steps_.end() ? 0.0 : right->second;
        if (covered >= y) return 0.0;
        double grown = 0.0;
        double edge = x;          // the right edge of the part not yet counted
        double height = covered;  // what is already covered left of it
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

/// The hypervolume of a set that grows, up to 1 in every objective (all minimised); exact, for 1 to 3 objectives. A
/// vector costs a logarithm of the set's size in two objectives; in three, each volume() is one sweep over what is not
/// dominated.
class GrowingHypervolume {
  public:
    static constexpr std::size_t max_objectives = 3;

    explicit GrowingHypervolume(std::size_t objectives);
    /// Vectors that do not improve on 1 everywhere count nothing.
    void add(std::span<double const> point);
    /// The same as hypervolume() of all vectors so far but for the last bits; the same whatever their order in three
    /// objectives.
    [[nodiscard]] double volume();

  private:
    /// Distances to the reference, the last objective first; what is not used is 1.
    using Extent = std::array<double, max_objectives>;
    void sweep();

    std::size_t objectives_;
    Staircase staircase_;
    std::vector<Extent> swept_;    ///< what counts in three objectives, furthest in the last one first
    std::vector<Extent> waiting_;  ///< came after the last sweep
    double volume_ = 0.0;
};

}  // namespace pimdse::dse::search
