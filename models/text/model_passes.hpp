#pragma once

#include "models/llm/step_passes.hpp"
#include "models/text/cost.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::text {

/// Where a pass stands among those of a request or a step, as WholePass says.
struct PassPlace {
    bool is_later = false, begins = false;
};

/// The passes of one model, of a request or of the steps of a serving engine, from the laws of a pass (cost.hpp). The
/// model, and what the law refers to, live longer.
///
/// Steps: all sequences go through the weights together, each attends to its own keys, and the LM head is computed
/// where a token is sampled. A part of a prompt reads the keys and values before it as well as its own. Diffusion: a
/// step is all denoising steps of a block of every sequence that yields. If rules tell prompts and tokens apart, the
/// parts of prompts of a step are a pass of their own before that of its tokens. `batch`, `input` and `output` of the
/// request do not matter then. Precondition: broken_step_rule is nullopt.
class ModelPasses {
  public:
    /// `logit`: bytes of a logit. `whole_tiles`: parts of prompts are computed in whole tiles of queries; otherwise, as
    /// far as no division into parts can do with less.
    ModelPasses(CostLaw law, LlmRequest const& request, double logit, bool whole_tiles = true);
    /// A pass over every sequence of the request.
    [[nodiscard]] PassCost of(PassShape const& shape, Phase phase, PassPlace place = {}) const {
        return of(nullptr, shape, phase, place);
    }
    /// Tokens of every sequence, one after the other, at these contexts, which follow each other: the mean of their
    /// passes. Exact where costs are lines that bend, as those of roofs. Attention in the tiles of an array or the rows
    /// of banks grows in steps: contexts count at the mean of parts that differ by a sixteenth at most and begin at the
    /// same contexts for every request, so that a larger request never takes less.
    [[nodiscard]] PassCost mean_token(ContextRange const& contexts) const;
    /// The passes of a step: the first, and with diffusion the sum of the others.
    struct Step {
        PassCost first;
        std::optional<PassCost> rest{};
    };
    [[nodiscard]] Step of(sim::serving::StepWork const& work) const;
    /// The pass of a step in which all sequences decode a token. `begun`: begun_tokens of a step of as many.
    [[nodiscard]] PassCost of_tokens(BegunPass const& begun, sim::serving::StepWork const& work) const {
        return law_.pass(begun, request_, layers_, attended({}, work.contexts), Phase::decode);
    }
    [[nodiscard]] BegunPass begun_tokens(sim::serving::StepWork const& work) const;

  private:
    /// What passes of so many positions share: nothing if a part takes them as a whole.
    [[nodiscard]] BegunPass begun(PassPositions const& positions, Phase phase) const {
        return law_.machine().whole(phase) != max_rules ? BegunPass{}
                                                        : law_.begun(request_, layers_, positions, phase, logit_);
    }
    /// A pass over every sequence; nullptr: it shares nothing with another one.
    [[nodiscard]] PassCost of(BegunPass const* begun, PassShape const& shape, Phase phase, PassPlace place) const;
    /// Tokens at the mean of these contexts.
    [[nodiscard]] PassCost token(BegunPass const& begun, ContextRange const& contexts) const {
        return of(&begun, {1.0, contexts, (contexts.first + contexts.last) / 2.0, 1.0, true}, Phase::decode,
                  {.is_later = true});
    }
    /// The mean over tokens at each of these contexts, of which the first and the last cost so much.
    [[nodiscard]] PassCost mean_between(BegunPass const& begun, ContextRange const& contexts, PassCost const& first,
                                        PassCost const& last) const;
    /// A pass of parts of prompts, and of tokens with these contexts; `yielding` sequences yield tokens.
    [[nodiscard]] PassCost pass(std::vector<PassShape> const& prompts, std::span<std::int64_t const> contexts,
                                double yielding, Phase phase, PassPlace place = {}) const;
    [[nodiscard]] std::vector<SummedKeys> attended(std::vector<PassShape> const& prompts,
                                                   std::span<std::int64_t const> contexts) const;
    [[nodiscard]] PassPositions positions(double tokens, double yielding) const;
    /// Of every sequence of the request.
    [[nodiscard]] PassPositions positions_of(PassShape const& shape) const {
        double const sequences = request_.sequences();
        return {sequences * shape.queries, sequences * shape.heads, sequences};
    }
    [[nodiscard]] PassCost tokens_and_chunks(sim::serving::StepWork const& work) const;
    [[nodiscard]] PassCost denoising(std::vector<PassShape> const& sequences, std::int64_t yielding,
                                     PassPlace place) const;

    CostLaw law_;
    LlmRequest request_;
    std::vector<LayerKindWork> layers_;  ///< none if parts take all passes as a whole
    double logit_;
    QueryTile prompt_tile_, token_tile_;
};

/// What a request costs: `first` until its first token (or the first step of its first block), of its draft model, too;
/// `round`, a token on average, proposals with what verifies them, or a later step of a block; and `rest` after
/// `first`.
struct PassCosts {
    PassCost first, round, rest;
};
[[nodiscard]] PassCosts cost_of_request(CostLaw const& law, LlmRequest const& request, double logit);
/// The same of a request that asks for one operator and for no pass: all of it is `first`.
[[nodiscard]] PassCosts cost_of_operator(CostLaw const& law, LlmRequest const& request, Operator op,
                                         OperatorWork const& work);

}  // namespace pimdse::models::text
