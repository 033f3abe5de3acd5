#include "models/dplena/model_phase.hpp"

#include "models/dplena/hbm/clocks.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

double ceiling(double a, double b) { return std::ceil(a / b); }

/// Cycles of a rows x depth x columns product on the matrix unit: a tile of BLEN x BLEN takes BLEN cycles per MLEN of
/// depth.
double gemm_cycles(Design const& d, double rows, double depth, double columns) {
    auto const block = static_cast<double>(d.matrix_block);
    return ceiling(rows, block) * ceiling(depth, static_cast<double>(d.matrix_depth)) * ceiling(columns, block) * block;
}

struct Layer {
    double cycles = 0.0, weights = 0.0, multiplications = 0.0;
};

Layer layer_of(Design const& d, LanguageModel const& m, double tokens) {
    Layer layer;
    for (auto const& matrix : layer_matrices(m)) {
        auto const size = static_cast<double>(matrix.inputs) * static_cast<double>(matrix.outputs);
        auto const copies = touched_copies(m, matrix, tokens);
        auto const products = tokens * static_cast<double>(matrix.active);
        auto const rows = std::max(1.0, std::round(products / copies));  // per expert, on average
        layer.weights += size * copies;
        layer.multiplications += products * size;
        layer.cycles +=
            copies * gemm_cycles(d, rows, static_cast<double>(matrix.inputs), static_cast<double>(matrix.outputs));
    }
    return layer;
}

/// Cycles of scores and weighted values of all sequences in one layer; `before`: cached positions of earlier passes.
double attention_cycles(Design const& d, LanguageModel const& m, double queries, double keys, double before) {
    auto const block = static_cast<double>(d.matrix_block);
    auto const sequences = static_cast<double>(d.batch);
    return attention_multiplications(m, sequences * ceiling(queries, block), keys, sequences * ceiling(before, block)) /
           static_cast<double>(d.matrix_depth);
}

double weight_bytes(Design const& d, ModelConstants const& c) {
    constexpr int bits_per_byte = 8;
    return static_cast<double>(d.weight_bits) / bits_per_byte + c.weight_scale;
}

double context_of(Design const& d) { return static_cast<double>(d.prompt + d.generation_length); }

/// Bytes of the keys and values of `context` positions of every sequence, in the layers of one kind.
double cache_bytes(Design const& d, LanguageModel const& m, ModelConstants const& c, double context) {
    return static_cast<double>(d.batch) * context * static_cast<double>(kv_elements_per_token(m)) *
           static_cast<double>(m.layers) * c.kv_element.si;
}

double logit_bytes(Design const& d, LanguageModel const& m) {
    if (d.overlap == Overlap::fused_head) return 0.0;
    return static_cast<double>(d.batch * d.block_length) * static_cast<double>(m.vocabulary) * d.element_bytes();
}

/// Bandwidth of all channels with a read every `ticks` ticks: two pseudo-channels with 32 bytes per read.
sim::Bandwidth rate_of(Design const& d, MachineConstants const& machine, std::int64_t ticks) {
    return {static_cast<double>(d.channels * line_bytes) / static_cast<double>(ticks) * hbm_clock(d, machine).si};
}

/// Bandwidth of a pass: `model_bandwidth`, or that of the channels. Refresh reduces both.
sim::Bandwidth pass_bandwidth(Design const& d, MachineConstants const& machine) {
    auto const& timing = machine.hbm.timing;
    auto const carried = d.model_bandwidth > 0.0 ? sim::Bandwidth{d.model_bandwidth} : channel_bandwidth(d, machine);
    auto const lost = d.refresh == Refresh::on
                          ? static_cast<double>(timing.refresh_duration) / static_cast<double>(timing.refresh_interval)
                          : 0.0;
    return carried * (1.0 - lost);
}

/// Numbers of positions per sequence in a pass.
struct Positions {
    double queries = 0.0;   ///< positions that are computed
    ContextRange contexts;  ///< their numbers; denoising: the number of all positions, to which each of them attends
    double cached = 0.0;    ///< positions whose keys and values are transferred where attention has no window
    double heads = 0.0;     ///< positions for which the LM head is computed
    bool decodes =
        false;  ///< the positions follow each other at the end of the context: a window bounds what they read
};

/// What a pass does in the layers.
struct LayerSums {
    double cycles = 0.0, multiplications = 0.0, weights = 0.0;
    double cached = 0.0;  ///< bytes
};

/// Adds the layers of one kind.
void add_layers(LayerSums& sums, Design const& d, LanguageModel const& alike, ModelConstants const& c,
                Positions const& positions) {
    auto const queries = positions.queries, layers = static_cast<double>(alike.layers);
    auto const tokens = static_cast<double>(d.batch) * queries;
    auto const layer = layer_of(d, alike, tokens);
    double const keys = mean_keys(alike, positions.contexts);
    bool const bounded = positions.decodes || queries <= 1.0;
    double const read = bounded ? std::min(positions.cached, keys + queries - 1.0) : positions.cached;
    double const before = static_cast<double>(d.batch) * (read - queries);
    sums.cycles += layers * (layer.cycles + attention_cycles(d, alike, queries, keys, read - queries));
    sums.multiplications += layers * (layer.multiplications + attention_multiplications(alike, tokens, keys, before));
    sums.weights += layers * layer.weights;
    sums.cached += cache_bytes(d, alike, c, read);
}

/// A pass that computes some positions of each sequence. The LM head runs on the block, or on the last position of a
/// prompt.
ModelPass pass_over(Design const& d, Prepared const& prepared, LanguageModel const& m, Positions const& positions) {
    auto const& c = prepared.machine.model;
    LayerSums sums;
    for (auto const& alike : alike_layers(m)) add_layers(sums, d, alike, c, positions);
    double const block_rows = static_cast<double>(d.batch) * positions.heads;
    auto const head_weights = static_cast<double>(lm_head_weights(m));
    ModelPass pass;
    pass.cycles =
        sums.cycles + gemm_cycles(d, block_rows, static_cast<double>(m.hidden), static_cast<double>(m.vocabulary));
    pass.multiplications = sums.multiplications + block_rows * head_weights;
    pass.bytes = sim::Data{(sums.weights + head_weights) * weight_bytes(d, c) + sums.cached +
                           logit_bytes(d, m) * (positions.heads / static_cast<double>(d.block_length))};
    pass.compute = sim::cycles_at(pass.cycles / d.attained_share, unit_clock(d, prepared.machine));
    pass.transfer = pass.bytes / pass_bandwidth(d, prepared.machine);
    pass.launches = sim::Time{d.layer_overhead * static_cast<double>(m.layers)};
    pass.time = std::max(pass.compute, pass.transfer) + pass.launches;
    return pass;
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
    return pass_over(d, prepared, prepared.models[d.model],
                     {queries, {context_of(d), context_of(d)}, context_of(d), static_cast<double>(d.block_length)});
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
    return pass_over(d, prepared, m, {prompt, {1.0, prompt}, prompt, 1.0});
}

ModelPass token_pass(Design const& d, Prepared const& prepared, LanguageModel const& m, TokenPasses const& p) {
    return pass_over(d, prepared, m, {p.queries, p.contexts, p.cached, p.queries, true});
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

ModelPass& ModelPass::operator+=(ModelPass const& o) {
    time += o.time;
    multiplications += o.multiplications;
    cycles += o.cycles;
    bytes += o.bytes;
    compute += o.compute;
    transfer += o.transfer;
    launches += o.launches;
    return *this;
}

ModelPass ModelPass::times(double n) const {
    return {time * n, multiplications * n, cycles * n, bytes * n, compute * n, transfer * n, launches * n};
}

ModelPhase model_phase(Design const& d, Prepared const& prepared) {
    ModelPhase phase;
    phase.blocks = static_cast<double>(d.generation_length) / static_cast<double>(d.block_length);
    (d.generation == TokenOrder::autoregressive ? generate_tokens : denoise_blocks)(phase, d, prepared);
    phase.per_generation = phase.full.times(phase.full_passes);
    phase.per_generation += phase.cached.times(phase.cached_passes);
    return phase;
}

sim::Bandwidth channel_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, machine.hbm.timing.bus[static_cast<std::size_t>(d.bus)]);
}

sim::Bandwidth pin_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, *std::ranges::min_element(machine.hbm.timing.bus));
}

namespace {

/// Bytes of the weights of a model, and of its keys and values.
double held_bytes(Design const& d, LanguageModel const& m, ModelConstants const& c) {
    auto const weights = static_cast<double>(total_parameters(m)) * weight_bytes(d, c);
    double cached = 0.0;
    for (auto const& alike : alike_layers(m)) cached += cache_bytes(d, alike, c, held_positions(alike, context_of(d)));
    return weights + cached;
}

}  // namespace

sim::Data resident_bytes(Design const& d, Prepared const& prepared) {
    auto const& m = prepared.models[d.model];
    auto const& c = prepared.machine.model;
    auto const speculation = prepared.speculation_of(d);
    double const draft = speculation.has_model() ? held_bytes(d, *speculation.draft_model, c) : 0.0;
    return sim::Data{held_bytes(d, m, c) + logit_bytes(d, m) + draft};
}

}  // namespace pimdse::models::dplena
