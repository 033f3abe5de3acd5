#pragma once

#include "sim/dram/timing/command.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace pimdse::sim::dram {

/// Told of every completion; only a limited window needs to know.
class CompletionSink {
  public:
    virtual void completes(Tick tick) = 0;

  protected:
    ~CompletionSink() = default;
};

/// Times of completions not yet seen by the front end, earliest first.
class Completions final : public CompletionSink {
  public:
    void completes(Tick tick) override { pending_.push(tick); }
    [[nodiscard]] Tick next() const { return pending_.empty() ? never : pending_.top(); }
    /// How many there are up to this tick; forgets them.
    std::uint64_t take(Tick until) {
        std::uint64_t count = 0;
        for (; next() <= until; ++count) pending_.pop();
        return count;
    }

  private:
    std::priority_queue<Tick, std::vector<Tick>, std::greater<>> pending_;
};

}  // namespace pimdse::sim::dram
