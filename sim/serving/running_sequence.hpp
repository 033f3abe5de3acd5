#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::sim::serving {

/// A request that was admitted.
struct RunningSequence {
    std::size_t request = 0;
    std::int64_t prompt = 0;     ///< positions to compute before it yields a token
    std::int64_t computed = 0;   ///< positions in the cache
    std::int64_t remaining = 0;  ///< tokens to generate
    std::int64_t blocks = 0;
    std::int64_t tokens = 0;                    ///< positions that the current step computes
    bool yields = false;                        ///< whether the current step yields tokens
    std::uint32_t path = ServiceRequest::none;  ///< that it uses in the cache of prefixes
    std::uint32_t step = 0;                     ///< where it is there
    std::int64_t shared = 0;                    ///< of its blocks, those that belong to that cache
    double ready = 0.0;                         ///< s: when all that it did not compute has arrived

    [[nodiscard]] bool decodes() const { return computed >= prompt; }
};

/// How many blocks a stretch of steps takes, step by step. Where contexts grow by one, a sequence takes one every
/// `block_tokens` steps.
class BlockNeeds {
  public:
    /// Of the sequences that the step computes.
    void begin(std::vector<RunningSequence> const& running, SchedulerSettings const& settings) {
        settings_ = &settings;
        steady_ = settings.tokens_per_step == 1 && settings.windows.empty();
        computed_.clear();
        for (auto const& sequence : running)
            if (sequence.tokens > 0) computed_.push_back(sequence.computed);
        if (!steady_) return;
        at_.assign(static_cast<std::size_t>(settings.block_tokens), 0);
        for (auto const computed : computed_) ++at_[static_cast<std::size_t>(computed % settings.block_tokens)];
    }
    /// Blocks that step `step` takes; 0 is the step whose blocks the plan took.
    [[nodiscard]] std::int64_t of(std::int64_t step) const {
        auto const size = settings_->block_tokens, growth = settings_->tokens_per_step;
        if (steady_) return settings_->position_blocks * at_[static_cast<std::size_t>((size - step % size) % size)];
        std::int64_t blocks = 0;
        for (auto const computed : computed_) {
            auto const before = computed + step * growth;
            blocks += blocks_for(*settings_, before + growth) - blocks_for(*settings_, before);
        }
        return blocks;
    }

  private:
    SchedulerSettings const* settings_ = nullptr;
    bool steady_ = true;                  ///< contexts grow by one, and all of their positions are kept
    std::vector<std::int64_t> computed_;  ///< positions in the cache, by sequence
    std::vector<std::int64_t> at_;        ///< if steady: number of sequences by positions in the last block
};

}  // namespace pimdse::sim::serving
