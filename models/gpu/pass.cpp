#include "models/gpu/pass.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::gpu {
namespace {

constexpr double fp16_bytes = 2.0;

double weight_bytes(Design const& d) { return d.precision == Precision::fp16 ? fp16_bytes : 1.0; }
double cache_bytes(Design const& d) { return d.kv_cache == CacheFormat::fp16 ? fp16_bytes : 1.0; }
double layers(Design const& d) { return static_cast<double>(d.model->layers); }
double context(Design const& d) { return static_cast<double>(d.longest_context()); }

/// Bytes of keys and values of one position in the layers of one kind, on one board.
double position_bytes(Design const& d, LanguageModel const& alike) {
    return static_cast<double>(BoardShare(d, alike).cached_position()) * static_cast<double>(alike.layers) *
           cache_bytes(d);
}

/// Bytes of the logits of one denoising step; every board has all of them.
double logit_bytes(Design const& d, MachineConstants const& machine) {
    if (d.generation == Generation::autoregressive) return 0.0;
    return d.sequences() * static_cast<double>(d.block_length * d.model->vocabulary) * machine.logit.si;
}

BoardWork weights(PassShape const& s, Design const& d) {
    double const tokens = d.sequences() * s.queries;
    BoardWork work;
    for (auto const& alike : alike_layers(*d.model)) {
        auto const of_kind = static_cast<double>(alike.layers);
        for (auto const& matrix : layer_matrices(alike)) {
            auto const size = static_cast<double>(BoardShare(d, alike).matrix(matrix));
            double const read = touched_copies(alike, matrix, tokens);
            work.operations += 2.0 * tokens * static_cast<double>(matrix.active) * size * of_kind;
            work.bytes += read * size * weight_bytes(d) * of_kind;
        }
    }
    return work;
}

/// A prompt reads the keys and values of all its positions, tokens those that any of their queries attends to.
BoardWork attention(PassShape const& s, Design const& d) {
    BoardWork work;
    for (auto const& alike : alike_layers(*d.model)) {
        double const keys = mean_keys(alike, s.contexts);
        bool const bounded = s.decodes || s.queries <= 1.0;
        double const read = bounded ? std::min(s.cached, keys + s.queries - 1.0) : s.cached;
        double const products =
            attention_multiplications(alike, d.sequences() * s.queries, keys, d.sequences() * (read - s.queries));
        work.operations += 2.0 * products * static_cast<double>(alike.layers) / d.parts();
        work.bytes += d.sequences() * (read + s.queries) * position_bytes(d, alike);
    }
    return work;
}

BoardWork lm_head(PassShape const& s, Design const& d) {
    auto const size = static_cast<double>(BoardShare(d).lm_head());
    BoardWork work;
    work.operations = 2.0 * d.sequences() * s.heads * size;
    work.bytes = size * weight_bytes(d);
    return work;
}

BoardWork overhead(Design const& d) {
    BoardWork work;
    work.waiting = d.layer_overhead * layers(d);
    return work;
}

/// Two all-reduces in every layer, of one vector per position: each board sends 2 (N - 1) / N of the vectors.
BoardWork allreduce(PassShape const& s, Design const& d, MachineConstants const& machine) {
    BoardWork work;
    if (d.devices == 1) return work;
    auto const& board = machine.boards[d.device];
    bool const nvlink = d.link == Link::nvlink;
    double const times = 2.0 * layers(d);
    double const vectors = d.sequences() * s.queries * static_cast<double>(d.model->hidden) * fp16_bytes;
    work.exchanged = times * vectors * 2.0 * (d.parts() - 1.0) / d.parts();
    double const rate = (nvlink ? board.nvlink : board.pcie).si * machine.link_share;
    work.waiting = times * (nvlink ? machine.nvlink_latency : machine.pcie_latency).si + work.exchanged / rate;
    return work;
}

/// Sampling of a diffusion model reads the logits of the block several times, on every board.
BoardWork sampling(Design const& d, MachineConstants const& machine) {
    BoardWork work;
    work.bytes = machine.logit_walks * logit_bytes(d, machine);
    return work;
}

}  // namespace

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
    return {weights(shape, design), attention(shape, design),          lm_head(shape, design),
            overhead(design),       allreduce(shape, design, machine), sampling(design, machine)};
}

sim::Data board_footprint(Design const& d, MachineConstants const& machine) {
    if (d.speculation.has_model()) {
        auto alone = d;
        alone.speculation = {};
        return board_footprint(alone, machine) + board_footprint(of_draft(d), machine);
    }
    double cached = 0.0;
    for (auto const& alike : alike_layers(*d.model))
        cached += d.sequences() * held_positions(alike, context(d)) * position_bytes(d, alike);
    return sim::Data{static_cast<double>(BoardShare(d).parameters()) * weight_bytes(d) + cached +
                     logit_bytes(d, machine)};
}

sim::Data footprint(Design const& d, MachineConstants const& machine) {
    return board_footprint(d, machine) * d.parts();
}

std::int64_t BoardShare::per_board(std::int64_t count) const { return sim::divide_up(count, boards_); }

std::int64_t BoardShare::kv_heads() const {
    std::int64_t const queries = per_board(model_.heads), group = model_.heads / model_.kv_heads;
    std::int64_t fullest = 1;
    for (std::int64_t first = 0; first < model_.heads; first += queries) {
        std::int64_t const last = std::min(first + queries, model_.heads) - 1;
        fullest = std::max(fullest, last / group - first / group + 1);
    }
    return fullest;
}

std::int64_t BoardShare::matrix(WeightMatrix const& m) const {
    if (m.name == "k" || m.name == "v") return m.inputs * kv_width();
    if (m.name == "q_a" || m.name == "kv_a") return m.inputs * m.outputs;
    bool const sums_over_boards = m.name == "o" || m.name == "down";
    return sums_over_boards ? per_board(m.inputs) * m.outputs : m.inputs * per_board(m.outputs);
}

std::int64_t BoardShare::lm_head() const {
    return lm_head_weights(model_) / model_.vocabulary * per_board(model_.vocabulary);
}

std::int64_t BoardShare::other_parameters() const {
    std::int64_t const whole = total_parameters(model_);
    std::int64_t of_layers = 0;
    for (auto const& alike : alike_layers(model_)) of_layers += alike.layers * layer_weights(alike);
    std::int64_t rest = whole - of_layers - lm_head_weights(model_) * (model_.tied_embedding ? 1 : 2);
    // Biases of distributed matrices are distributed, too.
    if (model_.qkv_bias) {
        std::int64_t const on_board = per_board(model_.query_width()) + 2 * kv_width();
        rest -= model_.layers * (model_.query_width() + 2 * model_.kv_width() - on_board);
    }
    if (model_.ffn_bias) rest -= model_.layers * (model_.ffn - per_board(model_.ffn)) * (model_.gated ? 2 : 1);
    return rest;
}

std::int64_t BoardShare::parameters() const {
    std::int64_t layers = 0;
    for (auto const& alike : alike_layers(model_))
        for (auto const& m : layer_matrices(alike)) layers += alike.layers * m.count * matrix(m);
    return layers + lm_head() * (model_.tied_embedding ? 1 : 2) + other_parameters();
}

}  // namespace pimdse::models::gpu
