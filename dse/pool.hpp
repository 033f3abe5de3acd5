#pragma once

#include "dse/answer.hpp"
#include "dse/strategy/strategy.hpp"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>

namespace pimdse::dse {

class Space;

/// Receives answers in task order; a call holds one or more of them. Called from one thread at a time.
using ResultSink = std::function<void(std::span<Answer const>)>;

/// Evaluates points. However work is spread, the sink sees the answers of a batch in the order of its tasks.
class Pool {
  public:
    virtual ~Pool() = default;
    /// Evaluates the batch. When a stop is requested, finishes what is running, delivers the longest finished prefix and
    /// returns. Throws what the sink throws.
    virtual void evaluate(Batch const& batch, ResultSink const& sink, std::stop_token stop) = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

/// All cores of one process, by TBB.
[[nodiscard]] std::unique_ptr<Pool> make_thread_pool(Space const& space, int threads);

}  // namespace pimdse::dse
