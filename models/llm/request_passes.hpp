#pragma once

#include "models/llm/generation.hpp"
#include "models/llm/speculation.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The passes that a request asks of a model, whatever the machine.
namespace pimdse::models {

/// What a batch of equal requests asks of a model.
struct ModelRequest {
    LanguageModel const* model = nullptr;
    std::int64_t batch = 1, input = 0, output = 1;
    Generation generation = Generation::autoregressive;
    std::int64_t steps = 1, block_length = 1;  ///< of diffusion
    PassCache cache = PassCache::dual;         ///< of diffusion
    Speculation speculation{};

    [[nodiscard]] bool diffuses() const { return generation == Generation::diffusion; }
    [[nodiscard]] double sequences() const { return static_cast<double>(batch); }
    [[nodiscard]] std::int64_t longest_context() const { return input + output; }
    /// Number of blocks, which are denoised one after the other.
    [[nodiscard]] double blocks() const { return static_cast<double>(output) / static_cast<double>(block_length); }
    /// Number of passes of the model after the first one: tokens, passes over proposed tokens (a mean), or denoising
    /// steps.
    [[nodiscard]] double later_passes() const {
        return diffuses() ? blocks() * static_cast<double>(steps) - 1.0 : speculation.passes(output - 1);
    }
};

/// The same request to the draft model, which generates token by token. Precondition: there is one.
template <class Request>
[[nodiscard]] Request of_draft(Request request) {
    request.model = request.speculation.draft_model;
    request.speculation = {};
    return request;
}

/// Refuses a model with the other kind of generation (`generation`), more tokens than it has positions (`context`), and
/// incomplete blocks (`blocks`). `denoises_any`: models that generate token by token may be denoised, too.
[[nodiscard]] std::optional<Infeasible> broken_generation(ModelRequest const& request, bool denoises_any = false);

/// Shape of one pass of a model over every sequence of a batch; all numbers are per sequence.
struct PassShape {
    double queries = 0.0;     ///< positions that are computed
    ContextRange contexts{};  ///< their numbers; denoising: the number of all positions, to which each of them attends
    double cached = 0.0;      ///< positions whose keys and values are read where attention has no window
    double heads = 0.0;       ///< positions for which the LM head is computed
    /// The positions are tokens, which are computed one after the other at the end of the context: a window bounds what
    /// they read, and some may be refused, so that the state behind each is written.
    bool decodes = false;
};

/// The pass in which a sequence decodes a token, whose context has so many positions with its own.
[[nodiscard]] inline PassShape token_at(std::int64_t context) {
    auto const at = static_cast<double>(context);
    return {1.0, {at, at}, at, 1.0, true};
}
[[nodiscard]] PassShape prompt_pass(ModelRequest const& request);
/// Mean shape of passes after the prompt: exact where their cost is linear in the keys.
[[nodiscard]] PassShape token_pass(TokenPasses const& passes);
/// A denoising step that computes `queries` positions of each sequence.
[[nodiscard]] PassShape denoising_pass(ModelRequest const& request, double queries);

/// Passes of equal shape.
struct EqualPasses {
    PassShape shape;
    double times = 1.0;
    bool of_draft = false;  ///< of the model that proposes tokens
};

/// All passes of a request: `first`, then `first` again `repeats` times, and the passes of a round `rounds` times.
struct RequestPasses {
    std::vector<EqualPasses> first;  ///< until the first token: the prompt, or the first step of a block
    double repeats = 0.0;            ///< diffusion: blocks after the first one
    /// A token, or proposals and the pass that verifies them; diffusion: a later step of a block, or one of every
    /// block where they differ.
    std::vector<EqualPasses> round;
    double rounds = 0.0;

    /// All passes after `first`.
    [[nodiscard]] std::vector<EqualPasses> rest() const;
};
[[nodiscard]] RequestPasses passes_of(ModelRequest const& request);

}  // namespace pimdse::models
