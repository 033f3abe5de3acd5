#pragma once

#include "dse/evaluate/work.hpp"

#include <stop_token>

namespace pimdse::dse::evaluate {

/// Evaluates points, in any order and cut in any way: who listens sees to it that nothing depends on that.
class Pool {
  public:
    virtual ~Pool() = default;
    /// Works until no more will come. When a stop is requested, no point is begun any more; those that are under way
    /// are finished and delivered. Throws what the work throws.
    virtual void evaluate(Work const& work, std::stop_token stop) = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

}  // namespace pimdse::dse::evaluate
