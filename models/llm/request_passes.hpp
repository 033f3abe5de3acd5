#pragma once

#include "models/contract/outcome.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The passes that a request asks of a model, whatever the machine.
namespace pimdse::models {

/// The order of generation: one token after the other, or blocks of them in denoising steps.
enum class Generation : std::uint8_t { autoregressive, diffusion };
/// Positions that a denoising step after the first of its block computes: all, block and suffix, or the block.
enum class PassCache : std::uint8_t { none, prefix, dual };

/// How tokens are proposed and accepted: speculative decoding (Y. Leviathan, M. Kalman, Y. Matias, ICML 2023,
/// arXiv:2211.17192).
struct Speculation {
    std::int64_t draft = 0;
    double acceptance = 0.0;
    LanguageModel const* draft_model = nullptr;  ///< nullptr: proposals cost nothing

    /// Whether a second model proposes tokens.
    [[nodiscard]] bool has_model() const { return draft > 0 && draft_model != nullptr; }
    /// Positions that a pass of the model computes for each sequence: the last token and the proposed ones.
    [[nodiscard]] std::int64_t positions() const { return draft + 1; }
    /// Expected number of passes for `later` tokens after the prompt's. Passes are whole: the last one counts in full
    /// even if it yields more tokens than are left.
    [[nodiscard]] double passes(std::int64_t later) const;
};

/// Passes after the prompt and what each computes for a sequence, on average over what is accepted. A pass that begins
/// with c cached positions computes the positions c + 1, c + 2, ..., each of which attends to all up to itself; the
/// next pass begins behind its accepted tokens, where it overwrites positions that were refused.
struct TokenPasses {
    double passes = 0.0;
    double queries = 1.0;   ///< positions that a pass computes
    ContextRange contexts;  ///< their numbers, over all passes
    double cached = 0.0;    ///< mean number of positions that a pass may read: those before it and its own
};

/// The passes of the model for `later` tokens after a prompt of `input` tokens and the token that the prompt yields.
[[nodiscard]] TokenPasses verification_passes(Speculation const& speculation, std::int64_t input, std::int64_t later);
/// The passes of the draft model: `draft` passes of one position before each pass of the model.
[[nodiscard]] TokenPasses draft_passes(Speculation const& speculation, std::int64_t input, std::int64_t later);

/// Refuses proposals where blocks are denoised (`draft`), a draft model that denoises blocks (`draft_llm`), and one
/// that has fewer positions than the request (`context`).
[[nodiscard]] std::optional<Infeasible> broken_speculation(Speculation const& speculation, bool by_diffusion,
                                                           std::int64_t input, std::int64_t output);

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
