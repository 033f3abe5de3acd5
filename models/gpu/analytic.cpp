#include "models/gpu/analytic.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pimdse::models::gpu {

/// Bottleneck of a group.
enum class Limiter : std::uint8_t { arithmetic, memory, waiting };

namespace {

constexpr sim::BoundKinds time_bounds{Bound::proved, Bound::calibrated};

Estimate seconds_of(PassCost const& cost) { return Estimate::within(cost.total(), cost.min, cost.max, time_bounds); }

/// Adds a pass over the prompt to what precedes the first token, and these passes to what follows it.
void add_passes(Result& result, Roof const& roof, Design const& d, TokenPasses const& passes,
                MachineConstants const& machine) {
    result.first += roof.cost_of(work_of(prompt_pass(d), d, machine));
    result.rest += roof.cost_of(work_of(token_pass(passes), d, machine)).times(passes.passes);
}

/// Autoregressive generation: a pass for the prompt, which yields the first token, and passes that yield one token each
/// or, where tokens are proposed, several. A draft model reads the prompt, too, and makes its own passes.
void generate_tokens(Result& result, Roof const& roof, MachineConstants const& machine) {
    auto const& d = result.design;
    auto const& speculation = d.speculation;
    add_passes(result, roof, d, verification_passes(speculation, d.input, d.output - 1), machine);
    if (speculation.has_model())
        add_passes(result, roof, of_draft(d), draft_passes(speculation, d.input, d.output - 1), machine);
}

/// Positions that a step of block `block` (from 0) computes, except its first step.
double computed_positions(Design const& d, double blocks, double block) {
    if (d.cache == PassCache::none) return static_cast<double>(d.longest_context());
    return static_cast<double>(d.block_length) * (d.cache == PassCache::prefix ? blocks - block : 1.0);
}

/// Diffusion: each block is one pass over all positions and `steps` - 1 passes over the positions that are not cached.
void denoise_blocks(Result& result, Roof const& roof, MachineConstants const& machine) {
    auto const& d = result.design;
    auto const blocks = static_cast<double>(d.output / d.block_length);
    auto const later = static_cast<double>(d.steps - 1);
    auto const pass = [&](double queries) { return roof.cost_of(work_of(denoising_pass(d, queries), d, machine)); };
    result.first = pass(static_cast<double>(d.longest_context()));
    result.rest = result.first.times(blocks - 1.0);
    if (d.cache != PassCache::prefix) {
        result.rest += pass(computed_positions(d, blocks, 0.0)).times(blocks * later);
        return;
    }
    for (double block = 0.0; block < blocks; block += 1.0)
        result.rest += pass(computed_positions(d, blocks, block)).times(later);
}

}  // namespace

PassCost Result::all() const {
    auto sum = first;
    return sum += rest;
}

Estimate Result::ttft() const { return seconds_of(first); }
Estimate Result::latency() const { return seconds_of(all()); }
Estimate Result::itl() const {
    return design.output == 1 ? does_not_apply() : seconds_of(rest) / static_cast<double>(design.output - 1);
}

double Result::idle_energy() const { return board.idle_power.si * all().total(); }

double Result::host_energy() const { return host.si * all().total(); }

Estimate Result::energy() const {
    auto const request = all();
    double const idle = board.idle_power.si + host.si, max = limit + host.si;
    return Estimate::within(idle_energy() + host_energy() + request.energy.sum(), idle * request.min, max * request.max,
                            {Bound::proved, Bound::calibrated});
}

namespace {

/// Mean power of boards and host: at least the static power, at most the power limit.
Estimate mean_power(Result const& a, PassCost const& cost) {
    if (!(cost.total() > 0.0)) return does_not_apply();
    double const idle = a.board.idle_power.si;
    return Estimate::within(idle + a.host.si + cost.energy.sum() / cost.total(), idle + a.host.si, a.limit + a.host.si,
                            {Bound::proved, Bound::proved});
}

double package_watts(Result const& a, PassCost const& cost) {
    if (!(cost.total() > 0.0)) return 0.0;
    return (cost.energy.array + cost.energy.interface) / cost.total() / a.board.packages;
}

PhaseLimit limit_of(Result const& a, std::string phase, PassCost const& cost) {
    auto const at = static_cast<std::size_t>(std::ranges::max_element(cost.limited) - cost.limited.begin());
    auto const format = static_cast<std::size_t>(a.design.precision);
    double const time = cost.total();
    if (at == static_cast<std::size_t>(Limiter::arithmetic))
        return {std::move(phase), "arithmetic", cost.operations / time, a.board.peak[format].si, "FLOP/s"};
    if (at == static_cast<std::size_t>(Limiter::memory))
        return {std::move(phase), "memory bandwidth", cost.bytes / time, a.board.bandwidth.si, "B/s"};
    return {std::move(phase), "launches", cost.limited[at] / time, 1.0, "1"};
}

}  // namespace

Estimate Result::power() const { return mean_power(*this, all()); }
Estimate Result::prefill_power() const { return mean_power(*this, first); }
Estimate Result::decode_power() const { return mean_power(*this, rest); }
Estimate Result::peak_power() const {
    return rest.total() > 0.0 ? larger(prefill_power(), decode_power()) : prefill_power();
}

/// At most the power at the bandwidth of the data sheet.
Estimate Result::package_power() const {
    double const max = (board.memory_array + board.memory_pins).si * board.bandwidth.si / board.packages;
    return Estimate::within(std::max(package_watts(*this, first), package_watts(*this, rest)), 0.0, max,
                            {Bound::proved, Bound::proved});
}

std::vector<PhaseLimit> Result::limits() const {
    bool const tokens = design.generation == Generation::autoregressive;
    std::vector<PhaseLimit> limits{limit_of(*this, tokens ? "prefill" : "first step", first)};
    if (rest.total() > 0.0) limits.push_back(limit_of(*this, tokens ? "decode" : "later steps", rest));
    return limits;
}

Result analytic(Design const& design, MachineConstants const& machine) {
    Roof const roof(design, machine);
    Result result{{},          {}, design, machine.boards[design.device], roof.limit(), footprint(design, machine),
                  machine.host};
    (design.generation == Generation::autoregressive ? generate_tokens : denoise_blocks)(result, roof, machine);
    return result;
}

BoardEnergy& BoardEnergy::operator+=(BoardEnergy const& o) {
    arithmetic += o.arithmetic;
    array += o.array;
    interface += o.interface;
    caches += o.caches;
    movement += o.movement;
    return *this;
}

BoardEnergy BoardEnergy::times(double n) const {
    return {n * arithmetic, n * array, n * interface, n * caches, n * movement};
}

double PassCost::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

PassCost& PassCost::operator+=(PassCost const& o) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        seconds[i] += o.seconds[i];
        alone[i] += o.alone[i];
    }
    for (std::size_t i = 0; i < limited.size(); ++i) limited[i] += o.limited[i];
    min += o.min;
    max += o.max;
    operations += o.operations;
    bytes += o.bytes;
    energy += o.energy;
    return *this;
}

PassCost PassCost::times(double n) const {
    PassCost all = *this;
    for (auto& group : all.seconds) group *= n;
    for (auto& group : all.alone) group *= n;
    for (auto& time : all.limited) time *= n;
    all.min *= n;
    all.max *= n;
    all.operations *= n;
    all.bytes *= n;
    all.energy = energy.times(n);
    return all;
}

/// The energy of a byte or an operation is the power of a board at the respective roof, without its idle power, divided
/// by the rate attained there. A board that is set to attain more than was measured does not draw more power.
Roof::Roof(Design const& d, MachineConstants const& m) {
    auto const& board = m.boards[d.device];
    auto const format = static_cast<std::size_t>(d.precision);
    double const measured = board.compute_share[format];
    peak_ = board.peak[format].si;
    attained_peak_ = peak_ * (d.attained_share > 0.0 ? d.attained_share : measured);
    bandwidth_ = board.bandwidth.si;
    attained_bandwidth_ = bandwidth_ * board.bandwidth_share;
    idle_ = board.idle_power.si;
    limit_ = d.power_limit > 0.0 ? d.power_limit : board.max_power.si;
    double const per_byte = (board.memory_bound_power * board.max_power.si - idle_) / attained_bandwidth_;
    per_.arithmetic = (m.compute_bound_power * board.max_power.si - idle_) / std::max(attained_peak_, peak_ * measured);
    per_.interface = board.memory_pins.si;
    per_.array = board.memory_array.si;
    double const on_the_die = std::max(0.0, per_byte - per_.array - per_.interface);
    per_.caches = std::min(on_the_die, m.cache_access.si);
    per_.movement = on_the_die - per_.caches;
    slow_software_ = m.slow_software;
    supply_ = board.supply;
    memory_clock_ = m.memory_clock;
}

BoardEnergy Roof::energy_of(BoardWork const& work, double clock) const {
    double const by_voltage = supply_.energy_factor(supply_.nominal * clock);
    double const on_the_die = work.bytes * by_voltage;
    return {work.operations * per_.arithmetic * by_voltage, work.bytes * per_.array, work.bytes * per_.interface,
            on_the_die * per_.caches, on_the_die * per_.movement};
}

Roof::Clocked Roof::run(BoardWork const& work, double clock) const {
    Clocked run;
    run.arithmetic = work.operations / (attained_peak_ * clock);
    run.memory = work.bytes / (attained_bandwidth_ * std::min(1.0, clock / memory_clock_));
    run.seconds = std::max({run.arithmetic, run.memory, work.waiting});
    run.energy = energy_of(work, clock);
    return run;
}

bool Roof::within_limit(Clocked const& run) const { return run.energy.sum() <= (limit_ - idle_) * run.seconds; }

/// A higher clock takes more energy in less time, so power grows with the clock. Work that exceeds the limit even at
/// the lowest clock takes longer.
Roof::Clocked Roof::run_within_limit(BoardWork const& work) const {
    auto const nominal = run(work, 1.0);
    if (within_limit(nominal)) return nominal;
    double lower = supply_.lowest / supply_.nominal, upper = 1.0;
    auto slowest = run(work, lower);
    if (!within_limit(slowest)) {
        slowest.seconds = slowest.energy.sum() / (limit_ - idle_);
        return slowest;
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        double const middle = 0.5 * (lower + upper);
        (within_limit(run(work, middle)) ? lower : upper) = middle;
    }
    return run(work, lower);
}

/// The time of a group is the maximum of arithmetic, memory and waiting.
void Roof::add(BoardWork const& work, std::size_t group, PassCost& to) const {
    auto const run = run_within_limit(work);
    to.seconds[group] = run.seconds;
    auto const limiter = run.arithmetic >= std::max(run.memory, work.waiting) ? Limiter::arithmetic
                         : run.memory >= work.waiting                         ? Limiter::memory
                                                                              : Limiter::waiting;
    to.limited[static_cast<std::size_t>(limiter)] += run.seconds;
    to.alone[group] = std::max(work.operations / peak_, work.bytes / bandwidth_);
    to.max += slow_software_ * std::max(run.arithmetic + run.memory + work.waiting, run.seconds);
    to.operations += work.operations;
    to.bytes += work.bytes;
    to.energy += run.energy;
}

PassCost Roof::cost_of(PassWork const& work) const {
    PassCost cost;
    for (std::size_t i = 0; i < work.size(); ++i) add(work[i], i, cost);
    cost.min = std::max(cost.operations / peak_, cost.bytes / bandwidth_);
    return cost;
}

}  // namespace pimdse::models::gpu
