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

/// Positions before position `context` (from 1) whose keys and values it reads.
double cached_before(LanguageModel const& alike, double context) { return keys_of(alike, context) - 1.0; }

}  // namespace

StepCosts::StepCosts(Design const& design, MachineConstants const& machine) : design_(design), roof_(design, machine) {
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

PassWork StepCosts::work_without_attention(StepWork const& work) const {
    auto tokens = static_cast<std::int64_t>(work.contexts.size());
    for (auto const& chunk : work.chunks) tokens += chunk.tokens;
    PassWork parts{};
    for (auto const& kind : kinds_)
        add_matrix_work(*kind.alike, kind.matrices, as_double(tokens), design_,
                        parts[static_cast<std::size_t>(PassGroup::weights)]);
    if (work.heads > 0) parts[static_cast<std::size_t>(PassGroup::lm_head)] = head_work(as_double(work.heads), design_);
    parts[static_cast<std::size_t>(PassGroup::overhead)] = overhead_work(design_);
    return parts;
}

void StepCosts::add_attention(Kind const& kind, Attended const& attended, PassWork& to) const {
    to[attention_group].operations += 2.0 * attended.products * as_double(kind.alike->layers);
    to[attention_group].bytes += attended.positions * kind.position_bytes;
}

StepCost StepCosts::cost_of(PassWork const& work) const {
    auto const cost = roof_.cost_of(work);
    double const seconds = cost.total();
    return {seconds, idle_ * seconds + cost.energy.sum()};
}

StepCost StepCosts::one(StepWork const& work) const {
    auto parts = work_without_attention(work);
    for (auto const& kind : kinds_) add_attention(kind, attended(*kind.alike, work), parts);
    return cost_of(parts);
}

/// Whether contexts up to `longest` attend to one key more per step in every layer.
bool StepCosts::grows_linearly(double longest) const {
    return std::ranges::all_of(kinds_, [&](Kind const& kind) {
        return kind.alike->kv_rank == 0 && (kind.alike->window == 0 || longest <= as_double(kind.alike->window));
    });
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const steps = static_cast<std::int64_t>(costs.size());
    if (!grows_linearly(as_double(std::ranges::max(first.contexts) + steps))) {
        auto work = first;
        for (auto& cost : costs) {
            cost = one(work);
            for (auto& context : work.contexts) ++context;
        }
        return;
    }
    auto const fixed = work_without_attention(first);
    // Sums of whole numbers below 2^53 are exact, so this is what `one` adds up sequence by sequence.
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    double keys = 0.0;
    for (auto const context : first.contexts) keys += as_double(context);
    for (auto& cost : costs) {
        auto parts = fixed;
        for (auto const& kind : kinds_)
            add_attention(kind, {attention_multiplications(*kind.alike, 1.0, keys, 0.0), keys + sequences}, parts);
        cost = cost_of(parts);
        keys += sequences;
    }
}

std::optional<Infeasible> broken_step_rule(Design const& d) {
    if (d.generation == Generation::diffusion)
        return Infeasible{"traffic", "steps of denoised blocks are not modelled: generation = autoregressive"};
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
    engine.least_seconds = [costs](StepWork const& work) { return costs->one(work).seconds; };
    engine.idle_power = costs->idle_watts();
    double const left = machine.boards[d.device].memory.si * machine.memory_share - weight_footprint(d);
    engine.cache_bytes = std::max(0.0, left);
    for (auto const& alike : alike_layers(*d.model)) engine.position_bytes += position_bytes(alike, d);
    engine.max_context = d.model->maximum_context;
    return engine;
}

}  // namespace pimdse::models::gpu
