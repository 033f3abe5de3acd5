#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::front {

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

}  // namespace pimdse::dse::front
