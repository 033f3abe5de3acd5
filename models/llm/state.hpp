#pragma once

#include "models/contract/service_engine.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

/// Layers with a state that does not grow: their matrices, what they keep of a sequence, and their operations. All
/// functions with a model need one whose layers are alike.
namespace pimdse::models {

[[nodiscard]] std::string_view name_of(StateKind kind);
/// "a gated DeltaNet state", for sentences.
[[nodiscard]] std::string_view text_of(StateKind kind);

/// The weight matrices around the state of a layer; none without a state.
[[nodiscard]] std::vector<WeightMatrix> state_matrices(LanguageModel const& model);
/// Weights of the convolution, decays, biases of steps, norms.
[[nodiscard]] std::int64_t other_state_parameters(LanguageModel const& model);

/// Elements of the state of a sequence in a layer, and of the inputs that its convolution keeps.
[[nodiscard]] std::int64_t state_elements(LanguageModel const& model);
[[nodiscard]] std::int64_t convolution_elements(LanguageModel const& model);
/// Bytes of both.
[[nodiscard]] double state_bytes(LanguageModel const& model);

/// Multiply-accumulates of state and convolution in one layer for `positions` positions, without the matrices: those of
/// prompts are computed in chunks of C = state.chunk, those of tokens one after the other, C = 1. Positions of a chunk
/// are multiplied with each other, and with the state once. For every position and head: gated_delta, kimi_delta:
/// C (3 keys + 2 values) + (C^2 - 1) / 6 (the triangular system) + 3 S + S / C; mamba2, linear: C (keys of its group,
/// values) + 2 S + S / C; mamba: 4 S; convolution: its two gates. Linear in the positions, so that parts of a prompt
/// add up to it.
[[nodiscard]] double prompt_state_multiplications(LanguageModel const& model, double positions);
[[nodiscard]] double token_state_multiplications(LanguageModel const& model, double positions);

/// Elements of a position around the state of a layer that pass a function (those behind the convolution, gates of the
/// output, decays and steps), and that are normalised (queries and keys of delta rules, the output): the modules
/// modeling_qwen3_next.py and modeling_minimax.py of transformers, and mamba_ssm.
struct StateElements {
    std::int64_t activated = 0, normalised = 0;
};
[[nodiscard]] StateElements elementwise_of_state(LanguageModel const& model);

/// Sum of state_bytes over all layers of a model of any kinds: what a sequence takes beside its keys, once.
[[nodiscard]] double sequence_state_bytes(LanguageModel const& model);

/// What layers with windows keep, of a model of any kinds, ascending: `bytes` is those of a position in layers that are
/// alike, of which a window may have a share. Windows that no request exceeds are left out.
[[nodiscard]] std::vector<KeyWindow> windows_of(LanguageModel const& model,
                                                std::function<double(LanguageModel const& alike)> const& bytes);

}  // namespace pimdse::models
