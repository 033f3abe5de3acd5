#pragma once

#include <iterator>
#include <map>

namespace pimdse::dse::front {

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

}  // namespace pimdse::dse::front
