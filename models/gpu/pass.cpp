#include "models/gpu/pass.hpp"

#include "models/llm/weight_format.hpp"

#include <algorithm>

namespace pimdse::models::gpu {
namespace {

constexpr double fp16_bytes = 2.0;

double weight_bytes(Design const& d) { return d.precision == Precision::fp16 ? fp16_bytes : 1.0; }
double cache_bytes(Design const& d) { return d.kv_cache == CacheFormat::fp16 ? fp16_bytes : 1.0; }
double layers(Design const& d) { return static_cast<double>(d.model->layers); }
double context(Design const& d) { return static_cast<double>(d.longest_context()); }

BoardWork weights(PassShape const& s, Design const& d) {
    BoardWork work;
    for (auto const& alike : alike_layers(*d.model))
        add_matrix_work(alike, layer_matrices(alike), d.sequences() * s.queries, d, work);
    return work;
}

/// A prompt reads the keys and values of all its positions, tokens those that any of their queries attends to.
BoardWork attention(PassShape const& s, Design const& d) {
    BoardWork work;
    for (auto const& alike : alike_layers(*d.model)) {
        auto const [keys, read] = keys_read(alike, s);
        double const products =
            attention_multiplications(alike, d.sequences() * s.queries, keys, d.sequences() * (read - s.queries));
        work.operations += 2.0 * products * static_cast<double>(alike.layers);
        work.bytes += d.sequences() * (read + s.queries) * position_bytes(alike, d);
    }
    return work;
}

}  // namespace

void add_matrix_work(LanguageModel const& alike, std::span<WeightMatrix const> matrices, double tokens, Design const& d,
                     BoardWork& to) {
    auto const of_kind = static_cast<double>(alike.layers);
    for (auto const& matrix : matrices) {
        auto const size = static_cast<double>(matrix.inputs * matrix.outputs);
        double const read = touched_copies(alike, matrix, tokens);
        to.operations += 2.0 * tokens * static_cast<double>(matrix.active) * size * of_kind;
        double const bytes = d.stored_as_file() ? matrix_bytes(alike, matrix) : size * weight_bytes(d);
        to.bytes += read * bytes * of_kind;
    }
}

BoardWork head_work(double positions, Design const& d) {
    auto const size = static_cast<double>(lm_head_weights(*d.model));
    BoardWork work;
    work.operations = 2.0 * positions * size;
    work.bytes = d.stored_as_file() ? head_bytes(*d.model) : size * weight_bytes(d);
    return work;
}

KeysRead keys_read(LanguageModel const& alike, PassShape const& s) {
    double const keys = mean_keys(alike, s.contexts);
    bool const bounded = s.decodes || s.queries <= 1.0;
    return {keys, bounded ? std::min(s.cached, keys + s.queries - 1.0) : s.cached};
}

/// The logits of the block are read several times.
BoardWork sampling_work(double sequences, Design const& d, MachineConstants const& machine) {
    BoardWork work;
    work.bytes = machine.logit_walks * logit_bytes(sequences, d, machine);
    return work;
}

BoardWork overhead_work(Design const& d) {
    BoardWork work;
    work.waiting = d.layer_overhead * layers(d);
    return work;
}

double position_bytes(LanguageModel const& alike, Design const& d) {
    return static_cast<double>(kv_elements_per_token(alike)) * static_cast<double>(alike.layers) * cache_bytes(d);
}

double weight_footprint(Design const& d) {
    return d.stored_as_file() ? stored_bytes(*d.model)
                              : static_cast<double>(total_parameters(*d.model)) * weight_bytes(d);
}

double logit_bytes(double sequences, Design const& d, MachineConstants const& machine) {
    if (d.generation == Generation::autoregressive) return 0.0;
    return sequences * static_cast<double>(d.block_length * d.model->vocabulary) * machine.logit.si;
}

PassShape prompt_pass(Design const& d) {
    auto const prompt = static_cast<double>(d.input);
    return {prompt, {1.0, prompt}, prompt, 1.0};
}

PassShape token_pass(TokenPasses const& p) { return {p.queries, p.contexts, p.cached, p.queries, true}; }

Design of_draft(Design const& design) {
    auto draft = design;
    draft.model = design.speculation.draft_model;
    draft.speculation = {};
    return draft;
}

PassShape denoising_pass(Design const& d, double queries) {
    return {queries, {context(d), context(d)}, context(d), static_cast<double>(d.block_length)};
}

PassWork work_of(PassShape const& shape, Design const& design, MachineConstants const& machine) {
    return {weights(shape, design), attention(shape, design), head_work(design.sequences() * shape.heads, design),
            overhead_work(design), sampling_work(design.sequences(), design, machine)};
}

sim::Data footprint(Design const& d, MachineConstants const& machine) {
    if (d.speculation.has_model()) {
        auto alone = d;
        alone.speculation = {};
        return footprint(alone, machine) + footprint(of_draft(d), machine);
    }
    double cached = 0.0;
    for (auto const& alike : alike_layers(*d.model))
        cached += d.sequences() * held_positions(alike, context(d)) * position_bytes(alike, d);
    return sim::Data{weight_footprint(d) + cached + logit_bytes(d.sequences(), d, machine)};
}

}  // namespace pimdse::models::gpu
