#include "models/text/model_passes.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace pimdse::models::text {
using sim::as_double;
using sim::serving::StepWork;

ModelPasses::ModelPasses(CostLaw law, LlmRequest const& request, double logit, bool whole_tiles)
    : law_(law),
      request_(request),
      layers_(law.machine().parts_take_all() ? std::vector<LayerKindWork>{} : layer_work(request)),
      logit_(logit),
      prompt_tile_(law.query_tile(Phase::prefill)),
      token_tile_(law.query_tile(Phase::decode)) {
    if (!whole_tiles && !request.diffuses()) prompt_tile_.rows = std::min(1.0, prompt_tile_.rows);
}

PassCost ModelPasses::of(BegunPass const* begun, PassShape const& shape, Phase phase, PassPlace place) const {
    double const sequences = request_.sequences();
    if (law_.machine().whole(phase) != max_rules)
        return law_.whole({request_, phase, std::array{PartSequences{shape, sequences}}, positions_of(shape), false,
                           place.is_later, place.begins});
    auto const& tile = phase == Phase::prefill ? prompt_tile_ : token_tile_;
    std::vector<SummedKeys> attended;
    attended.reserve(layers_.size());
    for (auto const& kind : layers_) attended.push_back(models::summed(*kind.alike, shape, sequences, tile));
    return begun == nullptr ? law_.pass(request_, layers_, attended, positions_of(shape), phase, logit_)
                            : law_.pass(*begun, request_, layers_, attended, phase);
}

/// Where tokens at the mean context cost half of what both ends do, nothing bends in between: the times of roofs are
/// convex, and what windows leave of the keys is concave.
PassCost ModelPasses::mean_between(BegunPass const& begun, ContextRange const& contexts, PassCost const& first,
                                   PassCost const& last) const {
    constexpr double rounding = 0x1p-44;
    auto const count = contexts.last - contexts.first + 1.0;
    if (count == 1.0) return first;
    if (count == 2.0) {
        auto ends = first;
        return (ends += last).times(1.0 / count);
    }
    auto mean = token(begun, contexts);
    auto const is_half = [&](double half, double all) { return std::abs(2.0 * half - all) <= rounding * all; };
    if (is_half(mean.total(), first.total() + last.total()) &&
        is_half(law_.joules(mean), law_.joules(first) + law_.joules(last)))
        return mean;
    double const middle = std::floor((contexts.first + contexts.last) / 2.0), next = middle + 1.0;
    auto const here = [&](double context) { return token(begun, {context, context}); };
    auto sum = mean_between(begun, {contexts.first, middle}, first, here(middle)).times(next - contexts.first);
    sum.add(mean_between(begun, {next, contexts.last}, here(next), last), contexts.last - middle);
    return sum.times(1.0 / count);
}

PassCost ModelPasses::mean_token(ContextRange const& contexts) const {
    constexpr int parts = 4;  // 2^parts between a power of two and the next, each of which counts at its mean
    auto const begun = this->begun(positions_of({1.0, contexts, 0.0, 1.0, true}), Phase::decode);
    auto const [first, last] = contexts;
    double const count = last - first + 1.0;
    if (!(count > 1.0) || law_.machine().whole(Phase::decode) != max_rules) return token(begun, contexts);
    if (!law_.attends_in_steps(Phase::decode))
        return mean_between(begun, contexts, token(begun, {first, first}), token(begun, {last, last}));
    PassCost sum;
    for (double from = first; from <= last;) {
        double const width = std::exp2(std::max(0, std::ilogb(from) - parts));
        double const next = std::min(last + 1.0, (std::floor(from / width) + 1.0) * width);
        sum.add(token(begun, {from, next - 1.0}), next - from);
        from = next;
    }
    return sum.times(1.0 / count);
}

PassPositions ModelPasses::positions(double tokens, double yielding) const {
    return {tokens, request_.diffuses() ? yielding * as_double(request_.block_length) : yielding, yielding};
}

/// Sums over parts of prompts and over tokens; together, they go through the weights once.
PassCost ModelPasses::pass(std::vector<PassShape> const& prompts, std::span<std::int64_t const> contexts,
                           double yielding, Phase phase, PassPlace place) const {
    auto queries = as_double(std::ssize(contexts));
    for (auto const& prompt : prompts) queries += prompt.queries;
    if (law_.machine().whole(phase) != max_rules) {
        std::vector<PartSequences> sequences;
        sequences.reserve(prompts.size() + contexts.size());
        for (auto const& prompt : prompts) sequences.push_back({prompt, 1.0});
        for (auto const context : contexts) sequences.push_back({token_at(context), 1.0});
        return law_.whole(
            {request_, phase, sequences, positions(queries, yielding), true, place.is_later, place.begins});
    }
    return law_.pass(request_, layers_, attended(prompts, contexts), positions(queries, yielding), phase, logit_);
}

std::vector<SummedKeys> ModelPasses::attended(std::vector<PassShape> const& prompts,
                                              std::span<std::int64_t const> contexts) const {
    std::vector<SummedKeys> attended;
    attended.reserve(layers_.size());
    for (auto const& kind : layers_) {
        auto& sum = attended.emplace_back();
        for (auto const& prompt : prompts) sum += models::summed(*kind.alike, prompt, 1.0, prompt_tile_);
        sum += summed_tokens(*kind.alike, contexts, token_tile_);
    }
    return attended;
}

PassCost ModelPasses::tokens_and_chunks(StepWork const& work) const {
    auto const prompts = prompts_of(work);
    auto const generated = as_double(std::ssize(work.contexts)), heads = as_double(work.heads);
    PassPlace const place{.begins = !prompts.empty()};
    if (!law_.machine().phases_differ() || prompts.empty() || work.contexts.empty())
        return pass(prompts, work.contexts, heads, prompts.empty() ? Phase::decode : Phase::prefill, place);
    auto cost = pass(prompts, {}, heads - generated, Phase::prefill, place);
    return cost += pass({}, work.contexts, generated, Phase::decode);
}

PassCost ModelPasses::denoising(std::vector<PassShape> const& sequences, std::int64_t yielding, PassPlace place) const {
    return pass(sequences, {}, as_double(yielding), Phase::prefill, place);
}

ModelPasses::Step ModelPasses::of(StepWork const& work) const {
    if (!request_.diffuses()) return {tokens_and_chunks(work)};
    auto const steps = request_.steps;
    Step step{denoising(first_denoising(request_, work), work.heads, {.begins = !work.chunks.empty()})};
    if (work.heads > 0 && steps > 1)
        step.rest =
            denoising(later_denoising(request_, work), work.heads, {.is_later = true}).times(as_double(steps - 1));
    return step;
}

BegunPass ModelPasses::begun_tokens(StepWork const& work) const {
    return begun(positions(as_double(std::ssize(work.contexts)), as_double(work.heads)), Phase::decode);
}

namespace {

/// What parts take beside the passes of a request, each by its rule for whole passes of that phase, or else by the
/// first of its rules.
void add_beside_passes(CostLaw const& law, LlmRequest const& request, Phase later, PassCosts& to) {
    auto const& machine = law.machine();
    auto const& rules = machine.rules();
    for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
        auto const is_earlier = [&](Rule const& other) { return other.part != nullptr && other.unit == rule->unit; };
        if (rule->part == nullptr || std::any_of(rules.begin(), rule, is_earlier)) continue;
        auto const beside = law.unit_of(*rule).part->beside_passes(request);
        auto const takes = [&](Phase phase) {
            auto const whole = machine.whole(phase);
            return whole != max_rules && rules[whole].unit == rule->unit;
        };
        auto const add = [&](PartCost const& part, Phase phase, PassCost& cost) {
            auto const first = static_cast<std::size_t>(rule - rules.begin());
            law.add(part, takes(phase) ? machine.whole(phase) : first, 0.0, cost);
            cost.min += part.seconds.lower;
            cost.min_joules += sum_of(part.joules) - part.joules_below;
        };
        add(beside.first, Phase::prefill, to.first);
        if (!rule->part->takes_passes() || takes(later)) add(beside.rest, later, to.rest);
    }
}

}  // namespace

PassCosts cost_of_request(CostLaw const& law, LlmRequest const& request, double logit) {
    ModelPasses const own(law, request, logit);
    std::optional<ModelPasses> proposing;
    if (request.speculation.has_model()) proposing.emplace(law, of_draft(request), logit);
    auto const later = request.diffuses() ? Phase::prefill : Phase::decode;
    bool const by_token = later == Phase::decode && request.speculation.draft == 0;
    auto const cost = [&](EqualPasses const& passes, Phase phase, PassPlace place) {
        if (by_token && place.is_later) return own.mean_token(passes.shape.contexts);
        return (passes.of_draft ? *proposing : own).of(passes.shape, phase, place);
    };
    auto const all = passes_of(request);
    PassCosts sum;
    for (auto const& passes : all.first) {
        auto const one = cost(passes, Phase::prefill, {.begins = true});
        sum.first += one;
        if (all.repeats > 0.0)
            sum.rest.add(law.machine().whole(Phase::prefill) == max_rules ? one : cost(passes, Phase::prefill, {}),
                         all.repeats);
    }
    for (auto const& passes : all.round) {
        auto const one = cost(passes, later, {.is_later = true});
        sum.round.add(one, passes.times);
        sum.rest.add(one, passes.times * all.rounds);
    }
    add_beside_passes(law, request, later, sum);
    return sum;
}

PassCosts cost_of_operator(CostLaw const& law, LlmRequest const& request, Operator op, OperatorWork const& work) {
    PassCosts beside;
    add_beside_passes(law, request, Phase::prefill, beside);
    PassCosts sum{law.operators(request, {{op, work}}, Phase::prefill), {}, {}};
    (sum.first += beside.first) += beside.rest;
    return sum;
}

}  // namespace pimdse::models::text
