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
      passes_(law_, design_.request, design_.logit_bytes()),
      standing_(design_.hardware.rest.waiting() + design_.prepared->host()) {
    sim::expects(!broken_step_rule(design_.request), "the steps of the design are modelled");
}

StepCost StepCosts::cost_of(PassCost const& cost) const {
    double const seconds = cost.total();
    return {seconds, standing_ * seconds + law_.joules(cost)};
}

/// First tokens of a block come with the first of its denoising steps.
StepCost StepCosts::one(StepWork const& work) const {
    auto passes = passes_.of(work);
    if (!passes.has_rest) return cost_of(passes.first);
    double const first = passes.first.total();
    auto all = cost_of(passes.first += passes.rest);
    all.first_tokens = first;
    return all;
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    auto const begun = passes_.begun_tokens(sequences);
    costs_of_steps(
        design_.request, first, costs, [&](StepWork const& work) { return one(work); },
        [&](double keys) { return cost_of(passes_.of_tokens(begun, keys, sequences, as_double(first.heads))); });
}

namespace {

/// A block whose layout is another one in the tier is written and read again in the memory of the cache, so many times,
/// in turn with the link.
KeyTier tier_of(Design const& design) {
    auto const& machine = design.prepared->machine();
    auto const at = machine.tier();
    if (at == no_component) return {};
    auto const& memory = design.hardware.memories[at];
    auto const write = memory.write_attained > 0.0 ? memory.write_attained : memory.attained;
    KeyTier tier{memory.capacity,
                 memory.attained,
                 write,
                 memory.latency,
                 memory.fixed + memory.scaled,
                 memory.write_fixed + memory.write_scaled};
    double const times = design.hardware.numbers[machine.memories()[at].relayout];
    if (times == 0.0 || machine.cache_in() == no_component) return tier;
    auto const& cache = design.hardware.memories[machine.cache_in()];
    auto const bytes_per_second = [&](double of_link) {
        return 1.0 / (1.0 / of_link + times * MemoryFigures::seconds(1.0, 1.0, cache.attained, cache.write_attained));
    };
    double const joules = times * (cache.fixed + cache.scaled + cache.write_fixed + cache.write_scaled);
    tier.read_bandwidth = bytes_per_second(tier.read_bandwidth);
    tier.write_bandwidth = bytes_per_second(tier.write_bandwidth);
    tier.read_energy += joules;
    tier.write_energy += joules;
    return tier;
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
    // Tiles and rounds in banks may fit the parts of a prompt better than the whole, and a unit that is chosen by
    // energy may be slower for a sequence alone.
    engine.bounds_requests =
        machine.choices().empty() && std::ranges::none_of(design.hardware.units, [](UnitFigures const& unit) {
            return unit.rows > 0.0 || unit.bank != nullptr || unit.tile_buffer > 0.0;
        });
    engine.spread = design.hardware.numbers[machine.spread()];
    engine.idle_power = design.hardware.rest.idle() + design.prepared->host();
    if (machine.cache_in() != no_component) {
        double const memory = design.hardware.memories[machine.cache_in()].capacity;
        double left = memory;
        if (machine.weights_in() == machine.cache_in())
            left -= weight_footprint(r) + logit_footprint(r, design.logit_bytes());
        engine.cache_bytes = std::max(0.0, left);
        engine.device_memory = memory / design.hardware.numbers[machine.memories()[machine.cache_in()].usable];
        if (left > 0.0) engine.memory_over_cache = memory / left;
    }
    engine.tier = tier_of(design);
    set_sequences(engine, r, [&](LanguageModel const& alike) { return position_bytes(alike, r); });
    return engine;
}

}  // namespace pimdse::models::text
