#pragma once

#include "models/contract/architecture.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>

/// Rows and rules of generation by denoising, which several architectures serve.
namespace pimdse::models {

/// `generation`: token after token, as `a_pass` says ("a pass per token"), or blocks of tokens in denoising steps.
[[nodiscard]] Parameter generation_row(std::string const& a_pass);
/// `steps`, of a block, and `block_length`.
[[nodiscard]] Parameter steps_row();
[[nodiscard]] Parameter block_length_row();
/// `model_cache`: which positions a step after the first of its block computes.
[[nodiscard]] Parameter model_cache_row();

/// What a request asks of a model.
struct Generated {
    LanguageModel const& model;
    bool by_diffusion = false;
    std::int64_t input = 0, output = 0, block_length = 1;
};
/// Refuses more tokens than the model has positions (`context`): learned positions end there; rotary ones were trained
/// so far, which is what the model's authors state.
[[nodiscard]] std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input,
                                                       std::int64_t output);
/// Refuses a model that generates the other way (`generation`), more tokens than it has positions (`context`) and parts
/// of blocks (`blocks`).
[[nodiscard]] std::optional<Infeasible> broken_generation(Generated const& request);

}  // namespace pimdse::models
