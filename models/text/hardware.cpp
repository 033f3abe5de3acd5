#include "models/text/hardware.hpp"

#include <algorithm>

namespace pimdse::models::text {
namespace {

template <class Of>
void set_energy(EnergySlots const& slots, std::vector<double> const& numbers, Of& component) {
    for (auto const& [row, number] : slots) component.energy[row] = numbers[number];
}

}  // namespace

bool follows_voltage(std::size_t row) {
    static auto const on_chip = energy_row("sram"), wires = energy_row("interconnect");
    return row == on_chip || row == wires;
}

MachineFigures hardware_at(CompiledMachine const& machine, std::vector<double> numbers, std::size_t format) {
    MachineFigures h;
    auto const& power = machine.power();
    h.idle = numbers[power.idle];
    h.limit = numbers[power.limit];
    h.voltage_floor = numbers[power.voltage_floor];
    h.lowest_clock = numbers[power.lowest_clock];
    h.slower = numbers[machine.slower()];
    for (auto const& slots : machine.memories()) {
        MemoryFigures m;
        m.bandwidth = numbers[slots.bandwidth];
        m.attained = m.bandwidth * numbers[slots.share];
        m.clock_share = numbers[slots.clock_share];
        m.capacity = numbers[slots.capacity] * numbers[slots.usable];
        m.packages = numbers[slots.packages];
        m.package_limit = numbers[slots.package_limit];
        set_energy(slots.energies, numbers, m);
        for (std::size_t row = 0; row < m.energy.size(); ++row)
            (follows_voltage(row) ? m.scaled : m.fixed) += m.energy[row];
        h.idle += numbers[slots.static_power];
        h.area += numbers[slots.area];
        h.memory_area += numbers[slots.memory_area];
        h.memories.push_back(m);
    }
    for (auto const& slots : machine.units()) {
        UnitFigures u;
        u.peak = slots.is_vector ? numbers[slots.lanes] * numbers[slots.frequency] * numbers[slots.per_cycle]
                                 : numbers[slots.rate[format]];
        u.attained = u.peak * numbers[slots.share[format]];
        set_energy(slots.energies[format], numbers, u);
        for (double const joules : u.energy) u.scaled += joules;
        h.idle += numbers[slots.static_power];
        h.area += numbers[slots.area];
        h.units.push_back(u);
    }
    h.numbers = std::move(numbers);
    return h;
}

}  // namespace pimdse::models::text
