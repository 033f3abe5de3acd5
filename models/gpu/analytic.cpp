#include "models/gpu/analytic.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <utility>

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

double Answer::host_energy() const { return host.si * all().total(); }

Estimate Answer::energy() const {
    auto const request = all();
    double const idle = design.parts() * board.idle_power.si + host.si, most = design.parts() * limit + host.si;
    return Estimate::within(idle_energy() + host_energy() + design.parts() * request.energy.sum(), idle * request.least,
                            most * request.most, {Bound::proved, Bound::calibrated});
}

namespace {

/// Boards and host, which draw no less than without work and no more than the limit.
Estimate mean_power(Answer const& a, Stretch const& stretch) {
    if (!(stretch.total() > 0.0)) return does_not_apply();
    double const boards = a.design.parts(), idle = boards * a.board.idle_power.si;
    return Estimate::within(idle + a.host.si + boards * stretch.energy.sum() / stretch.total(), idle + a.host.si,
                            boards * a.limit + a.host.si, {Bound::proved, Bound::proved});
}

double package_watts(Answer const& a, Stretch const& stretch) {
    if (!(stretch.total() > 0.0)) return 0.0;
    return (stretch.energy.array + stretch.energy.interface) / stretch.total() / a.board.packages;
}

PhaseLimit limit_of(Answer const& a, std::string phase, Stretch const& stretch) {
    auto const at = static_cast<std::size_t>(std::ranges::max_element(stretch.limited) - stretch.limited.begin());
    auto const format = static_cast<std::size_t>(a.design.precision);
    double const time = stretch.total();
    if (at == static_cast<std::size_t>(Limiter::arithmetic))
        return {std::move(phase), "arithmetic", stretch.operations / time, a.board.peak[format].si, "FLOP/s"};
    if (at == static_cast<std::size_t>(Limiter::memory))
        return {std::move(phase), "memory bandwidth", stretch.bytes / time, a.board.bandwidth.si, "B/s"};
    return {std::move(phase), "launches and links", stretch.limited[at] / time, 1.0, "1"};
}

}  // namespace

Estimate Answer::power() const { return mean_power(*this, all()); }
Estimate Answer::prefill_power() const { return mean_power(*this, first); }
Estimate Answer::decode_power() const { return mean_power(*this, rest); }
Estimate Answer::peak_power() const {
    return rest.total() > 0.0 ? larger(prefill_power(), decode_power()) : prefill_power();
}

/// Never more than at the bandwidth of the data sheet.
Estimate Answer::package_power() const {
    double const most = (board.memory_array + board.memory_pins).si * board.bandwidth.si / board.packages;
    return Estimate::within(std::max(package_watts(*this, first), package_watts(*this, rest)), 0.0, most,
                            {Bound::proved, Bound::proved});
}

std::vector<PhaseLimit> Answer::limits() const {
    bool const tokens = design.generation == Generation::autoregressive;
    std::vector<PhaseLimit> limits{limit_of(*this, tokens ? "prefill" : "first step", first)};
    if (rest.total() > 0.0) limits.push_back(limit_of(*this, tokens ? "decode" : "later steps", rest));
    return limits;
}

Answer analytic(Design const& design, MachineConstants const& machine) {
    Roof const roof(design, machine);
    Answer answer{{}, {}, design, machine.boards[design.device], roof.limit(), footprint(design, machine), machine.host};
    (design.generation == Generation::autoregressive ? generate_tokens : denoise_blocks)(answer, roof, machine);
    return answer;
}

}  // namespace pimdse::models::gpu
