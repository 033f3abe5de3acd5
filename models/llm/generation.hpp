#pragma once

#include "models/contract/outcome.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>

/// How tokens are generated, and the rule of all machines.
namespace pimdse::models {

/// The order of generation: one token after the other, or blocks of them in denoising steps.
enum class Generation : std::uint8_t { autoregressive, diffusion };
/// Positions that a denoising step after the first of its block computes: all, block and suffix, or the block.
enum class PassCache : std::uint8_t { none, prefix, dual };

/// Refuses more tokens than the model has positions (`context`). Learned positions end there; for rotary ones, it is
/// the training length that the authors of the model state.
[[nodiscard]] std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input,
                                                       std::int64_t output);

}  // namespace pimdse::models
