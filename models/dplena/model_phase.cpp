#include "models/dplena/model_phase.hpp"

#include "models/llm/state.hpp"

#include <algorithm>
#include <vector>

namespace pimdse::models::dplena {
namespace {

double context_of(Design const& d) { return static_cast<double>(d.prompt + d.generation_length); }

double block_logits(Design const& d, LanguageModel const& m) { return logit_bytes(d, m, d.batch * d.block_length); }

/// A pass over the same positions of every sequence. The LM head runs on the block, or on the last position of a
/// prompt: on `heads` positions of each.
ModelPass pass_over(Design const& d, Prepared const& prepared, LanguageModel const& m, Positions const& positions,
                    double heads) {
    PassLaw const law(d, prepared.machine, m);
    auto const sequences = static_cast<double>(d.batch);
    std::vector<Attended> attended;
    for (auto const& kind : law.kinds()) law.add(sequences, positions, kind, attended.emplace_back());
    double const share = heads / static_cast<double>(d.block_length);
    return law.of(law.layers(sequences * positions.queries), attended, sequences * heads, block_logits(d, m) * share);
}

/// Number of positions that a cached step of block `block` (0-based) computes. Prefix caching also recomputes all
/// positions after the block.
double cached_queries(Design const& d, double blocks, double block) {
    switch (d.cache) {
        case ModelCache::none:
            return context_of(d);
        case ModelCache::prefix:
            return (blocks - block) * static_cast<double>(d.block_length);
        case ModelCache::dual:
            break;
    }
    return static_cast<double>(d.block_length);
}

ModelPass denoising_pass(Design const& d, Prepared const& prepared, double queries) {
    return pass_over(d, prepared, prepared.models[d.model], {queries, {context_of(d), context_of(d)}, context_of(d)},
                     static_cast<double>(d.block_length));
}

ModelPass mean_cached_pass(Design const& d, Prepared const& prepared, double blocks) {
    if (d.cache != ModelCache::prefix) return denoising_pass(d, prepared, cached_queries(d, blocks, 0.0));
    ModelPass sum;
    for (double block = 0.0; block < blocks; block += 1.0)
        sum += denoising_pass(d, prepared, cached_queries(d, blocks, block));
    return sum.times(1.0 / blocks);
}

ModelPass prompt_pass(Design const& d, Prepared const& prepared, LanguageModel const& m) {
    auto const prompt = static_cast<double>(d.prompt);
    return pass_over(d, prepared, m, {prompt, {1.0, prompt}, prompt}, 1.0);
}

ModelPass token_pass(Design const& d, Prepared const& prepared, LanguageModel const& m, TokenPasses const& p) {
    return pass_over(d, prepared, m, {p.queries, p.contexts, p.cached, true}, p.queries);
}

/// Autoregressive generation: a pass over the prompt, in which a position attends to half of the prompt on average and
/// which yields the first token, and one pass for each later token; or fewer passes, which verify proposed tokens. A
/// draft model reads the prompt, too, and makes a pass for each proposal, which is sampled.
void generate_tokens(ModelPhase& phase, Design const& d, Prepared const& prepared) {
    auto const speculation = prepared.speculation_of(d);
    auto const& model = prepared.models[d.model];
    auto const verified = verification_passes(speculation, d.prompt, d.generation_length - 1);
    phase.full = prompt_pass(d, prepared, model);
    phase.cached = token_pass(d, prepared, model, verified);
    phase.full_passes = 1.0;
    phase.cached_passes = verified.passes;
    phase.blocks = phase.samplings = verified.passes + d.first_sampling();
    if (!speculation.has_model()) return;
    auto const& draft = *speculation.draft_model;
    auto const proposed = draft_passes(speculation, d.prompt, d.generation_length - 1);
    auto const proposals = static_cast<double>(d.draft);
    phase.full += prompt_pass(d, prepared, draft);
    phase.cached += token_pass(d, prepared, draft, proposed).times(proposals);
    phase.samplings += verified.passes * proposals / static_cast<double>(d.block_length);
}

void denoise_blocks(ModelPhase& phase, Design const& d, Prepared const& prepared) {
    phase.full = denoising_pass(d, prepared, context_of(d));
    phase.cached = mean_cached_pass(d, prepared, phase.blocks);
    phase.full_passes = phase.samplings = phase.blocks;
    phase.cached_passes = phase.blocks * static_cast<double>(d.steps - 1);
}

}  // namespace

ModelPhase model_phase(Design const& d, Prepared const& prepared) {
    ModelPhase phase;
    phase.blocks = static_cast<double>(d.generation_length) / static_cast<double>(d.block_length);
    (d.generation == TokenOrder::autoregressive ? generate_tokens : denoise_blocks)(phase, d, prepared);
    phase.per_generation = phase.full.times(phase.full_passes);
    phase.per_generation += phase.cached.times(phase.cached_passes);
    return phase;
}

namespace {

double held_weights(Design const& d, LanguageModel const& m, ModelConstants const& c) {
    return static_cast<double>(total_parameters(m)) * weight_bytes(d, c);
}

/// Bytes of the weights of a model, and of its keys and values.
double held_bytes(Design const& d, LanguageModel const& m, ModelConstants const& c) {
    auto const weights = held_weights(d, m, c);
    auto const sequences = static_cast<double>(d.batch);
    double cached = sequences * static_cast<double>(d.draft + 1) * sequence_state_bytes(m);
    for (auto const& alike : alike_layers(m))
        cached += cache_bytes(alike, c, sequences * held_positions(alike, context_of(d)));
    return weights + cached;
}

}  // namespace

sim::Data resident_bytes(Design const& d, Prepared const& prepared) {
    auto const& m = prepared.models[d.model];
    auto const& c = prepared.machine.model;
    auto const speculation = prepared.speculation_of(d);
    double const draft = speculation.has_model() ? held_bytes(d, *speculation.draft_model, c) : 0.0;
    return sim::Data{held_bytes(d, m, c) + block_logits(d, m) + draft};
}

sim::Data hbm_capacity(Design const& d, MachineConstants const& machine) {
    return machine.silicon.hbm_capacity_per_channel * static_cast<double>(d.channels);
}

sim::Data room_for_cache(Design const& d, Prepared const& prepared) {
    auto const& m = prepared.models[d.model];
    auto const used = held_weights(d, m, prepared.machine.model) + block_logits(d, m);
    return sim::Data{std::max(0.0, hbm_capacity(d, prepared.machine).si - used)};
}

}  // namespace pimdse::models::dplena
