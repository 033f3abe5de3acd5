#include "models/dplena/hbm/clocks.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::dplena {
namespace {

/// Ticks of HBM2e in the time of those of HBM2: 3.2 against 2 Gb/s per pin.
constexpr std::int64_t faster = 8, slower = 5;

/// Bandwidth of all channels with a read every `ticks` ticks: two pseudo-channels with 32 bytes per read.
sim::Bandwidth rate_of(Design const& d, MachineConstants const& machine, std::int64_t ticks) {
    return {static_cast<double>(d.channels * line_bytes) / static_cast<double>(ticks) * hbm_clock(d, machine).si};
}

}  // namespace

Clocks::Clocks(std::int64_t frequency, HbmGeneration generation, HbmTiming const& timing)
    : units_((frequency > 0 ? frequency : timing.clock) * slower),
      hbm_(timing.clock * (generation == HbmGeneration::hbm2e ? faster : slower)) {
    auto const common = std::gcd(units_, hbm_);
    units_ /= common;
    hbm_ /= common;
}

std::int64_t Clocks::tick_of(std::int64_t cycle) const {
    return are_equal() ? cycle : sim::divide_up(cycle * hbm_, units_);
}

std::int64_t Clocks::cycle_of(std::int64_t tick) const {
    return are_equal() ? tick : sim::divide_up(tick * units_, hbm_);
}

Clocks clocks_of(Design const& d, HbmTiming const& timing) {
    return {megahertz(d.frequency), d.generation_of_hbm, timing};
}

HbmTiming timing_of(HbmTiming const& hbm2, HbmGeneration generation) {
    if (generation == HbmGeneration::hbm2) return hbm2;
    auto t = hbm2;
    for (auto* ticks : {&t.read_latency, &t.activate_to_read, &t.precharge, &t.activate_to_precharge, &t.row_cycle,
                        &t.read_to_precharge, &t.same_group, &t.activate_gap, &t.activate_gap_group, &t.four_activates,
                        &t.refresh_duration})
        *ticks = sim::divide_up(*ticks * faster, slower);
    t.refresh_interval = t.refresh_interval * faster / slower;
    auto const longest = t.activate_to_read + t.read_latency + t.burst;
    for (auto* ticks : {&t.activate_to_precharge, &t.activate_gap, &t.activate_gap_group, &t.four_activates})
        *ticks = std::min(*ticks, longest);
    t.same_group = std::min(t.same_group, t.read_latency + t.burst);
    t.row_cycle = std::min(t.row_cycle, longest + t.precharge);
    return t;
}

sim::Frequency unit_clock(Design const& d, MachineConstants const& machine) {
    return d.frequency > 0.0 ? sim::Frequency{d.frequency} : machine.silicon.frequency;
}

sim::Frequency hbm_clock(Design const& d, MachineConstants const& machine) {
    auto const hbm2 = machine.silicon.frequency;
    return d.generation_of_hbm == HbmGeneration::hbm2 ? hbm2 : hbm2 * (static_cast<double>(faster) / slower);
}

sim::Bandwidth channel_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, machine.hbm.timing.bus[static_cast<std::size_t>(d.bus)]);
}

sim::Bandwidth pin_bandwidth(Design const& d, MachineConstants const& machine) {
    return rate_of(d, machine, *std::ranges::min_element(machine.hbm.timing.bus));
}

}  // namespace pimdse::models::dplena
