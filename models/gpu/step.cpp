#include "models/gpu/step.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace pimdse::models::gpu {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

constexpr auto attention_group = static_cast<std::size_t>(PassGroup::attention);

/// A sequence of `positions` positions, of which a pass computes so many.
PassShape denoised(std::int64_t queries, std::int64_t positions) {
    auto const all = as_double(positions);
    return {as_double(queries), {all, all}, all, 0.0};
}

/// Positions before position `context` (from 1) whose keys and values it reads.
double cached_before(LanguageModel const& alike, double context) { return keys_of(alike, context) - 1.0; }

}  // namespace

StepCosts::StepCosts(Design const& design, MachineConstants const& machine)
    : design_(design), machine_(&machine), roof_(design, machine) {
    sim::expects(!broken_step_rule(design), "the steps of the design are modelled");
    for (auto const& alike : alike_layers(*design_.model))
        kinds_.push_back({&alike, layer_matrices(alike), position_bytes(alike, design_)});
    idle_ = machine.boards[design.device].idle_power.si + machine.host.si;
}

StepCosts::Attended StepCosts::attended(LanguageModel const& alike, StepWork const& work) const {
    Attended sum;
    for (auto const& chunk : work.chunks) {
        double const first = as_double(chunk.cached) + 1.0, tokens = as_double(chunk.tokens);
        double const keys = mean_keys(alike, {first, first + tokens - 1.0}), before = cached_before(alike, first);
        sum.products += attention_multiplications(alike, tokens, keys, before);
        sum.positions += before + 2.0 * tokens;
    }
    for (auto const context : work.contexts) {
        double const keys = keys_of(alike, as_double(context));
        sum.products += attention_multiplications(alike, 1.0, keys, keys - 1.0);
        sum.positions += keys + 1.0;
    }
    return sum;
}

PassWork StepCosts::work_without_attention(double tokens, std::int64_t yielding) const {
    PassWork parts{};
    for (auto const& kind : kinds_)
        add_matrix_work(*kind.alike, kind.matrices, tokens, design_,
                        parts[static_cast<std::size_t>(PassGroup::weights)]);
    parts[static_cast<std::size_t>(PassGroup::overhead)] = overhead_work(design_);
    if (yielding == 0) return parts;
    auto const positions = design_.generation == Generation::diffusion ? yielding * design_.block_length : yielding;
    parts[static_cast<std::size_t>(PassGroup::lm_head)] = head_work(as_double(positions), design_);
    parts[static_cast<std::size_t>(PassGroup::sampling)] = sampling_work(as_double(yielding), design_, *machine_);
    return parts;
}

void StepCosts::add_attention(Kind const& kind, Attended const& attended, PassWork& to) const {
    to[attention_group].operations += 2.0 * attended.products * as_double(kind.alike->layers);
    to[attention_group].bytes += attended.positions * kind.position_bytes;
}

StepCost StepCosts::cost_of(PassCost const& cost) const {
    double const seconds = cost.total();
    return {seconds, idle_ * seconds + cost.energy.sum()};
}

StepCost StepCosts::one(StepWork const& work) const {
    if (design_.generation == Generation::diffusion) return block(work);
    auto tokens = static_cast<std::int64_t>(work.contexts.size());
    for (auto const& chunk : work.chunks) tokens += chunk.tokens;
    auto parts = work_without_attention(as_double(tokens), work.heads);
    for (auto const& kind : kinds_) add_attention(kind, attended(*kind.alike, work), parts);
    return cost_of(roof_.cost_of(parts));
}

/// The first pass of a block computes all positions. A part of a prompt attends to what there is before it; the part
/// that ends the prompt is computed with all positions of the output.
StepCosts::Denoised StepCosts::first_pass(StepWork const& work) const {
    Denoised sequences;
    bool const caches = design_.cache != PassCache::none;
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
        auto const left = design_.cache == PassCache::prefix ? ahead : design_.block_length;
        sequences.push_back(denoised(design_.cache == PassCache::none ? all : left, all));
    };
    for (auto const& chunk : work.chunks)
        if (chunk.ahead > 0) add(chunk.cached + chunk.tokens, chunk.ahead);
    for (std::size_t i = 0; i < work.contexts.size(); ++i) add(work.contexts[i] - 1, work.ahead[i]);
    return sequences;
}

PassCost StepCosts::denoising(Denoised const& sequences, std::int64_t yielding) const {
    double tokens = 0.0;
    for (auto const& sequence : sequences) tokens += sequence.queries;
    auto parts = work_without_attention(tokens, yielding);
    for (auto const& kind : kinds_) {
        Attended sum;
        for (auto const& sequence : sequences) {
            auto const [keys, read] = keys_read(*kind.alike, sequence);
            sum.products += attention_multiplications(*kind.alike, sequence.queries, keys, read - sequence.queries);
            sum.positions += read + sequence.queries;
        }
        add_attention(kind, sum, parts);
    }
    return roof_.cost_of(parts);
}

/// All denoising steps of a block; first tokens come with the first of them.
StepCost StepCosts::block(StepWork const& work) const {
    sim::expects(work.ahead.size() == work.contexts.size(), "sequences of blocks have an end");
    auto cost = denoising(first_pass(work), work.heads);
    if (work.heads == 0 || design_.steps == 1) return cost_of(cost);
    double const first = cost.total();
    cost += denoising(later_passes(work), work.heads).times(as_double(design_.steps - 1));
    auto all = cost_of(cost);
    all.first_tokens = first;
    return all;
}

/// Whether contexts up to `longest` attend to one key more per step in every layer.
bool StepCosts::grows_linearly(double longest) const {
    return std::ranges::all_of(kinds_, [&](Kind const& kind) {
        return kind.alike->kv_rank == 0 && (kind.alike->window == 0 || longest <= as_double(kind.alike->window));
    });
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    if (design_.generation == Generation::diffusion) {
        many_blocks(first, costs);
        return;
    }
    auto const steps = static_cast<std::int64_t>(costs.size());
    if (!grows_linearly(as_double(std::ranges::max(first.contexts) + steps))) {
        many_one_by_one(first, costs);
        return;
    }
    auto const fixed = work_without_attention(as_double(static_cast<std::int64_t>(first.contexts.size())), first.heads);
    // Sums of whole numbers below 2^53 are exact, so this is what `one` adds up sequence by sequence.
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    double keys = 0.0;
    for (auto const context : first.contexts) keys += as_double(context);
    for (auto& cost : costs) {
        auto parts = fixed;
        for (auto const& kind : kinds_)
            add_attention(kind, {attention_multiplications(*kind.alike, 1.0, keys, 0.0), keys + sequences}, parts);
        cost = cost_of(roof_.cost_of(parts));
        keys += sequences;
    }
}

/// Only prefix caching computes other positions from block to block.
void StepCosts::many_blocks(StepWork const& first, std::span<StepCost> costs) const {
    if (design_.cache == PassCache::prefix)
        many_one_by_one(first, costs);
    else
        std::ranges::fill(costs, one(first));
}

void StepCosts::many_one_by_one(StepWork work, std::span<StepCost> costs) const {
    auto const tokens = design_.generation == Generation::diffusion ? design_.block_length : 1;
    for (auto& cost : costs) {
        cost = one(work);
        for (auto& context : work.contexts) context += tokens;
        for (auto& positions : work.ahead) positions -= tokens;
    }
}

std::optional<Infeasible> broken_step_rule(Design const& d) {
    if (d.generation == Generation::diffusion && d.block_length == 1)
        return Infeasible{"traffic", "steps that denoise single tokens are not modelled: block_length of 2 or more"};
    if (d.speculation.draft > 0)
        return Infeasible{"traffic", "steps that verify proposed tokens are not modelled: draft = 0"};
    return std::nullopt;
}

std::variant<ServiceEngine, Infeasible> service_engine(Design const& d, MachineConstants const& machine) {
    if (auto rule = broken_step_rule(d)) return *std::move(rule);
    auto const costs = std::make_shared<StepCosts const>(d, machine);
    ServiceEngine engine;
    engine.law = {[costs](StepWork const& work) { return costs->one(work); },
                  [costs](StepWork const& first, std::span<StepCost> many) { costs->many(first, many); }};
    engine.min_seconds = [costs](StepWork const& work) { return costs->one(work).seconds; };
    engine.bounds_requests = true;
    engine.idle_power = costs->idle_watts();
    double const left = machine.boards[d.device].memory.si * machine.memory_share - weight_footprint(d) -
                        logit_bytes(d.sequences(), d, machine);
    engine.cache_bytes = std::max(0.0, left);
    for (auto const& alike : alike_layers(*d.model)) engine.position_bytes += position_bytes(alike, d);
    engine.max_context = d.model->maximum_context;
    if (d.generation == Generation::diffusion) {
        engine.max_sequences = d.batch;
        engine.tokens_per_step = d.block_length;
        engine.reserves_output = true;
    }
    return engine;
}

}  // namespace pimdse::models::gpu
