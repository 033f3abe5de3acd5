#pragma once

#include "models/contract/outcome.hpp"
#include "models/contract/service_engine.hpp"
#include "models/llm/request_passes.hpp"
#include "models/llm/workload.hpp"

#include <functional>
#include <optional>
#include <vector>

/// The passes that a step of a serving engine asks of a model, whatever the machine. `batch`, `input` and `output` of
/// the request do not matter: every step has its own.
namespace pimdse::models {

/// Parts of prompts, each after the positions before it.
[[nodiscard]] std::vector<PassShape> prompts_of(sim::serving::StepWork const& work);

/// Diffusion: a step is all denoising steps of a block of every sequence that yields. The first pass computes all
/// positions; a part of a prompt attends to what there is before it, and the part that ends the prompt is computed with
/// all positions of the output. Later passes compute what the cache leaves. The shapes have no heads.
[[nodiscard]] std::vector<PassShape> first_denoising(ModelRequest const& request, sim::serving::StepWork const& work);
[[nodiscard]] std::vector<PassShape> later_denoising(ModelRequest const& request, sim::serving::StepWork const& work);

/// Why steps of such requests are not modelled: proposed tokens, and blocks of one token. nullopt if they are.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(ModelRequest const& request);

/// The work of the step that follows: every sequence is longer by the tokens that it has yielded.
void advance(ModelRequest const& request, sim::serving::StepWork& work);

/// Sets what an engine keeps and moves of the sequences of a model, if every layer keeps every position, also with a
/// window: `bytes` is those of a position in layers that are alike. Diffusion: also that it yields blocks.
void set_sequences(ServiceEngine& engine, ModelRequest const& request,
                   std::function<double(LanguageModel const& alike)> const& bytes);

}  // namespace pimdse::models
