#include "models/umdam/ledger.hpp"
#include "sim/pim/bank_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

std::vector<LedgerEntry> energy_entries() {
    using enum Account;
    return {
        {"arithmetic", assumed, "cube and vector unit of an Ascend core (HPCA 2021), per FLOP"},
        {"sram", assumed, "NPU buffer by its size (AttAcc, 2024): in and out per burst; operands of the matrix engine"},
        {"sram_static", assumed, "20 mW/MiB, nominal for 7 nm, of NPU and global buffers"},
        {"dram_array", assumed, "row activations and bursts: power script of CENT's simulator"},
        {"dram_interface", assumed, "2 pJ/bit on both sides, for bursts and for operands and results of PIM units"},
        {"dram_background", assumed, "IDD3N of a Micron LPDDR5X data sheet (2025) while a request runs"},
        {"dram_refresh", assumed, "IDD5 minus IDD2N of the same sheet, during nRFC of every nREFI"},
        {"in_memory_logic", assumed, "multiplications in the banks with their reads: CENT's simulator, scaled by V(f)"},
        {"interconnect", none, "the figures of the units include the wires on the dies"},
        {"converters", none, "all arithmetic is digital"},
        {"host_transfer", assumed,
         "weight_load = once: reads of storage at 40 pJ/bit; otherwise none, the NPU is the host"},
        {"host_compute", assumed,
         "host = included: host_power of technology.toml for the latency; otherwise the NPU is the host"},
        {"idle_units", assumed,
         "waiting units: a tenth (in banks: a twentieth) of their power at work; channels; storage of tier_capacity"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "cube of an Ascend core (HPCA 2021), 7 nm, per 8 TFLOP/s"},
            {"vector_unit", assumed, "one vector unit per cube (HPCA 2021), 7 nm"},
            {"sram", counted, "7 nm cells (ISSCC 2017) over CACTI's cell fraction; global buffers assumed"},
            {"controllers", assumed, "DDR5 PHY and controller of LLMCompass (2024) per pin; queues, banks, engines"},
            {"in_bank_logic", assumed, "0.19 mm2 a bank, as in GDDR6-AiM (ISSCC 2022)"},
            {"routers", none, "it has no network on chip"},
            {"crossbars", none, "no array computes"},
            {"undivided", none, "the parts of every die are known"}};
}

using sim::Bounded;

/// Energy of the products with a burst of weights over that with 16-bit weights, of which a burst has fewer.
double narrow_energy(Design const& design, EnergyConstants const& c) {
    return design.weight_bits == WeightBits::sixteen ? 1.0 : std::pow(c.narrow, static_cast<int>(design.weight_bits));
}

double channels(System const& d) { return static_cast<double>(d.design.channels); }

double dies(System const& d) { return channels(d) * static_cast<double>(d.design.ranks); }

double banks_of_a_channel(System const& d) { return static_cast<double>(d.standard.organisation.banks_per_channel()); }

/// Units in banks.
double pim_units(System const& d) { return banks_of_a_channel(d) * channels(d); }

double matrix_units(System const& d, AreaConstants const& c) { return d.design.npu_flops / c.cube_peak.si; }

sim::Data npu_memory(System const& d, AreaConstants const& c) {
    auto local = c.cube_local_memory * matrix_units(d, c);
    if (d.design.npu_l1 > 0) {
        sim::Data const each{static_cast<double>(d.design.npu_l1)};
        local = local + (each - c.cube_first_level) * matrix_units(d, c);
    }
    return sim::Data{static_cast<double>(d.design.npu_buffer)} + local;
}

/// Global buffers of all channels. A double buffer has two halves, each of the size that one product step reads.
sim::Data global_buffers(System const& d, MachineConstants const& machine) {
    double const halves = d.design.double_buffer ? 2.0 : 1.0;
    return sim::Data{halves * static_cast<double>(d.design.buffer_elements) * machine.element_bytes} * channels(d);
}

sim::Area controllers(System const& d, AreaConstants const& c) {
    double const pins = d.standard.organisation.channel_bits;
    double const entries = 2.0 * static_cast<double>(d.design.queue_depth);  // reads and writes
    return ((c.phy + c.controller) * pins + c.queue_entry * entries + c.bank_tracker * banks_of_a_channel(d)) *
           channels(d);
}

/// Area of a unit in a bank, depending on its clock, on the vectors that it multiplies at once, and on the weights of a
/// burst.
sim::Area pim_unit(System const& d, AreaConstants const& c) {
    double const clocked = 1.0 - c.pim_clocked + c.pim_clocked * (pim_clock(d.design).si / c.pim_unit_clock.si);
    double const vectors = 1.0 + c.pim_vector * static_cast<double>(d.design.pim_vectors - 1);
    return c.pim_unit *
           (clocked * (vectors * (1.0 + c.pim_narrow * static_cast<double>(d.design.weights_per_element() - 1))));
}

/// facil selects a mapping for each access by the entry of its page.
sim::Area mapping_selectors(System const& d, AreaConstants const& c) {
    return d.design.baseline == Baseline::facil ? c.mapping_selector * channels(d) : sim::Area{};
}

/// Area of the supply for rows that open at the same time in excess of the number that a DRAM die may open within a
/// tFAW, with the row size of the data sheet.
sim::Area row_supply(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    double const at_once =
        d.design.activation == Activation::all ? o.banks_per_rank() : sim::dram::activations_per_window;
    double const rows = std::min<double>(at_once, o.banks_per_rank()) * o.row_bytes / machine.energy.activation_row.si;
    return machine.area.row_supply *
           (machine.energy.activation * (std::max(0.0, rows - sim::dram::activations_per_window) * dies(d)));
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

Spending& Spending::operator+=(Spending const& other) {
    seconds += other.seconds;
    for (std::size_t row = 0; row < joules.size(); ++row) joules[row] += other.joules[row];
    joules_below += other.joules_below;
    joules_above += other.joules_above;
    return *this;
}

Spending Spending::times(double n) const {
    Spending all = *this;
    all.seconds = seconds * n;
    for (auto& of_row : all.joules) of_row *= n;
    all.joules_below *= n;
    all.joules_above *= n;
    return all;
}

EnergyLaw::EnergyLaw(System const& d, MachineConstants const& machine)
    : system_(d),
      machine_(machine),
      burst_(d.standard.organisation.burst_bytes),
      row_(machine.energy.activation.si * d.standard.organisation.row_bytes / machine.energy.activation_row.si),
      buffer_(machine.sram.access(sim::Data{static_cast<double>(d.design.npu_buffer)}).si),
      first_level_(machine.sram.access(sim::Data{static_cast<double>(d.design.npu_l1)}).si),
      faster_(CubeBlock(machine.npu, d.design.multiplies_bytes()).faster()) {
    auto const& e = machine.energy;
    auto const& c = machine.static_power;
    double const factor = e.pim.energy_factor(pim_clock(d.design)), narrow = narrow_energy(d.design, e);
    // blocks of either format move the same bytes, and add to what a waiting engine draws
    local_ = machine.sram.access(e.local_memory).si * e.operands.si / faster_;
    cube_ = e.cube.si;
    if (d.design.multiplies_bytes()) cube_ = (1.0 - c.waiting) * e.byte_cube.si + c.waiting * cube_ / faster_;
    bank_read_ = (e.multiply - e.vector_multiply).si * factor;
    multiply_ = e.vector_multiply.si * narrow * factor;
    double const vectors = narrow * static_cast<double>(d.design.pim_vectors);
    double const of_unit = burst_ * factor * (e.multiply + e.vector_multiply * (vectors - 1.0)).si;
    waiting_ = {c.waiting * e.cube.si * d.design.npu_flops,
                c.waiting * e.vector.si * vector_rate(d.design, machine.npu),
                c.pim_waiting * of_unit / d.design.mac_interval * pim_units(d)};
    Standby rest;
    add_rest(rest);
    memory_rest_ = rest.memory();
}

void EnergyLaw::add_rest(Standby& to) const {
    auto const& d = system_;
    auto const& c = machine_.static_power;
    auto const& timing = d.standard.timing;
    to.add("idle_units/matrix engine", waiting_[0]);
    to.add("idle_units/vectors", waiting_[1]);
    to.add("idle_units/pim", waiting_[2]);
    to.add("idle_units/channels", c.channel.si * channels(d) * peak_rate(d.standard) / c.channel_rate.si);
    to.add("idle_units/storage", machine_.baseline.storage_standby.si * static_cast<double>(d.design.tier_capacity));
    to.add("sram_static", machine_.sram.static_power(npu_memory(d, machine_.area) + global_buffers(d, machine_)).si);
    to.add({"dram_background", c.open.si * dies(d), c.powered_down.si * dies(d)});
    if (d.design.refresh == DramRefresh::all_bank)
        to.add("dram_refresh", c.refreshing.si * timing.nRFC / timing.nREFI * dies(d));
}

template <class To>
void EnergyLaw::of_commands(Commands const& c, To const& to) const {
    auto const& energy = machine_.energy;
    Bounded const moved = (c.reads + c.writes) * Bounded(burst_);
    Bounded const pins = moved + Bounded((c.buffer_writes + c.mac_reads) * burst_);
    auto const add = [&](EnergyPart row, Bounded const& joules) {
        if (joules.upper > 0.0) to(row, joules);
    };
    add("arithmetic", c.cube_operations * cube_ + c.vector_operations * energy.vector.si);
    // without a first level, what enters the buffer leaves it once
    add("sram", moved * Bounded((system_.design.npu_l1 > 0 ? 1.0 : 2.0) * buffer_) +
                    Bounded(c.cube_operations * local_ + c.staged * (buffer_ + 2.0 * first_level_)));
    add("dram_array", c.row_activations * Bounded(row_) + moved * Bounded(energy.array.si));
    add("dram_interface", pins * Bounded(energy.transfer.si));
    add("host_transfer", Bounded(c.loaded * machine_.baseline.storage_read.si));
    add("in_memory_logic", (c.bank_reads * bank_read_ + c.macs * multiply_) * burst_);
}

std::array<double, 3> EnergyLaw::busy_with(Commands const& all) const {
    auto const& design = system_.design;
    return {all.cube_operations / (design.npu_flops * faster_),
            all.vector_operations / vector_rate(design, machine_.npu),
            all.bank_reads * design.mac_interval / pim_units(system_)};
}

double EnergyLaw::joules_of(Commands const& commands) const {
    double sum = 0.0;
    of_commands(commands, [&](std::string_view, Bounded const& joules) { sum += joules.value; });
    return sum;
}

Spending EnergyLaw::spending_of(Cost const& spent) const {
    Spending all;
    all.seconds = spent.seconds;
    of_commands(spent.commands, [&](EnergyPart part, Bounded const& joules) {
        all.joules.at(static_cast<std::size_t>(std::ranges::find(Spending::rows, part.row) - Spending::rows.begin())) +=
            joules.value;
        all.joules_below += joules.value - joules.lower;
        all.joules_above += joules.upper - joules.value;
    });
    auto const busy = busy_with(spent.commands);
    for (std::size_t i = 0; i < busy.size(); ++i) all.joules.back() -= waiting_[i] * busy[i];
    return all;
}

std::array<double, EnergyLaw::explained.size()> EnergyLaw::explain(Spending const& spent,
                                                                   Commands const& commands) const {
    std::array<double, explained.size()> joules{};
    std::copy_n(spent.joules.begin(), spent.joules.size() - 1, joules.begin());
    auto const busy = busy_with(commands);
    for (std::size_t i = 0; i < busy.size(); ++i) joules[joules.size() - busy.size() + i] = -waiting_[i] * busy[i];
    return joules;
}

Bounded EnergyLaw::package_joules(Commands const& commands) const {
    Bounded sum(-waiting_[2] * busy_with(commands)[2]);
    of_commands(commands, [&](EnergyPart part, Bounded const& joules) {
        double const share = part.name == "dram_interface" ? machine_.package.pin_share
                             : part.name.starts_with("dram_") || part.name == "in_memory_logic" ? 1.0
                                                                                                : 0.0;
        if (share > 0.0) sum += joules * Bounded(share);
    });
    return sum;
}

Bounded EnergyLaw::package_power(Bounded const& joules, Bounded const& seconds) const {
    return (joules / seconds + Bounded(memory_rest_ + waiting_[2])) * Bounded(package_share());
}

double EnergyLaw::package_power_at_work() const {
    auto const& o = system_.standard.organisation;
    auto const timing = pim_timing(system_.design, system_.standard, machine_.pim);
    double const bursts = o.columns();
    Commands row;
    row.row_activations = o.banks_per_rank();
    row.bank_reads = bursts * o.banks_per_rank();
    row.macs = row.bank_reads * static_cast<double>(system_.design.pim_vectors);
    double const ranks = static_cast<double>(system_.design.ranks);
    double const of_all =
        joules_of(row) / (row_visit_cycles(timing, bursts) * timing.clock) * ranks * channels(system_);
    return (of_all + memory_rest_) * package_share();
}

double EnergyLaw::package_share() const { return std::min(1.0, machine_.package.channels / channels(system_)); }

sim::Area memory_area_of(System const& d, MachineConstants const& machine) {
    constexpr double bytes_per_gbit = 0x1p27;
    return machine.area.dram_die * sim::Data{static_cast<double>(d.design.density) * bytes_per_gbit * dies(d)};
}

std::vector<Share> area_of(System const& d, MachineConstants const& machine) {
    auto const& c = machine.area;
    bool const two_rows = d.design.concurrency == Concurrency::dual_row_buffer;
    std::vector<Share> shares{{"matrix_unit", (c.cube * matrix_units(d, c)).si},
                              {"vector_unit", (c.vector * matrix_units(d, c)).si},
                              {"sram/npu", machine.sram.area(npu_memory(d, c)).si},
                              {"sram/global_buffers", (c.pim_sram * global_buffers(d, machine)).si},
                              {"controllers/channels", (controllers(d, c) + mapping_selectors(d, c)).si},
                              {"controllers/engines", (c.engine * static_cast<double>(d.design.engines)).si},
                              {"in_bank_logic/units", (pim_unit(d, c) * pim_units(d)).si},
                              {"in_bank_logic/row_supply", row_supply(d, machine).si}};
    if (two_rows) shares.push_back({"in_bank_logic/row_buffers", c.second_row_buffer * memory_area_of(d, machine).si});
    std::erase_if(shares, [](Share const& share) { return share.amount == 0.0; });
    return shares;
}

sim::Frequency pim_clock(Design const& design) { return 1.0 / sim::Time{design.mac_interval}; }

double peak_rate(sim::dram::Standard const& dram) {
    return dram.organisation.burst_bytes / (std::max(dram.timing.nBL, dram.timing.nCCDS) * dram.clock.si);
}

double vector_rate(Design const& design, NpuConstants const& npu) {
    return design.npu_flops * npu.vector_lanes / (2.0 * npu.cube_edge * npu.cube_edge * npu.cube_edge);
}

}  // namespace pimdse::models::umdam
