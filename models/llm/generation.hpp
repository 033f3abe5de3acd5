#pragma once

#include "models/contract/outcome.hpp"
#include "models/contract/parameter.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parameters and rules of token generation, shared by several architectures.
namespace pimdse::models {

/// A number of tokens of a request, which is also called `alias`.
[[nodiscard]] Parameter length_row(std::string_view name, std::int64_t default_value, std::string_view meaning,
                                   std::string_view alias);
/// `generation`: token by token, described by `a_pass` ("a pass per token"), or blocks of tokens in denoising steps.
[[nodiscard]] Parameter generation_row(std::string const& a_pass);
/// `steps` of a block, and `block_length`.
[[nodiscard]] Parameter steps_row();
[[nodiscard]] Parameter block_length_row();
/// The order of generation: one token after the other, or blocks of them in denoising steps.
enum class Generation : std::uint8_t { autoregressive, diffusion };
/// Positions that a denoising step after the first of its block computes: all, block and suffix, or the block.
enum class PassCache : std::uint8_t { none, prefix, dual };
/// `model_cache`: positions that the steps of a block after the first one compute.
[[nodiscard]] Parameter model_cache_row();

/// Refuses more tokens than the model has positions (`context`). Learned positions end there; for rotary ones, it is
/// the training length that the authors of the model state.
[[nodiscard]] std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input,
                                                       std::int64_t output);

}  // namespace pimdse::models
