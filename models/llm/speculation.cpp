#include "models/llm/speculation.hpp"

#include "models/llm/generation.hpp"

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

}  // namespace pimdse::models
