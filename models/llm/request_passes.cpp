#include "models/llm/request_passes.hpp"

namespace pimdse::models {
namespace {

/// Autoregressive generation: a pass for the prompt, which yields the first token, and passes that yield one token each
/// or, where tokens are proposed, several. A draft model reads the prompt, too, and makes a pass for each proposal.
RequestPasses passes_of_tokens(ModelRequest const& r) {
    auto const verified = verification_passes(r.speculation, r.input, r.output - 1);
    RequestPasses passes{{{prompt_pass(r)}}, 0.0, {{token_pass(verified)}}, verified.passes};
    if (!r.speculation.has_model()) return passes;
    auto const proposed = draft_passes(r.speculation, r.input, r.output - 1);
    passes.first.push_back({prompt_pass(r), 1.0, true});
    passes.round.push_back({token_pass(proposed), static_cast<double>(r.speculation.draft), true});
    return passes;
}

/// Each block is one pass over all positions and `steps` - 1 passes over the positions that are not cached.
RequestPasses passes_of_blocks(ModelRequest const& r) {
    auto const all = static_cast<double>(r.longest_context()), block = static_cast<double>(r.block_length);
    auto const blocks = static_cast<double>(r.output / r.block_length), later = static_cast<double>(r.steps - 1);
    RequestPasses passes{{{denoising_pass(r, all)}}, blocks - 1.0, {}, later};
    if (r.cache == PassCache::prefix) {
        for (double left = blocks; left >= 1.0; left -= 1.0) passes.round.push_back({denoising_pass(r, block * left)});
        return passes;
    }
    passes.round.push_back({denoising_pass(r, r.cache == PassCache::none ? all : block)});
    passes.rounds = blocks * later;
    return passes;
}

}  // namespace

std::vector<EqualPasses> RequestPasses::rest() const {
    std::vector<EqualPasses> all;
    auto const add = [&](std::vector<EqualPasses> const& passes, double times) {
        for (auto const& equal : passes) all.push_back({equal.shape, equal.times * times, equal.of_draft});
    };
    if (repeats > 0.0) add(first, repeats);
    add(round, rounds);
    return all;
}

PassShape prompt_pass(ModelRequest const& r) {
    auto const prompt = static_cast<double>(r.input);
    return {prompt, {1.0, prompt}, prompt, 1.0};
}

PassShape token_pass(TokenPasses const& p) { return {p.queries, p.contexts, p.cached, p.queries, true}; }

PassShape denoising_pass(ModelRequest const& r, double queries) {
    auto const context = static_cast<double>(r.longest_context());
    return {queries, {context, context}, context, static_cast<double>(r.block_length)};
}

RequestPasses passes_of(ModelRequest const& r) { return r.diffuses() ? passes_of_blocks(r) : passes_of_tokens(r); }

std::optional<Infeasible> broken_generation(ModelRequest const& r, bool denoises_any) {
    bool const diffuses = r.model->attention == Attention::bidirectional;
    if (diffuses != r.diffuses() && (diffuses || !denoises_any))
        return infeasible("generation", "{} generates by {}", r.model->name,
                          diffuses ? "diffusion (generation = diffusion)" : "tokens (generation = autoregressive)");
    if (auto broken = broken_context(*r.model, r.input, r.output)) return broken;
    if (r.diffuses() && r.output % r.block_length != 0)
        return infeasible("blocks", "output must be a multiple of block_length = {} (got {})", r.block_length,
                          r.output);
    return std::nullopt;
}

}  // namespace pimdse::models
