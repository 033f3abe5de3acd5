#include "models/text/hardware.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::text {
namespace {

void set_energy(EnergySlots const& slots, std::vector<double> const& numbers, EnergyByRow& to) {
    for (auto const& [row, number] : slots) to[row] = numbers[number];
}

double peak_of(UnitSlots const& slots, std::vector<double> const& numbers, std::size_t format) {
    if (slots.kind == UnitKind::bank_pim || slots.kind == UnitKind::part) return 0.0;  // of its memory, of its laws
    if (slots.kind == UnitKind::roof) return numbers[slots.rate[format]];
    if (slots.kind == UnitKind::vector)
        return numbers[slots.lanes] * numbers[slots.frequency] * numbers[slots.per_cycle];
    return 2.0 * numbers[slots.rows] * numbers[slots.columns] * numbers[slots.count] * numbers[slots.frequency];
}

EnergyPart row_at_rest(MemorySlots const& slots) {
    return slots.simulated ? EnergyPart("dram_background/standby") : EnergyPart("idle_units");
}

/// Rows that fill whole tiles, where executions have `rows` rows on average: whole ones, so that some have one row more
/// than the others, and all have one.
double mean_filled(double rows, double tile) {
    double const fewer = std::floor(std::max(1.0, rows)), share = std::max(1.0, rows) - fewer;
    double const filled = std::ceil(fewer / tile) * tile;
    return share > 0.0 && fewer == filled ? filled + share * tile : filled;
}

}  // namespace

bool follows_voltage(std::size_t row) {
    constexpr auto on_chip = energy_row("sram"), wires = energy_row("interconnect");
    return row == on_chip || row == wires;
}

double MemoryFigures::seconds(double read, double written, double bandwidth, double write_bandwidth) {
    if (bandwidth == 0.0) return 0.0;
    return write_bandwidth > 0.0 ? std::max(read / bandwidth, written / write_bandwidth) : (read + written) / bandwidth;
}

void MemoryFigures::add_up() {
    for (std::size_t row = 0; row < energy.size(); ++row) {
        (follows_voltage(row) ? scaled : fixed) += energy[row];
        (follows_voltage(row) ? write_scaled : write_fixed) += write_energy[row];
    }
}

void UnitFigures::add_up() {
    for (double const joules : energy) scaled += joules;
}

/// A roof computes whole tiles of rows. An array computes tiles of weights for all rows, one after the other.
double UnitFigures::busy(OperatorWork const& product) const {
    double const all = product.operations * product.masked;
    if (product.operations == 0.0) return all;
    if (query_tile().rows > 0.0 && product.tiled > 0.0) return std::max(all, product.tiled * product.masked);
    if (rows == 0.0 && tile > 1.0 && product.rows > 0.0)
        return all * std::ceil(product.rows / tile) * tile / product.rows;
    if (rows == 0.0) return all;
    double const tiles = std::ceil(product.inputs / rows) * std::ceil(product.outputs / columns);
    double const filled = tile > 1.0 ? mean_filled(product.rows, tile) : product.rows;
    double const cycles = product.executions * tiles * (filled + fill) / count;
    return std::max(all, 2.0 * rows * columns * count * cycles);
}

double installed(MemorySlots const& slots, std::vector<double> const& numbers) {
    if (numbers[slots.installed] > 0.0) return numbers[slots.installed];
    if (numbers[slots.capacity] > 0.0 || !slots.simulated) return numbers[slots.capacity];
    auto const& organisation = slots.standard.organisation;
    double const channels = numbers[slots.channels], all = static_cast<double>(organisation.channels);
    return organisation.capacity_bytes() / all * (channels > 0.0 ? channels : all);
}

FormatFigures in_format(UnitSlots const& slots, std::vector<double> const& numbers, std::size_t format) {
    FormatFigures figures{peak_of(slots, numbers, format)};
    figures.attained = figures.peak * numbers[slots.share[format]];
    for (auto const& [_, joules] : slots.energies[format]) figures.scaled += numbers[joules];
    return figures;
}

MachineFigures hardware_at(CompiledMachine const& machine, std::vector<double> numbers, std::size_t format) {
    MachineFigures h;
    h.format = format;
    auto const& power = machine.power();
    h.rest.add("idle_units", machine.states_power() ? numbers[power.idle] : std::numeric_limits<double>::quiet_NaN());
    h.limit = numbers[power.limit];
    h.voltage_floor = numbers[power.voltage_floor];
    h.lowest_clock = numbers[power.lowest_clock];
    h.slower = numbers[machine.slower()];
    h.memories.reserve(machine.memories().size());
    for (auto const& slots : machine.memories()) {
        auto& m = h.memories.emplace_back();
        if (!slots.simulated) m.bandwidth = numbers[slots.bandwidth];
        m.attained = m.bandwidth * numbers[slots.share];
        if (!slots.simulated) m.write_bandwidth = numbers[slots.write_bandwidth];
        m.write_attained = m.write_bandwidth * numbers[slots.share];
        (slots.is_tier ? m.latency : m.clock_share) = numbers[slots.is_tier ? slots.latency : slots.clock_share];
        m.capacity = numbers[slots.capacity] * numbers[slots.usable];
        m.packages = numbers[slots.packages];
        m.package_limit = numbers[slots.package_limit];
        set_energy(slots.energies, numbers, m.energy);
        set_energy(slots.write_energies, numbers, m.write_energy);
        m.add_up();
        h.rest.add(row_at_rest(slots), numbers[slots.static_power]);
        h.rest.add({row_at_rest(slots), numbers[slots.working_power]});
        if (slots.is_tier && h.limit > 0.0) h.limit += numbers[slots.static_power];  // it is beside the device
        h.area += numbers[slots.area];
        h.memory_area += numbers[slots.memory_area];
    }
    h.units.reserve(machine.units().size());
    for (auto const& slots : machine.units()) {
        auto& u = h.units.emplace_back();
        u.peak = peak_of(slots, numbers, format);
        u.attained = u.peak * numbers[slots.share[format]];
        set_energy(slots.energies[format], numbers, u.energy);
        if (slots.kind == UnitKind::roof || slots.kind == UnitKind::array) u.tile = numbers[slots.tile];
        if (slots.kind == UnitKind::roof) u.tile_buffer = numbers[slots.tile_buffer];
        if (slots.kind == UnitKind::array) {
            u.packed = numbers[slots.packed] > 0.0;
            u.rows = numbers[slots.rows];
            u.columns = numbers[slots.columns];
            u.count = numbers[slots.count];
            u.fill = numbers[slots.fill];
            u.buffer = slots.buffer;
            u.busy_energy = numbers[slots.cycle_energy] / (2.0 * u.rows * u.columns * u.count);
        }
        u.add_up();
        u.waiting = numbers[slots.waiting_power];
        h.rest.add("idle_units", numbers[slots.static_power] + u.waiting);
        h.area += numbers[slots.area];
        if (slots.kind == UnitKind::bank_pim) h.bank_area += numbers[slots.area];
    }
    h.numbers = std::move(numbers);
    return h;
}

}  // namespace pimdse::models::text
