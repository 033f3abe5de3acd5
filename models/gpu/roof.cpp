#include "models/gpu/roof.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::gpu {

BoardEnergy& BoardEnergy::operator+=(BoardEnergy const& o) {
    arithmetic += o.arithmetic;
    array += o.array;
    interface += o.interface;
    caches += o.caches;
    movement += o.movement;
    links += o.links;
    return *this;
}

BoardEnergy BoardEnergy::times(double n) const {
    return {n * arithmetic, n * array, n * interface, n * caches, n * movement, n * links};
}

double Stretch::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

Stretch& Stretch::operator+=(Stretch const& o) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        seconds[i] += o.seconds[i];
        alone[i] += o.alone[i];
    }
    for (std::size_t i = 0; i < limited.size(); ++i) limited[i] += o.limited[i];
    least += o.least;
    most += o.most;
    operations += o.operations;
    bytes += o.bytes;
    energy += o.energy;
    return *this;
}

Stretch Stretch::times(double n) const {
    Stretch all = *this;
    for (auto& group : all.seconds) group *= n;
    for (auto& group : all.alone) group *= n;
    for (auto& time : all.limited) time *= n;
    all.least *= n;
    all.most *= n;
    all.operations *= n;
    all.bytes *= n;
    all.energy = energy.times(n);
    return all;
}

/// What a byte or an operation takes is what a board draws at either roof, without its idle power, over what it attains
/// there; where it is asked to attain more than was measured, it draws no more.
Roof::Roof(Design const& d, MachineConstants const& m) {
    auto const& board = m.boards[d.device];
    auto const format = static_cast<std::size_t>(d.precision);
    double const measured = board.compute_share[format];
    peak_ = board.peak[format].si;
    attained_peak_ = peak_ * (d.attained_share > 0.0 ? d.attained_share : measured);
    bandwidth_ = board.bandwidth.si;
    attained_bandwidth_ = bandwidth_ * board.bandwidth_share;
    idle_ = board.idle_power.si;
    limit_ = d.power_limit > 0.0 ? d.power_limit : board.most_power.si;
    double const per_byte = (board.memory_bound_power * board.most_power.si - idle_) / attained_bandwidth_;
    per_.arithmetic =
        (m.compute_bound_power * board.most_power.si - idle_) / std::max(attained_peak_, peak_ * measured);
    per_.interface = board.memory_pins.si;
    per_.array = board.memory_array.si;
    double const on_the_die = std::max(0.0, per_byte - per_.array - per_.interface);
    per_.caches = std::min(on_the_die, m.cache_access.si);
    per_.movement = on_the_die - per_.caches;
    per_.links = m.link_transfer.si;
    slow_software_ = m.slow_software;
    supply_ = board.supply;
    memory_clock_ = m.memory_clock;
}

BoardEnergy Roof::energy_of(BoardWork const& work, double clock) const {
    double const by_voltage = supply_.energy_factor(supply_.nominal * clock);
    double const on_the_die = work.bytes * by_voltage;
    return {work.operations * per_.arithmetic * by_voltage,
            work.bytes * per_.array,
            work.bytes * per_.interface,
            on_the_die * per_.caches,
            on_the_die * per_.movement,
            work.exchanged * per_.links};
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

/// A higher clock takes more energy in less time, so that power grows with it. What draws too much at the lowest one
/// (links) takes longer.
Roof::Clocked Roof::run_within_limit(BoardWork const& work) const {
    auto const nominal = run(work, 1.0);
    if (within_limit(nominal)) return nominal;
    double low = supply_.lowest / supply_.nominal, high = 1.0;
    auto slowest = run(work, low);
    if (!within_limit(slowest)) {
        slowest.seconds = slowest.energy.sum() / (limit_ - idle_);
        return slowest;
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        double const middle = 0.5 * (low + high);
        (within_limit(run(work, middle)) ? low : high) = middle;
    }
    return run(work, low);
}

/// A group takes as long as the slowest of arithmetic, memory and waiting.
void Roof::add(BoardWork const& work, std::size_t group, Stretch& to) const {
    auto const run = run_within_limit(work);
    to.seconds[group] = run.seconds;
    auto const limiter = run.arithmetic >= std::max(run.memory, work.waiting) ? Limiter::arithmetic
                         : run.memory >= work.waiting                         ? Limiter::memory
                                                                              : Limiter::waiting;
    to.limited[static_cast<std::size_t>(limiter)] += run.seconds;
    to.alone[group] = std::max(work.operations / peak_, work.bytes / bandwidth_);
    to.most += slow_software_ * std::max(run.arithmetic + run.memory + work.waiting, run.seconds);
    to.operations += work.operations;
    to.bytes += work.bytes;
    to.energy += run.energy;
}

Stretch Roof::cost_of(PassWork const& work) const {
    Stretch cost;
    for (std::size_t i = 0; i < work.size(); ++i) add(work[i], i, cost);
    cost.least = std::max(cost.operations / peak_, cost.bytes / bandwidth_);
    return cost;
}

}  // namespace pimdse::models::gpu
