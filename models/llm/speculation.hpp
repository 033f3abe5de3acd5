#pragma once

#include "models/contract/outcome.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>

/// Speculative decoding (Y. Leviathan, M. Kalman, Y. Matias, ICML 2023, arXiv:2211.17192), shared by all architectures
/// that generate token by token.
namespace pimdse::models {

/// How tokens are proposed and accepted.
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

}  // namespace pimdse::models
