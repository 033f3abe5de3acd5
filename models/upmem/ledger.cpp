#include "models/upmem/ledger.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// Hardware of a machine: whole ranks, even if fewer DPUs are used.
struct Hardware {
    double dpus = 0.0, chips = 0.0;
};

/// DPUs that take part in one call.
double of_call(Design const& d, Plan const& plan) {
    auto const dpus = static_cast<double>(d.dpus);
    bool const in_turns = plan.pipelined && d.lock == Lock::rank_level;
    return in_turns ? std::ceil(dpus / static_cast<double>(d.ranks)) : dpus;
}

Activity activity_of(Design const& d, Plan const& plan, Running const& running) {
    auto const dpus = static_cast<double>(d.dpus);
    double const used = of_call(d, plan);
    Activity a;
    double cycles = 0.0;
    for (std::size_t i = 0; i < running.cycles.size(); ++i) {
        auto const& launch = plan.launches[i];
        double const times = used * launch.count;
        cycles += times * running.cycles[i];
        a.rows += times * launch.task.work.rows();
        a.bytes += times * launch.task.work.mram_traffic();
        a.sent += times * (launch.input + launch.shared + launch.output);
    }
    a.sent += dpus * plan.output;
    if (plan.pipelined && !plan.launches.empty())
        a.sent += used * static_cast<double>(plan.streams() - 1) * plan.partial;
    a.seconds = d.running_time(cycles).si;
    a.instructions = std::min(cycles, used * running.instructions);  // at most one per cycle
    return a;
}

/// Cores that drive a transfer: one per rank in the call, limited by the number of cores.
double transfer_cores(MachineConstants const& f, Design const& d, bool in_turns) {
    if (in_turns || d.transfer == Transfer::serial) return 1.0;
    return std::min(static_cast<double>(std::min(d.ranks, d.dpus)), f.host_cores);
}

/// Energy of the host if the machine has a host of its own: cores that drive transfers, and its computation.
double host_joules(MachineConstants const& f, Timeline const& t) {
    return f.host_power.si * (t.exchange + t.offload).si + f.host_package_power.si * t.host.si;
}

LedgerEntry none(std::string_view row, std::string_view why) { return {row, Account::none, why}; }
LedgerEntry counted(std::string_view row, std::string_view source) { return {row, Account::counted, source}; }
LedgerEntry assumed(std::string_view row, std::string_view why) { return {row, Account::assumed, why}; }

std::vector<LedgerEntry> energy_entries() {
    return {none("arithmetic", "DPUs are on the memory dies: their pipelines are in in_memory_logic"),
            assumed("sram", "30 % of the power of a DPU at work beyond that of a waiting one: IRAM, registers, WRAM"),
            assumed("sram_static", "0.1 mW a DPU: 88 KiB and registers in transistors of a DRAM process"),
            counted("dram_array", "IDD0 and IDD4R of a 4 Gb DDR4 die (Micron data sheet): rows and bytes of MRAM"),
            assumed("dram_interface", "3.7 pJ/bit of host transfers: drivers and terminations of JESD79-4"),
            counted("dram_background", "IDD2N of a 4 Gb DDR4 die (Micron data sheet), all chips of the ranks"),
            counted("dram_refresh", "IDD5B of the same die once per tREFI"),
            counted("in_memory_logic", "1.2 W of a chip at work (PrIM, 2021), less its DRAM, SRAM and waiting"),
            none("interconnect", "DPUs have no links to one another: they exchange through the host"),
            none("converters", "everything is digital"),
            assumed("host_transfer", "10.6 W of a core (85 W of a Xeon Silver 4215 over 8) per rank in a call"),
            counted("host_compute", "85 W of a Xeon Silver 4215 (Intel ARK, 2019), or one core of it"),
            assumed("idle_units", "a third of a DPU's power at work while it waits, half of that if never booted")};
}

std::vector<LedgerEntry> area_entries() {
    return {none("matrix_unit", "a DPU multiplies in its scalar pipeline"),
            none("vector_unit", "the pipelines are in in_bank_logic"),
            assumed("sram", "WRAM, IRAM and registers at 13.3 um2/B: cells of 90 nm, none published"),
            none("controllers", "memory channels end in the host, a server that other machines need as well"),
            assumed("in_bank_logic", "0.47 mm2 a pipeline: 150,000 gates of 90 nm, none published"),
            none("routers", "there is no network between DPUs"),
            none("crossbars", "there are none: DRAM arrays only store"),
            none("undivided", "the parts of every die are known; the host is not counted")};
}

/// WRAM, IRAM and the registers of the maximum number of tasklets.
sim::Data sram_of(MachineConstants const& f, Preset preset) {
    return f.wram_size[index(family_of(preset))] + f.iram_size + f.tasklets_max * f.register_file;
}

/// Size of the pipeline relative to the one that is built: a faster path to MRAM and forwarding increase it.
double pipeline_size(MachineConstants const& f, Design const& d) {
    double const path = f.dma_share * (d.mram_bandwidth / f.memory_bandwidth);
    double const closer = std::max(0.0, f.dispatch_reference - static_cast<double>(d.dispatch_distance));
    return 1.0 - f.dma_share + path + f.forwarding_share * closer / (f.dispatch_reference - 1.0);
}

/// The part of a chip's published power that is left for one DPU: without DRAM, whose arrays are busy at the measured
/// rate.
sim::Power dpu_at_work(MachineConstants const& f) {
    sim::Power const rows{f.mram_rate.si / f.row_bytes.si * f.mram_row.si};
    sim::Power const accesses{f.mram_rate.si * f.mram_access_at_work.si};
    return (f.chip_power - f.dram_background - f.dram_refresh) / f.dpus_per_chip - f.sram_static - rows - accesses;
}

/// DpuPowers without those of all ranks.
DpuPowers dpu_power(MachineConstants const& f, Design const& d) {
    double const pipeline = f.supply.energy_factor(d.frequency) * pipeline_size(f, d);
    double const sram = f.supply.energy_factor(d.frequency) * (sram_of(f, d.preset) / sram_of(f, Preset::hardware));
    auto const at_work = dpu_at_work(f);
    sim::Power const waiting = pipeline * f.waiting_share * at_work;
    sim::Energy const instruction{pipeline * (1.0 - f.waiting_share) * at_work.si / f.frequency.si};
    return {sram * f.sram_static, waiting, f.unbooted_share * waiting, instruction};
}

Hardware hardware_of(MachineConstants const& f, Design const& d) {
    double const chips = static_cast<double>(d.ranks) * f.chips_per_rank;
    return {chips * f.dpus_per_chip, chips};
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries(), AreaProcess::dram}; }

EnergyByRow energy_rows_of(Prepared const& p, Design const& d, DpuPowers const& powers, Plan const& plan,
                           Timeline const& t, Running const& running) {
    auto const& f = p.machine;
    auto const used = static_cast<double>(d.dpus);
    double const total = t.total.si;
    auto a = activity_of(d, plan, running);
    a.rows += used * t.reopened;
    a.sent += (d.loading == Loading::once ? used : of_call(d, plan)) * loaded_bytes(p, d, plan);
    double const moving = a.instructions * powers.instruction.si;
    EnergyByRow joules{};
    auto const row = [&](EnergyPart part) -> double& { return joules[part.row]; };
    row("sram") = f.memory_share * moving;
    row("in_memory_logic") = (1.0 - f.memory_share) * moving + a.seconds * powers.waiting.si;
    powers.rest.each(total, std::array{a.seconds},
                     [&](EnergyPart part, sim::Bounded const& rest) { joules[part.row] += rest.value; });
    row("dram_array") = (a.rows + a.sent / f.row_bytes.si) * f.mram_row.si + (a.bytes + a.sent) * f.mram_access.si;
    row("dram_interface") = a.sent * f.dram_interface.si;
    bool const in_turns = plan.pipelined && d.lock == Lock::rank_level;
    if (f.host == Host::own) {
        row("host_transfer") = transfer_cores(f, d, in_turns) * f.host_power.si * (t.input + t.queued + t.output).si;
        row("host_compute") = host_joules(f, t);
    } else if (f.host == Host::included) {
        row("host_compute") = f.server.si * total;
    }
    return joules;
}

double running_power(Prepared const& p, Design const& d, Plan const& plan, Running const& work, Running const& time,
                     SharedBankCost const& shared) {
    auto const used = static_cast<double>(d.dpus);
    auto a = activity_of(d, plan, work);
    a.rows += used * shared.rows;
    return running_power(p.machine, d, a, activity_of(d, plan, time).seconds + used * shared.longer);
}

double running_power(MachineConstants const& f, Design const& d, Activity const& a, double seconds) {
    auto const powers = dpu_power(f, d);
    if (seconds <= 0.0) return powers.waiting.si;
    return powers.waiting.si +
           (a.instructions * powers.instruction.si + a.rows * f.mram_row.si + a.bytes * f.mram_access.si) / seconds;
}

std::vector<Share> area_shares(DieAreas const& areas) {
    return {{"sram", areas.sram.si}, {"in_bank_logic", areas.logic.si}};
}

DpuPowers powers_of(MachineConstants const& f, Design const& d) {
    auto powers = dpu_power(f, d);
    auto const [dpus, chips] = hardware_of(f, d);
    auto const used = static_cast<double>(d.dpus);
    auto const add = [&](EnergyPart part, double count, sim::Power power, std::size_t works = RestingPart::never) {
        powers.rest.add({part, power.si, power.si, count, works});
    };
    add("dram_background", chips, f.dram_background);
    add("dram_refresh", chips, f.dram_refresh);
    add("sram_static", dpus, powers.sram_static);
    add("idle_units", used, powers.waiting, 0);
    add("idle_units", dpus - used, powers.unbooted);
    return powers;
}

sim::Power package_power(MachineConstants const& f, Design const& d, sim::Power running) {
    auto const powers = dpu_power(f, d);
    auto const chips = sim::whole_part(hardware_of(f, d).chips);
    double const used = std::min(f.dpus_per_chip, static_cast<double>(sim::divide_up(d.dpus, chips)));
    return f.dram_background + f.dram_refresh + f.dpus_per_chip * powers.sram_static + used * running +
           (f.dpus_per_chip - used) * powers.unbooted;
}

sim::Power max_package_power(MachineConstants const& f, Design const& d) {
    auto const powers = dpu_power(f, d);
    double const issue = std::min(1.0, static_cast<double>(d.tasklets) / static_cast<double>(d.dispatch_distance));
    double const per_byte = f.mram_access.si + f.mram_row.si / f.row_bytes.si;
    return package_power(
        f, d, {powers.waiting.si + issue * d.frequency.si * powers.instruction.si + d.mram_bandwidth.si * per_byte});
}

DieAreas areas_of(MachineConstants const& f, Design const& d) {
    auto const [dpus, chips] = hardware_of(f, d);
    double const banks = 1.0 + (d.lock == Lock::double_bank ? f.bank_share
                                : d.lock == Lock::none      ? f.port_share
                                : d.lock == Lock::fine      ? f.arbiter_share
                                                            : 0.0);
    return {dpus * pipeline_size(f, d) * f.pipeline_area, dpus * (sram_of(f, d.preset) * f.sram_area),
            chips * banks * f.memory_die};
}

economy::Materials materials_of(MachineConstants const& f, Design const& d) {
    auto const areas = areas_of(f, d);
    economy::Materials m;
    m.bank_logic = (areas.logic + areas.sram).si;
    m.memory = areas.memory.si;
    m.add(economy::MemoryKind::ddr4, hardware_of(f, d).dpus * f.mram_size.si);
    return m;
}

}  // namespace pimdse::models::upmem
