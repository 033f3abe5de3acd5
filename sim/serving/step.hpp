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
    /// Blocks of tokens: the positions after the prompt, if the step also yields the first of these blocks; otherwise
    /// 0.
    std::int64_t ahead = 0;

    friend bool operator==(PromptChunk const&, PromptChunk const&) = default;
};

/// What an engine computes in one step, for all of its sequences together.
struct StepWork {
    std::vector<PromptChunk> chunks;     ///< per sequence with an incomplete prompt
    std::vector<std::int64_t> contexts;  ///< per decoding sequence: position, from 1, of the token that it decodes
    std::int64_t heads = 0;              ///< positions for which the LM head is computed: sequences that yield a token
    /// Blocks of tokens: for every element of `contexts`, which is the first position of a block, the positions from it
    /// to the end of the sequence, in whole blocks. Empty if sequences yield single tokens.
    std::vector<std::int64_t> ahead{};

    friend bool operator==(StepWork const&, StepWork const&) = default;
};

/// Time and energy of a step.
struct StepCost {
    double seconds = 0.0;
    double joules = 0.0;
    /// s from the start of the step until the sequences that yield a block have the first tokens of it; 0: tokens come
    /// at the end of the step.
    double first_tokens = 0.0;
};

/// The machine, as the scheduler sees it: pure functions.
struct StepLaw {
    /// Cost of a step; finite and not negative.
    std::function<StepCost(StepWork const&)> one;
    /// Costs of as many steps as the span has elements, which follow each other: in each of them, every context is
    /// longer than in the step before by the tokens that a sequence yields (`ahead` is less by as many). The first step
    /// has no chunks. The bits are those of `one` for each step; a law that depends on sums of the contexts needs no
    /// list for that. Empty: steps are asked for one by one.
    std::function<void(StepWork const& first, std::span<StepCost>)> many;
};

}  // namespace pimdse::sim::serving
