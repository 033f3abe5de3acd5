#include "models/llm/request_passes.hpp"

namespace pimdse::models {
namespace {

/// Means over a request: how many passes it has, and the sum of the tokens before each of them.
struct Renewals {
    double passes = 0.0, before = 0.0;
};

/// A pass begins after n tokens with the probability u(n) = sum over j of P(pass yields j) u(n - j), where j is
/// geometric up to draft + 1: a renewal process (W. Feller, An Introduction to Probability Theory, XIII). The sum of
/// acceptance^(j - 1) u(n - j) over j = 1..draft is carried along.
Renewals renewals(Speculation const& s, std::int64_t later) {
    auto const n = static_cast<double>(later);
    if (s.draft == 0) return {n, n * (n - 1.0) / 2.0};
    double all_accepted = 1.0, sum = 0.0;
    for (std::int64_t token = 0; token < s.draft; ++token) all_accepted *= s.acceptance;
    auto const period = static_cast<std::size_t>(s.draft) + 1;
    std::vector<double> last(period, 0.0);  // u of the last tokens, a ring
    Renewals mean;
    for (std::size_t at = 0; at < static_cast<std::size_t>(later); ++at) {
        double& u = last[at % period];  // holds u(at - draft - 1)
        u = at == 0 ? 1.0 : (1.0 - s.acceptance) * sum + all_accepted * u;
        mean.passes += u;
        mean.before += static_cast<double>(at) * u;
        sum = u + s.acceptance * sum - all_accepted * last[(at + 1) % period];
    }
    return mean;
}

/// Passes of `queries` positions, the first of them at positions from `input` + 1 to `input` + 1 + `further`.
TokenPasses token_passes(double passes, double queries, double span, std::int64_t input, double further) {
    auto const prompt = static_cast<double>(input);
    return {passes, queries, {prompt + 1.0, prompt + further + span}, prompt + (further + span + queries) / 2.0};
}

/// Positions between the first pass and the last, as if they were evenly spaced around their mean.
double distance(Renewals const& mean) { return mean.passes == 0.0 ? -1.0 : 2.0 * mean.before / mean.passes; }

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

/// Refuses more tokens than the model has positions (`context`). Learned positions end there; for rotary ones, it is
/// the training length that the authors of the model state.
std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input, std::int64_t output) {
    if (input + output <= model.maximum_context) return std::nullopt;
    return infeasible("context", "input {} + output {} = {} tokens exceed the {} positions that {} {}", input, output,
                      input + output, model.maximum_context, model.name,
                      model.learned_positions ? "has learned" : "was made for (maximum_context)");
}

}  // namespace

double Speculation::passes(std::int64_t later) const { return renewals(*this, later).passes; }

TokenPasses verification_passes(Speculation const& s, std::int64_t input, std::int64_t later) {
    auto const positions = static_cast<double>(s.positions());
    auto const mean = renewals(s, later);
    return token_passes(mean.passes, positions, positions, input, distance(mean));
}

TokenPasses draft_passes(Speculation const& s, std::int64_t input, std::int64_t later) {
    auto const proposals = static_cast<double>(s.draft);
    auto const mean = renewals(s, later);
    return token_passes(mean.passes * proposals, 1.0, proposals, input, distance(mean));
}

std::optional<Infeasible> broken_speculation(Speculation const& s, bool by_diffusion, std::int64_t input,
                                             std::int64_t output) {
    if (s.draft == 0) return std::nullopt;
    if (by_diffusion)
        return infeasible(
            "draft",
            "draft = {} proposes tokens one after the other, but diffusion denoises the tokens of a block together",
            s.draft);
    if (s.draft_model == nullptr) return std::nullopt;
    if (s.draft_model->attention == Attention::bidirectional)
        return infeasible("draft_llm", "{} denoises blocks, so it proposes no tokens one after the other",
                          s.draft_model->name);
    return broken_context(*s.draft_model, input, output);
}

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
