#pragma once

#include "sim/base/bounded.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <cstdint>

namespace pimdse::models::cim_mesh {

/// Costs that are simulated at some contexts only, and linear in between: from 1 to `last`, from where on they no
/// longer change, in `spaces` equal steps; all of them, if they are not more.
class SpacedContexts {
  public:
    SpacedContexts(std::int64_t last, std::int64_t spaces)
        : last_(last), step_(std::max<std::int64_t>(1, sim::divide_up(last, spaces))) {}

    /// `simulated(context)`: a pure function, the same in every call; `bounds`: those of the closed form, which the
    /// result does not leave.
    template <class Simulated>
    [[nodiscard]] double at(std::int64_t context, Simulated const& simulated, sim::Bounded const& bounds) const {
        std::int64_t const here = std::min(context, last_), from = 1 + (here - 1) / step_ * step_,
                           to = std::min(from + step_, last_);
        double const before = node(from, simulated);
        if (here == from) return before;
        double const share = static_cast<double>(here - from) / static_cast<double>(to - from);
        return std::clamp(before + share * (node(to, simulated) - before), bounds.lower, bounds.upper);
    }

  private:
    template <class Simulated>
    [[nodiscard]] double node(std::int64_t context, Simulated const& simulated) const {
        return nodes_.get(
            context, [](std::int64_t at, Simulated const& cost) { return cost(at).value; }, simulated);
    }

    std::int64_t last_, step_;
    sim::Memo<std::int64_t, double> nodes_;
};

}  // namespace pimdse::models::cim_mesh
