#include "models/text/model_passes.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::models::text {
using sim::as_double;
using sim::serving::StepWork;

ModelPasses::ModelPasses(CostLaw law, LlmRequest const& request, double logit, bool whole_tiles)
    : law_(law),
      request_(request),
      layers_(layer_work(request)),
      logit_(logit),
      prompt_tile_(law.query_tile(Phase::prefill)) {
    if (!whole_tiles) prompt_tile_.rows = std::min(1.0, prompt_tile_.rows);
}

bool ModelPasses::waits_for_memory(double context) const {
    std::vector<std::pair<Operator, OperatorWork>> attention;
    auto const take = [&](Operator op, OperatorWork work) {
        work.kernels = 0.0;
        attention.emplace_back(op, work);
    };
    PassShape const token{1.0, {context, context}, context, 1.0, true};
    auto const tile = law_.query_tile(Phase::decode);
    for (auto const& kind : layers_)
        attention_operators(kind, models::summed(*kind.alike, token, request_.sequences(), tile), TakeOperator(take));
    auto const limited = law_.operators(request_, attention, Phase::decode).limited;
    return std::ranges::max_element(limited) - limited.begin() < static_cast<std::ptrdiff_t>(max_memories);
}

/// Reads of keys grow with the context, and tasks do not: the memory takes over once.
PassCost ModelPasses::of_tokens(PassShape const& mean, double passes) const {
    auto [few, many] = mean.contexts;
    bool const changes = mean.queries == 1.0 && few < many && law_.tasks_occupy(Phase::decode) &&
                         !waits_for_memory(few) && waits_for_memory(many);
    if (!changes) return of(mean, Phase::decode).times(passes);
    while (many - few > 1.0) {
        double const middle = std::floor((few + many) / 2.0);
        (waits_for_memory(middle) ? many : few) = middle;
    }
    auto const part = [&](double first, double last) {
        auto shape = mean;
        shape.contexts = {first, last};
        shape.cached = (first + last) / 2.0;
        return of(shape, Phase::decode).times(last - first + 1.0);
    };
    auto all = part(mean.contexts.first, few);
    return all += part(many, mean.contexts.last);
}

std::vector<SummedKeys> ModelPasses::summed(std::vector<PassShape> const& sequences, QueryTile tile) const {
    std::vector<SummedKeys> sums;
    for (auto const& kind : layers_) {
        auto& sum = sums.emplace_back();
        for (auto const& sequence : sequences) sum += models::summed(*kind.alike, sequence, 1.0, tile);
    }
    return sums;
}

PassCost ModelPasses::pass(std::vector<SummedKeys> const& attended, double tokens, double yielding, Phase phase) const {
    double const heads = request_.diffuses() ? yielding * as_double(request_.block_length) : yielding;
    return law_.pass(law_.begun(request_, layers_.front(), tokens, phase), request_, layers_, attended,
                     {tokens, heads, yielding}, phase, logit_);
}

/// Sums over parts of prompts and over tokens; together, they go through the weights once.
PassCost ModelPasses::tokens_and_chunks(StepWork const& work) const {
    std::int64_t of_prompts = 0;
    for (auto const& chunk : work.chunks) of_prompts += chunk.tokens;
    auto const generated = static_cast<std::int64_t>(work.contexts.size());
    auto prompts = summed(prompts_of(work), prompt_tile_);
    auto const tokens = summed(tokens_of(work), law_.query_tile(Phase::decode));
    if (!law_.run_rules().phases_differ() || work.chunks.empty() || generated == 0) {
        for (std::size_t i = 0; i < prompts.size(); ++i) prompts[i] += tokens[i];
        return pass(prompts, as_double(of_prompts + generated), as_double(work.heads),
                    work.chunks.empty() ? Phase::decode : Phase::prefill);
    }
    auto cost = pass(prompts, as_double(of_prompts), as_double(work.heads - generated), Phase::prefill);
    return cost += pass(tokens, as_double(generated), as_double(generated), Phase::decode);
}

PassCost ModelPasses::denoising(std::vector<PassShape> const& sequences, std::int64_t yielding) const {
    double tokens = 0.0;
    for (auto const& sequence : sequences) tokens += sequence.queries;
    return pass(summed(sequences, law_.query_tile(Phase::prefill)), tokens, as_double(yielding), Phase::prefill);
}

ModelPasses::Step ModelPasses::of(StepWork const& work) const {
    if (!request_.diffuses()) return {tokens_and_chunks(work), {}};
    auto const steps = request_.steps;
    Step step{denoising(first_denoising(request_, work), work.heads), {}, work.heads > 0 && steps > 1};
    if (step.has_rest) step.rest = denoising(later_denoising(request_, work), work.heads).times(as_double(steps - 1));
    return step;
}

PassCost ModelPasses::of_tokens(PassSum const& begun, double keys, double sequences, double yielding) const {
    std::vector<SummedKeys> attended;
    for (auto const& kind : layers_)
        attended.push_back(summed_tokens(*kind.alike, keys, sequences, law_.query_tile(Phase::decode)));
    return law_.pass(begun, request_, layers_, attended, {sequences, yielding, yielding}, Phase::decode, logit_);
}

}  // namespace pimdse::models::text
