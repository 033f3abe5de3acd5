#include "models/gpu/roof.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::gpu {

BoardEnergy& BoardEnergy::operator+=(BoardEnergy const& o) {
    arithmetic += o.arithmetic;
    memory += o.memory;
    movement += o.movement;
    links += o.links;
    return *this;
}

BoardEnergy BoardEnergy::times(double n) const { return {n * arithmetic, n * memory, n * movement, n * links}; }

double Stretch::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

Stretch& Stretch::operator+=(Stretch const& o) {
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += o.seconds[i];
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
    all.least *= n;
    all.most *= n;
    all.operations *= n;
    all.bytes *= n;
    all.energy = energy.times(n);
    return all;
}

/// What a byte or an operation takes is what a board draws at either roof, without its idle power, over what it attains
/// there.
Roof::Roof(Design const& d, MachineConstants const& m) {
    auto const& board = m.boards[d.device];
    auto const format = static_cast<std::size_t>(d.precision);
    peak_ = board.peak[format].si;
    attained_peak_ = peak_ * board.compute_share[format];
    bandwidth_ = board.bandwidth.si;
    attained_bandwidth_ = bandwidth_ * board.bandwidth_share;
    idle_ = board.idle_power.si;
    limit_ = d.power_limit > 0.0 ? d.power_limit : board.most_power.si;
    per_operation_ = (m.compute_bound_power * board.most_power.si - idle_) / attained_peak_;
    double const per_byte = (board.memory_bound_power * board.most_power.si - idle_) / attained_bandwidth_;
    per_memory_byte_ = board.memory_access.si;
    per_moved_byte_ = std::max(0.0, per_byte - per_memory_byte_);
    per_sent_byte_ = m.link_transfer.si;
    slow_software_ = m.slow_software;
}

BoardEnergy Roof::energy_of(BoardWork const& work) const {
    return {work.operations * per_operation_, work.bytes * per_memory_byte_, work.bytes * per_moved_byte_,
            work.exchanged * per_sent_byte_};
}

/// A group takes as long as the slowest of arithmetic, memory, waiting, and drawing its energy under the limit.
void Roof::add(BoardWork const& work, double& seconds, Stretch& to) const {
    auto const energy = energy_of(work);
    double const arithmetic = work.operations / attained_peak_, memory = work.bytes / attained_bandwidth_;
    double const drawing = energy.sum() / (limit_ - idle_);
    seconds = std::max({arithmetic, memory, work.waiting, drawing});
    to.most += slow_software_ * std::max(arithmetic + memory + work.waiting, drawing);
    to.operations += work.operations;
    to.bytes += work.bytes;
    to.energy += energy;
}

Stretch Roof::cost_of(PassWork const& work) const {
    Stretch cost;
    for (std::size_t i = 0; i < work.size(); ++i) add(work[i], cost.seconds[i], cost);
    cost.least = std::max(cost.operations / peak_, cost.bytes / bandwidth_);
    return cost;
}

}  // namespace pimdse::models::gpu
