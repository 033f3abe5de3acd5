#include "models/text/step.hpp"

#include "models/llm/state.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace pimdse::models::text {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

/// A sequence of `positions` positions, of which a pass computes so many.
PassShape denoised(std::int64_t queries, std::int64_t positions) {
    auto const all = as_double(positions);
    return {as_double(queries), {all, all}, all, 0.0};
}

/// Positions before position `context` (from 1) whose keys and values it reads.
double cached_before(LanguageModel const& alike, double context) {
    return std::max(0.0, keys_of(alike, context) - 1.0);
}

SummedKeys of_token(LanguageModel const& alike, double context) {
    double const keys = keys_of(alike, context);
    return summed(alike, {1.0, context - 1.0, keys, keys, true, context}, 1.0);
}

/// The sum of of_token over so many sequences, whose contexts add up to `keys`, without windows.
SummedKeys of_tokens(LanguageModel const& alike, double keys, double sequences) {
    auto sum = summed(alike, {1.0, 1.0, 1.0, 1.0, true, 1.0}, sequences);
    if (alike.attends) {
        sum.products = attention_multiplications(alike, 1.0, keys, 0.0);
        sum.read = sum.pairs = sum.square = keys;
    }
    if (alike.indexer.positions > 0) sum.indexed = sum.index_read = keys;
    return sum;
}

}  // namespace

StepCosts::StepCosts(Design design)
    : design_(std::move(design)),
      law_(design_.prepared->machine(), design_.hardware, design_.fidelity),
      layers_(layer_work(design_.request)),
      standing_(design_.hardware.standing() + design_.prepared->host()) {
    sim::expects(!broken_step_rule(design_.request), "the steps of the design are modelled");
    auto const& machine = design_.prepared->machine();
    for (std::size_t op = 0; op < operator_names.size(); ++op)
        if (machine.rule_of(Phase::prefill, static_cast<Operator>(op)) !=
            machine.rule_of(Phase::decode, static_cast<Operator>(op)))
            phases_differ_ = true;
}

SummedKeys StepCosts::of_chunks(LanguageModel const& alike, StepWork const& work) const {
    SummedKeys sum;
    for (auto const& chunk : work.chunks) {
        double const first = as_double(chunk.cached) + 1.0, tokens = as_double(chunk.tokens);
        double const keys = mean_keys(alike, {first, first + tokens - 1.0}), before = cached_before(alike, first);
        sum += summed(alike, {tokens, first - 1.0, keys, before + tokens, false, first + (tokens - 1.0) / 2.0}, 1.0);
    }
    return sum;
}

SummedKeys StepCosts::of_contexts(LanguageModel const& alike, StepWork const& work) const {
    SummedKeys sum;
    for (auto const context : work.contexts) {
        sum += of_token(alike, as_double(context));
    }
    return sum;
}

PassCost StepCosts::pass(std::vector<SummedKeys> const& attended, double tokens, double yielding, Phase phase) const {
    auto const& r = design_.request;
    double const heads = r.diffuses() ? yielding * as_double(r.block_length) : yielding;
    return law_.pass(r, layers_, attended, {tokens, heads, yielding}, phase, design_.logit_bytes());
}

StepCost StepCosts::cost_of(PassCost const& cost) const {
    double const seconds = cost.total();
    return {seconds, standing_ * seconds + law_.joules(cost)};
}

/// Sums over parts of prompts and over tokens; together, they go through the weights once.
PassCost StepCosts::tokens_and_chunks(StepWork const& work) const {
    std::int64_t of_prompts = 0;
    for (auto const& chunk : work.chunks) of_prompts += chunk.tokens;
    auto const generated = static_cast<std::int64_t>(work.contexts.size());
    std::vector<SummedKeys> prompts, tokens;
    for (auto const& kind : layers_) {
        prompts.push_back(of_chunks(*kind.alike, work));
        tokens.push_back(of_contexts(*kind.alike, work));
    }
    if (!phases_differ_ || work.chunks.empty() || generated == 0) {
        for (std::size_t i = 0; i < prompts.size(); ++i) prompts[i] += tokens[i];
        return pass(prompts, as_double(of_prompts + generated), as_double(work.heads),
                    work.chunks.empty() ? Phase::decode : Phase::prefill);
    }
    auto cost = pass(prompts, as_double(of_prompts), as_double(work.heads - generated), Phase::prefill);
    return cost += pass(tokens, as_double(generated), as_double(generated), Phase::decode);
}

StepCost StepCosts::one(StepWork const& work) const {
    return design_.request.diffuses() ? block(work) : cost_of(tokens_and_chunks(work));
}

/// The first pass of a block computes all positions. A part of a prompt attends to what there is before it; the part
/// that ends the prompt is computed with all positions of the output.
StepCosts::Denoised StepCosts::first_pass(StepWork const& work) const {
    Denoised sequences;
    bool const caches = design_.request.cache != PassCache::none;
    for (auto const& chunk : work.chunks) {
        auto const all = chunk.cached + chunk.tokens + chunk.ahead;
        sequences.push_back(denoised(caches ? chunk.tokens + chunk.ahead : all, all));
    }
    for (std::size_t i = 0; i < work.contexts.size(); ++i) {
        auto const all = work.contexts[i] - 1 + work.ahead[i];
        sequences.push_back(denoised(all, all));
    }
    return sequences;
}

StepCosts::Denoised StepCosts::later_passes(StepWork const& work) const {
    Denoised sequences;
    auto const add = [&](std::int64_t before, std::int64_t ahead) {
        auto const all = before + ahead;
        auto const left = design_.request.cache == PassCache::prefix ? ahead : design_.request.block_length;
        sequences.push_back(denoised(design_.request.cache == PassCache::none ? all : left, all));
    };
    for (auto const& chunk : work.chunks)
        if (chunk.ahead > 0) add(chunk.cached + chunk.tokens, chunk.ahead);
    for (std::size_t i = 0; i < work.contexts.size(); ++i) add(work.contexts[i] - 1, work.ahead[i]);
    return sequences;
}

PassCost StepCosts::denoising(Denoised const& sequences, std::int64_t yielding) const {
    double tokens = 0.0;
    for (auto const& sequence : sequences) tokens += sequence.queries;
    std::vector<SummedKeys> attended;
    for (auto const& kind : layers_) {
        SummedKeys sum;
        for (auto const& sequence : sequences) {
            auto const [keys, read] = keys_read(*kind.alike, sequence);
            sum += summed(*kind.alike, {sequence.queries, 0.0, keys, read, false, sequence.contexts.last}, 1.0);
        }
        attended.push_back(sum);
    }
    return pass(attended, tokens, as_double(yielding), Phase::prefill);
}

/// All denoising steps of a block; first tokens come with the first of them.
StepCost StepCosts::block(StepWork const& work) const {
    sim::expects(work.ahead.size() == work.contexts.size(), "sequences of blocks have an end");
    auto const steps = design_.request.steps;
    auto cost = denoising(first_pass(work), work.heads);
    if (work.heads == 0 || steps == 1) return cost_of(cost);
    double const first = cost.total();
    cost += denoising(later_passes(work), work.heads).times(as_double(steps - 1));
    auto all = cost_of(cost);
    all.first_tokens = first;
    return all;
}

/// Whether contexts up to `longest` attend to one key more per step in every layer.
bool StepCosts::grows_linearly(std::int64_t longest) const {
    return std::ranges::all_of(layers_, [&](LayerKindWork const& kind) {
        return kind.alike->kv_rank == 0 && exceeded_window(*kind.alike, longest) == 0;
    });
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    if (design_.request.diffuses()) {
        many_blocks(first, costs);
        return;
    }
    auto const steps = static_cast<std::int64_t>(costs.size());
    if (!grows_linearly(std::ranges::max(first.contexts) + steps)) {
        many_one_by_one(first, costs);
        return;
    }
    // Sums of whole numbers below 2^53 are exact, so this is what `one` adds up sequence by sequence.
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    double keys = 0.0;
    for (auto const context : first.contexts) keys += as_double(context);
    std::vector<SummedKeys> attended(layers_.size());
    for (auto& cost : costs) {
        for (std::size_t i = 0; i < layers_.size(); ++i) attended[i] = of_tokens(*layers_[i].alike, keys, sequences);
        cost = cost_of(pass(attended, sequences, as_double(first.heads), Phase::decode));
        keys += sequences;
    }
}

/// Only prefix caching computes other positions from block to block.
void StepCosts::many_blocks(StepWork const& first, std::span<StepCost> costs) const {
    if (design_.request.cache == PassCache::prefix)
        many_one_by_one(first, costs);
    else
        std::ranges::fill(costs, one(first));
}

void StepCosts::many_one_by_one(StepWork work, std::span<StepCost> costs) const {
    auto const tokens = design_.request.diffuses() ? design_.request.block_length : 1;
    for (auto& cost : costs) {
        cost = one(work);
        for (auto& context : work.contexts) context += tokens;
        for (auto& positions : work.ahead) positions -= tokens;
    }
}

std::optional<Infeasible> broken_step_rule(LlmRequest const& r) {
    if (r.diffuses() && r.block_length == 1)
        return Infeasible{"traffic", "steps that denoise single tokens are not modelled: block_length of 2 or more"};
    if (r.speculation.draft > 0)
        return Infeasible{"traffic", "steps that verify proposed tokens are not modelled: draft = 0"};
    return std::nullopt;
}

std::variant<ServiceEngine, Infeasible> service_engine(Design const& design) {
    auto const& r = design.request;
    if (auto rule = broken_step_rule(r)) return *std::move(rule);
    auto const costs = std::make_shared<StepCosts const>(design);
    auto const& machine = design.prepared->machine();
    ServiceEngine engine;
    engine.law = {[costs](StepWork const& work) { return costs->one(work); },
                  [costs](StepWork const& first, std::span<StepCost> many) { costs->many(first, many); }};
    engine.min_seconds = [costs](StepWork const& work) { return costs->one(work).seconds; };
    // Tiles of arrays and rounds in banks may fit the parts of a prompt better than the whole.
    engine.bounds_requests = std::ranges::none_of(machine.units(), [](UnitSlots const& unit) {
        return unit.kind == UnitKind::array || unit.kind == UnitKind::bank_pim;
    });
    engine.idle_power = design.hardware.idle + design.prepared->host();
    if (machine.cache_in() != no_component) {
        double const memory = design.hardware.memories[machine.cache_in()].capacity;
        double left = memory;
        if (machine.weights_in() == machine.cache_in())
            left -= weight_footprint(r) + logit_footprint(r.sequences(), r, design.logit_bytes());
        engine.cache_bytes = std::max(0.0, left);
        engine.device_memory = memory / design.hardware.numbers[machine.memories()[machine.cache_in()].usable];
        if (left > 0.0) engine.memory_over_cache = memory / left;
    }
    for (auto const& alike : alike_layers(*r.model)) engine.position_bytes += position_bytes(alike, r);
    engine.windows = windows_of(*r.model, [&](LanguageModel const& alike) { return position_bytes(alike, r); });
    engine.state_bytes = sequence_state_bytes(*r.model);
    engine.moved = {engine.position_bytes, engine.state_bytes};
    engine.chunk = chunk_of(*r.model);
    engine.max_context = r.model->maximum_context;
    if (r.diffuses()) {
        engine.max_sequences = r.batch;
        engine.tokens_per_step = r.block_length;
        engine.reserves_output = true;
    }
    return engine;
}

}  // namespace pimdse::models::text
