#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pimdse::sim::serving {

/// Positions of a prompt that a step computes for one sequence.
struct PromptChunk {
    std::int64_t tokens = 0;  ///< new positions
    std::int64_t cached = 0;  ///< positions before them, whose keys and values are cached

    friend bool operator==(PromptChunk const&, PromptChunk const&) = default;
};

/// What an engine computes in one step, for all of its sequences together.
struct StepWork {
    std::vector<PromptChunk> chunks;     ///< of sequences whose prompt is not complete
    std::vector<std::int64_t> contexts;  ///< of sequences that decode a token: its number, from 1, in the sequence
    std::int64_t heads = 0;              ///< positions for which the LM head is computed: sequences that yield a token

    friend bool operator==(StepWork const&, StepWork const&) = default;
};

/// Time and energy of a step.
struct StepCost {
    double seconds = 0.0;
    double joules = 0.0;
};

/// The machine, as the scheduler sees it: pure functions.
struct StepLaw {
    /// Cost of a step; finite and not negative.
    std::function<StepCost(StepWork const&)> one;
    /// Costs of as many steps as the span has elements, which follow each other: in each of them, every context is
    /// longer by one than in the step before. The first step has no chunks. The bits are those of `one` for each step;
    /// a law that depends on sums of the contexts needs no list for that. Empty: steps are asked for one by one.
    std::function<void(StepWork const& first, std::span<StepCost>)> many;
};

}  // namespace pimdse::sim::serving
