#include "models/upmem/powers.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::upmem {
namespace {

/// WRAM, IRAM and the registers of all tasklets there are.
sim::Data sram_of(MachineConstants const& f, Preset preset) {
    return f.wram_size[index(family_of(preset))] + f.iram_size + f.tasklets_most * f.register_file;
}

/// The pipeline over the one that is built: a faster way to MRAM and forwarding are more of it.
double pipeline_size(MachineConstants const& f, Design const& d) {
    double const path = f.dma_share * (d.mram_bandwidth / f.memory_bandwidth);
    double const closer = std::max(0.0, f.dispatch_reference - static_cast<double>(d.dispatch_distance));
    return 1.0 - f.dma_share + path + f.forwarding_share * closer / (f.dispatch_reference - 1.0);
}

/// What is left of a chip's published power for one DPU: without DRAM, whose arrays are busy at the measured rate.
sim::Power dpu_at_work(MachineConstants const& f) {
    sim::Power const rows{f.mram_rate.si / f.row_bytes.si * f.mram_row.si};
    sim::Power const accesses{f.mram_rate.si * f.mram_access_at_work.si};
    return (f.chip_power - f.dram_background - f.dram_refresh) / f.dpus_per_chip - f.sram_static - rows - accesses;
}

}  // namespace

Powers powers_of(MachineConstants const& f, Design const& d) {
    double const pipeline = f.supply.energy_factor(d.frequency) * pipeline_size(f, d);
    double const sram = f.supply.energy_factor(d.frequency) * (sram_of(f, d.preset) / sram_of(f, Preset::hardware));
    auto const at_work = dpu_at_work(f);
    sim::Power const waiting = pipeline * f.waiting_share * at_work;
    sim::Energy const instruction{pipeline * (1.0 - f.waiting_share) * at_work.si / f.frequency.si};
    return {f.dram_background, f.dram_refresh, sram * f.sram_static, waiting, f.unbooted_share * waiting, instruction};
}

Hardware hardware_of(MachineConstants const& f, Design const& d) {
    double const chips = static_cast<double>(d.ranks) * f.chips_per_rank;
    return {chips * f.dpus_per_chip, chips};
}

sim::Power idle_power(MachineConstants const& f, Design const& d) {
    auto const powers = powers_of(f, d);
    auto const [dpus, chips] = hardware_of(f, d);
    auto const used = static_cast<double>(d.dpus);
    return chips * (powers.background + powers.refresh) + dpus * powers.sram_static + used * powers.waiting +
           (dpus - used) * powers.unbooted;
}

sim::Power package_power(MachineConstants const& f, Design const& d, sim::Power running) {
    auto const powers = powers_of(f, d);
    auto const chips = sim::whole_part(hardware_of(f, d).chips);
    double const used = std::min(f.dpus_per_chip, static_cast<double>(sim::divide_up(d.dpus, chips)));
    return powers.background + powers.refresh + f.dpus_per_chip * powers.sram_static + used * running +
           (f.dpus_per_chip - used) * powers.unbooted;
}

sim::Power most_package_power(MachineConstants const& f, Design const& d) {
    auto const powers = powers_of(f, d);
    double const issue = std::min(1.0, static_cast<double>(d.tasklets) / static_cast<double>(d.dispatch_distance));
    double const per_byte = f.mram_access.si + f.mram_row.si / f.row_bytes.si;
    return package_power(
        f, d, {powers.waiting.si + issue * d.frequency.si * powers.instruction.si + d.mram_bandwidth.si * per_byte});
}

DieAreas areas_of(MachineConstants const& f, Design const& d) {
    auto const [dpus, chips] = hardware_of(f, d);
    double const banks = 1.0 + (d.lock == Lock::double_bank ? f.bank_share : d.lock == Lock::none ? f.port_share : 0.0);
    return {dpus * pipeline_size(f, d) * f.pipeline_area, dpus * (sram_of(f, d.preset) * f.sram_area),
            chips * banks * f.memory_die};
}

}  // namespace pimdse::models::upmem
