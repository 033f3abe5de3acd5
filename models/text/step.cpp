#include "models/text/step.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace pimdse::models::text {
using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

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

std::vector<SummedKeys> StepCosts::summed(std::vector<PassShape> const& sequences) const {
    std::vector<SummedKeys> sums;
    for (auto const& kind : layers_) {
        auto& sum = sums.emplace_back();
        for (auto const& sequence : sequences) sum += models::summed(*kind.alike, sequence, 1.0);
    }
    return sums;
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
    auto prompts = summed(prompts_of(work)), tokens = summed(tokens_of(work));
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

PassCost StepCosts::denoising(std::vector<PassShape> const& sequences, std::int64_t yielding) const {
    double tokens = 0.0;
    for (auto const& sequence : sequences) tokens += sequence.queries;
    return pass(summed(sequences), tokens, as_double(yielding), Phase::prefill);
}

/// All denoising steps of a block; first tokens come with the first of them.
StepCost StepCosts::block(StepWork const& work) const {
    auto const steps = design_.request.steps;
    auto cost = denoising(first_denoising(design_.request, work), work.heads);
    if (work.heads == 0 || steps == 1) return cost_of(cost);
    double const first = cost.total();
    cost += denoising(later_denoising(design_.request, work), work.heads).times(as_double(steps - 1));
    auto all = cost_of(cost);
    all.first_tokens = first;
    return all;
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    std::vector<SummedKeys> attended(layers_.size());
    costs_of_steps(
        design_.request, first, costs, [&](StepWork const& work) { return one(work); },
        [&](double keys) {
            for (std::size_t i = 0; i < layers_.size(); ++i)
                attended[i] = summed_tokens(*layers_[i].alike, keys, sequences);
            return cost_of(pass(attended, sequences, as_double(first.heads), Phase::decode));
        });
}

namespace {

KeyTier tier_of(Design const& design) {
    auto const at = design.prepared->machine().tier();
    if (at == no_component) return {};
    auto const& memory = design.hardware.memories[at];
    auto const write = memory.write_attained > 0.0 ? memory.write_attained : memory.attained;
    return {memory.capacity,
            memory.attained,
            write,
            memory.latency,
            memory.fixed + memory.scaled,
            memory.write_fixed + memory.write_scaled};
}

}  // namespace

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
    engine.spread = design.hardware.numbers[machine.spread()];
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
    engine.tier = tier_of(design);
    set_sequences(engine, r, [&](LanguageModel const& alike) { return position_bytes(alike, r); });
    return engine;
}

}  // namespace pimdse::models::text
