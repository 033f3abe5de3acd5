#include "models/gpu/analytic.hpp"

#include "models/contract/common_metrics.hpp"

namespace pimdse::models::gpu {
namespace {

constexpr sim::BoundKinds time_bounds{Bound::proved, Bound::calibrated};

Estimate seconds_of(Stretch const& stretch) {
    return Estimate::within(stretch.total(), stretch.least, stretch.most, time_bounds);
}

/// A pass for the prompt, which yields the first token, and one for each token after it.
void generate_tokens(Answer& answer, Roof const& roof, MachineConstants const& machine) {
    auto const& d = answer.design;
    auto const steps = static_cast<double>(d.output - 1);
    answer.first = roof.cost_of(work_of(prompt_pass(d), d, machine));
    answer.rest = roof.cost_of(work_of(token_pass(d, steps), d, machine)).times(steps);
}

/// Positions that a step of block `block` (from 0) computes that is not its first.
double computed_positions(Design const& d, double blocks, double block) {
    if (d.cache == PassCache::none) return static_cast<double>(d.longest_context());
    return static_cast<double>(d.block_length) * (d.cache == PassCache::prefix ? blocks - block : 1.0);
}

/// Each block is one pass over all positions and one less than `steps` over what the cache leaves.
void denoise_blocks(Answer& answer, Roof const& roof, MachineConstants const& machine) {
    auto const& d = answer.design;
    auto const blocks = static_cast<double>(d.output / d.block_length);
    auto const later = static_cast<double>(d.steps - 1);
    auto const pass = [&](double queries) { return roof.cost_of(work_of(denoising_pass(d, queries), d, machine)); };
    answer.first = pass(static_cast<double>(d.longest_context()));
    answer.rest = answer.first.times(blocks - 1.0);
    if (d.cache != PassCache::prefix) {
        answer.rest += pass(computed_positions(d, blocks, 0.0)).times(blocks * later);
        return;
    }
    for (double block = 0.0; block < blocks; block += 1.0)
        answer.rest += pass(computed_positions(d, blocks, block)).times(later);
}

}  // namespace

Stretch Answer::all() const {
    auto sum = first;
    return sum += rest;
}

Estimate Answer::ttft() const { return seconds_of(first); }
Estimate Answer::latency() const { return seconds_of(all()); }
Estimate Answer::itl() const {
    return design.output == 1 ? does_not_apply() : seconds_of(rest) / static_cast<double>(design.output - 1);
}

double Answer::idle_energy() const { return design.parts() * board.idle_power.si * all().total(); }

Estimate Answer::energy() const {
    auto const request = all();
    double const idle = design.parts() * board.idle_power.si, most = design.parts() * limit;
    return Estimate::within(idle_energy() + design.parts() * request.energy.sum(), idle * request.least,
                            most * request.most, {Bound::proved, Bound::calibrated});
}

Estimate Answer::power() const {
    return Estimate::within(energy().value / all().total(), design.parts() * board.idle_power.si,
                            design.parts() * limit, {Bound::proved, Bound::proved});
}

Answer analytic(Design const& design, MachineConstants const& machine) {
    Roof const roof(design, machine);
    Answer answer{{}, {}, design, machine.boards[design.device], roof.limit(), footprint(design, machine)};
    (design.generation == Generation::autoregressive ? generate_tokens : denoise_blocks)(answer, roof, machine);
    return answer;
}

}  // namespace pimdse::models::gpu
