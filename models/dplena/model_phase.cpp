#include "models/dplena/model_phase.hpp"

#include "models/llm/state.hpp"

#include <algorithm>
#include <vector>

namespace pimdse::models::dplena {
namespace {

double block_logits(Design const& d, LanguageModel const& m) { return logit_bytes(d, m, d.batch * d.block_length); }

/// The LM head runs on the block, or on the last position of a prompt.
ModelPass pass_over(Design const& d, Prepared const& prepared, LanguageModel const& m, PassShape const& shape) {
    PassLaw const law(d, prepared.machine, m);
    auto const sequences = static_cast<double>(d.batch);
    std::vector<Attended> attended;
    for (auto const& kind : law.kinds()) law.add(sequences, shape, kind, attended.emplace_back());
    double const share = shape.heads / static_cast<double>(d.block_length);
    return law.of(law.layers(sequences * shape.queries), attended, sequences * shape.heads, block_logits(d, m) * share);
}

double held_weights(Design const& d, LanguageModel const& m, ModelConstants const& c) {
    return static_cast<double>(total_parameters(m)) * weight_bytes(d, c);
}

/// Bytes of the weights of a model, and of its keys and values.
double held_bytes(Design const& d, LanguageModel const& m, ModelConstants const& c) {
    auto const weights = held_weights(d, m, c);
    auto const sequences = static_cast<double>(d.batch);
    double cached = sequences * static_cast<double>(d.speculation.draft + 1) * sequence_state_bytes(m);
    for (auto const& alike : alike_layers(m))
        cached += cache_bytes(alike, c, sequences * held_positions(alike, static_cast<double>(d.longest_context())));
    return weights + cached;
}

}  // namespace

/// Every pass that verifies tokens samples a block; a draft model samples each of its proposals.
ModelPhase model_phase(Design const& d, Prepared const& prepared) {
    auto const passes = passes_of(d);
    auto const cost = [&](EqualPasses const& equal) {
        auto const& model = equal.of_draft ? *d.speculation.draft_model : *d.model;
        return pass_over(d, prepared, model, equal.shape).times(equal.times);
    };
    ModelPhase phase;
    for (auto const& equal : passes.first) phase.full += cost(equal);
    for (auto const& equal : passes.round) phase.cached += cost(equal);
    auto const steps = d.diffuses() ? static_cast<double>(passes.round.size()) : 1.0;
    phase.cached = phase.cached.times(1.0 / steps);
    phase.full_passes = passes.repeats + 1.0;
    phase.cached_passes = passes.rounds * steps;
    phase.blocks = d.diffuses() ? phase.full_passes : passes.rounds + d.first_sampling();
    phase.samplings = phase.blocks;
    if (d.speculation.has_model())
        phase.samplings +=
            passes.rounds * static_cast<double>(d.speculation.draft) / static_cast<double>(d.block_length);
    phase.per_generation = phase.full.times(phase.full_passes);
    phase.per_generation += phase.cached.times(phase.cached_passes);
    return phase;
}

sim::Data resident_bytes(Design const& d, Prepared const& prepared) {
    auto const& m = *d.model;
    auto const& c = prepared.machine.model;
    double const draft = d.speculation.has_model() ? held_bytes(d, *d.speculation.draft_model, c) : 0.0;
    return sim::Data{held_bytes(d, m, c) + block_logits(d, m) + draft};
}

sim::Data hbm_capacity(Design const& d, MachineConstants const& machine) {
    return machine.silicon.hbm_capacity_per_channel * static_cast<double>(d.channels);
}

sim::Data room_for_cache(Design const& d, Prepared const& prepared) {
    auto const& m = *d.model;
    auto const used = held_weights(d, m, prepared.machine.model) + block_logits(d, m);
    return sim::Data{std::max(0.0, hbm_capacity(d, prepared.machine).si - used)};
}

}  // namespace pimdse::models::dplena
