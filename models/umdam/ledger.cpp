#include "models/umdam/ledger.hpp"

#include "sim/pim/pim_timing.hpp"

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
        {"idle_units", assumed, "waiting units: a tenth (in banks: a twentieth) of their power at work; channels"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "cube of an Ascend core (HPCA 2021), 7 nm, per 8 TFLOP/s"},
            {"vector_unit", assumed, "one vector unit per cube (HPCA 2021), 7 nm"},
            {"sram", counted, "7 nm cells (ISSCC 2017) over CACTI's cell fraction; global buffers assumed"},
            {"controllers", assumed, "DDR5 PHY and controller of LLMCompass (2024) per pin; queues, banks, engines"},
            {"in_bank_logic", assumed, "0.19 mm2 a bank, as in GDDR6-AiM (ISSCC 2022)"},
            {"routers", none, "there is no network on chip"},
            {"crossbars", none, "no array computes"},
            {"undivided", none, "the parts of every die are known"}};
}

using sim::Bounded;

/// Shares with names, in the order in which they are added.
struct NamedShares {
    std::vector<Share> shares;
    void add(std::string_view row, std::string_view part, Bounded const& joules) {
        shares.push_back({std::string(row) + (part.empty() ? "" : "/") + std::string(part), joules.value});
    }
};

/// The sum of the shares.
struct SummedShares {
    Bounded joules;
    void add(std::string_view, std::string_view, Bounded const& share) { joules += share; }
};

/// The part of the sum that is dissipated in the memory packages.
struct PackageShares {
    double pin_share = 0.0;
    Bounded joules;
    void add(std::string_view row, std::string_view part, Bounded const& share) {
        bool const unit = row == "in_memory_logic" || (row == "idle_units" && part == "pim");
        if (row == "dram_interface")
            joules += share * Bounded(pin_share);
        else if (unit || row.starts_with("dram_"))
            joules += share;
    }
};

/// Energy of the products with a burst of weights over that with 16-bit weights, of which a burst has fewer.
double narrow_energy(Design const& design, EnergyConstants const& c) {
    return design.weight_bits == WeightBits::sixteen ? 1.0 : std::pow(c.narrow, static_cast<int>(design.weight_bits));
}

/// Energy of commands, independent of the time they take.
class CommandEnergy {
  public:
    CommandEnergy(System const& d, MachineConstants const& machine)
        : burst_(d.standard.organisation.burst_bytes),
          row_(machine.energy.activation.si * d.standard.organisation.row_bytes / machine.energy.activation_row.si),
          buffer_(machine.sram.access(sim::Data{static_cast<double>(d.design.npu_buffer)}).si),
          first_level_(machine.sram.access(sim::Data{static_cast<double>(d.design.npu_l1)}).si),
          staged_(d.design.npu_l1 > 0),
          local_(machine.sram.access(machine.energy.local_memory).si * machine.energy.operands.si),
          bank_read_((machine.energy.multiply - machine.energy.vector_multiply).si *
                     machine.energy.pim.energy_factor(pim_clock(d.design))),
          multiply_(machine.energy.vector_multiply.si * narrow_energy(d.design, machine.energy) *
                    machine.energy.pim.energy_factor(pim_clock(d.design))),
          storage_(machine.baseline.storage_read.si),
          energy_(machine.energy) {}

    template <class To>
    void add(std::string_view phase, Commands const& c, To& to) const {
        Bounded const moved = (c.reads + c.writes) * Bounded(burst_);
        Bounded const pins = moved + Bounded((c.buffer_writes + c.mac_reads) * burst_);
        auto const share = [&](std::string_view row, Bounded const& joules) {
            if (joules.upper > 0.0) to.add(row, phase, joules);
        };
        share("arithmetic", c.cube_operations * energy_.cube.si + c.vector_operations * energy_.vector.si);
        // without a first level, what enters the buffer leaves it once
        share("sram", moved * Bounded((staged_ ? 1.0 : 2.0) * buffer_) +
                          Bounded(c.cube_operations * local_ + c.staged * (buffer_ + 2.0 * first_level_)));
        share("dram_array", c.row_activations * Bounded(row_) + moved * Bounded(energy_.array.si));
        share("dram_interface", pins * Bounded(energy_.transfer.si));
        share("host_transfer", Bounded(c.loaded * storage_));
        share("in_memory_logic", (c.bank_reads * bank_read_ + c.macs * multiply_) * burst_);
    }

  private:
    double burst_, row_, buffer_, first_level_;
    bool staged_;
    double local_, bank_read_, multiply_, storage_;
    EnergyConstants const& energy_;
};

/// Energy of commands, phase by phase.
template <class To>
void add_commands(System const& d, RequestCost const& cost, MachineConstants const& machine, To& to) {
    CommandEnergy const energy(d, machine);
    energy.add("load", cost.at(Part::load).commands, to);
    energy.add("relayout", cost.at(Part::relayout).commands, to);
    energy.add("prefill", cost.sum(Part::prefill_weights, Part::decode_weights).commands, to);
    energy.add("decode", cost.sum(Part::decode_weights, Part::end).commands, to);
}

/// Energy of a unit that draws `power` during `latency` except for `busy` seconds.
Bounded waiting(double power, Bounded const& latency, double busy) {
    Bounded const left{latency.value - busy, latency.lower - busy, latency.upper - busy, latency.kinds};
    return larger(left, Bounded(0.0)) * Bounded(power);
}

/// Time for which commands keep units busy.
UnitWork busy_with(System const& d, double pim_units, Commands const& all, MachineConstants const& machine) {
    return {0.0, all.cube_operations / d.design.npu_flops, all.vector_operations / vector_rate(d.design, machine.npu),
            all.bank_reads * d.design.mac_interval / pim_units};
}

template <class To>
void add_static(MachineStaticPower const& power, UnitWork const& busy, Bounded const& latency,
                MachineConstants const& machine, To& to) {
    to.add("sram_static", "", latency * Bounded(power.sram));
    to.add("dram_background", "", latency * Bounded(power.dram_open));
    if (power.refresh > 0.0) to.add("dram_refresh", "", latency * Bounded(power.refresh));
    to.add("idle_units", "matrix engine", waiting(power.matrix_units, latency, busy.matrix_units));
    to.add("idle_units", "vectors", waiting(power.vectors, latency, busy.vectors));
    to.add("idle_units", "pim", waiting(power.pim_unit * power.pim_units, latency, busy.pim_units));
    to.add("idle_units", "channels", latency * Bounded(power.channels));
    double const host = machine.static_power.host.si;
    if (host > 0.0) to.add("host_compute", "", latency * Bounded(host));
}

/// Mean power of the shares that `empty` adds up.
template <class To>
Bounded mean_power(System const& d, Cost const& spent, MachineConstants const& machine, To const& empty) {
    auto const power = static_power(d, machine);
    auto const busy = busy_with(d, power.pim_units, spent.commands, machine);
    To work = empty;
    CommandEnergy(d, machine).add("", spent.commands, work);
    auto const static_energy = [&](Bounded const& seconds) {
        To rest = empty;
        add_static(power, busy, seconds, machine, rest);
        return rest.joules;
    };
    auto const& joules = work.joules;
    auto const& seconds = spent.seconds;
    double const mean = (joules.value + static_energy(seconds).value) / seconds.value;
    if (joules.is_exact() && seconds.is_exact()) return mean;
    auto const mean_over = [&](double worked, double time) { return (worked + static_energy(time).value) / time; };
    return {mean, mean_over(joules.lower, seconds.upper), mean_over(joules.upper, seconds.lower),
            joules.kinds.weaker(seconds.kinds.swapped())};
}

/// Fraction of all channels that one package contains.
double package_share(System const& d, PackageConstants const& package) {
    return std::min(1.0, package.channels / static_cast<double>(d.design.channels));
}

double channels(System const& d) { return static_cast<double>(d.design.channels); }

double dies(System const& d) { return channels(d) * static_cast<double>(d.design.ranks); }

double banks_of_a_channel(System const& d) { return static_cast<double>(d.standard.organisation.banks_per_channel()); }

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

std::int64_t weights_together(System const& d) { return d.design.weights_per_element(); }

/// Area of a unit in a bank, depending on its clock, on the vectors that it multiplies at once, and on the weights of a
/// burst.
sim::Area pim_unit(System const& d, AreaConstants const& c) {
    double const clocked = 1.0 - c.pim_clocked + c.pim_clocked * (pim_clock(d.design).si / c.pim_unit_clock.si);
    double const vectors = 1.0 + c.pim_vector * static_cast<double>(d.design.pim_vectors - 1);
    return c.pim_unit * (clocked * (vectors * (1.0 + c.pim_narrow * static_cast<double>(weights_together(d) - 1))));
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

/// An area in m2 with its row of the ledger.
struct NamedArea {
    std::string_view what;
    double amount = 0.0;
};

constexpr std::size_t areas_outside_banks = 6;
/// Those in the banks are last.
std::array<NamedArea, areas_outside_banks + 3> named_areas(System const& d, MachineConstants const& machine) {
    auto const& c = machine.area;
    bool const two_rows = d.design.concurrency == Concurrency::dual_row_buffer;
    double const row_buffers = two_rows ? c.second_row_buffer * memory_area_of(d, machine).si : 0.0;
    return {{{"matrix_unit", (c.cube * matrix_units(d, c)).si},
             {"vector_unit", (c.vector * matrix_units(d, c)).si},
             {"sram/npu", machine.sram.area(npu_memory(d, c)).si},
             {"sram/global_buffers", (c.pim_sram * global_buffers(d, machine)).si},
             {"controllers/channels", (controllers(d, c) + mapping_selectors(d, c)).si},
             {"controllers/engines", (c.engine * static_cast<double>(d.design.engines)).si},
             {"in_bank_logic/units", (pim_unit(d, c) * (banks_of_a_channel(d) * channels(d))).si},
             {"in_bank_logic/row_supply", row_supply(d, machine).si},
             {"in_bank_logic/row_buffers", row_buffers}}};
}

sim::Data memory_of(System const& d) {
    constexpr double bytes_per_gbit = 0x1p27;
    return sim::Data{static_cast<double>(d.design.density) * bytes_per_gbit * dies(d)};
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

std::vector<Share> energy_shares(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    NamedShares named;
    add_commands(d, cost, machine, named);
    auto const all = cost.total();
    auto const power = static_power(d, machine);
    add_static(power, busy_with(d, power.pim_units, all.commands, machine), all.seconds, machine, named);
    return named.shares;
}

Bounded energy_of(System const& d, Cost const& spent, MachineConstants const& machine) {
    SummedShares sum;
    CommandEnergy(d, machine).add("", spent.commands, sum);
    auto const power = static_power(d, machine);
    add_static(power, busy_with(d, power.pim_units, spent.commands, machine), spent.seconds, machine, sum);
    return sum.joules;
}

UnitWork& UnitWork::operator+=(UnitWork const& other) {
    joules += other.joules;
    matrix_units += other.matrix_units;
    vectors += other.vectors;
    pim_units += other.pim_units;
    return *this;
}

UnitWork UnitWork::times(double n) const { return {joules * n, matrix_units * n, vectors * n, pim_units * n}; }

EnergyLaw::EnergyLaw(System const& system, MachineConstants const& machine)
    : system_(system), machine_(machine), power_(static_power(system, machine)) {}

UnitWork EnergyLaw::work_of(Commands const& commands) const {
    SummedShares sum;
    CommandEnergy(system_, machine_).add("", commands, sum);
    auto work = busy_with(system_, power_.pim_units, commands, machine_);
    work.joules = sum.joules.value;
    return work;
}

double EnergyLaw::joules(UnitWork const& work, double seconds) const {
    SummedShares rest;
    add_static(power_, work, seconds, machine_, rest);
    return work.joules + rest.joules.value;
}

double EnergyLaw::idle_watts() const { return power_.idle() + machine_.static_power.host.si; }

Bounded power_of(System const& d, Cost const& spent, MachineConstants const& machine) {
    return mean_power(d, spent, machine, SummedShares{});
}

Bounded package_power_of(System const& d, Cost const& spent, MachineConstants const& machine) {
    return mean_power(d, spent, machine, PackageShares{machine.package.pin_share, {}}) *
           Bounded(package_share(d, machine.package));
}

double package_power_at_work(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    double const bursts = o.columns(), banks = o.banks_per_rank(), vectors = static_cast<double>(d.design.pim_vectors);
    Commands row;
    row.row_activations = banks;
    row.bank_reads = bursts * banks;
    row.macs = row.bank_reads * vectors;
    SummedShares work;
    CommandEnergy(d, machine).add("", row, work);
    auto const power = static_power(d, machine);
    double const ranks = static_cast<double>(d.design.ranks), channels = static_cast<double>(d.design.channels);
    double const of_all = work.joules.value / (row_visit_cycles(timing, bursts) * timing.clock) * ranks * channels;
    return (of_all + power.dram_open + power.refresh) * package_share(d, machine.package);
}

std::vector<Share> area_of(System const& d, MachineConstants const& machine) {
    std::vector<Share> shares;
    for (auto const& [what, amount] : named_areas(d, machine)) shares.push_back({std::string(what), amount});
    return shares;
}

double sum_of_areas(System const& d, MachineConstants const& machine) {
    double sum = 0.0;
    for (auto const& area : named_areas(d, machine)) sum += area.amount;
    return sum;
}

economy::Materials materials_of(System const& d, MachineConstants const& machine) {
    auto const areas = named_areas(d, machine);
    economy::Materials m;
    for (std::size_t i = 0; i < areas.size(); ++i)
        (i < areas_outside_banks ? m.logic : m.bank_logic) += areas.at(i).amount;
    m.memory = memory_area_of(d, machine).si;
    m.add(economy::MemoryKind::lpddr5, memory_of(d).si);
    return m;
}

sim::Area memory_area_of(System const& d, MachineConstants const& machine) {
    return machine.area.dram_die * memory_of(d);
}

sim::Frequency pim_clock(Design const& design) { return 1.0 / sim::Time{design.mac_interval}; }

double peak_rate(sim::dram::Standard const& dram) {
    return dram.organisation.burst_bytes / (std::max(dram.timing.nBL, dram.timing.nCCDS) * dram.clock.si);
}

double vector_rate(Design const& design, NpuConstants const& npu) {
    return design.npu_flops * npu.vector_lanes / (2.0 * npu.cube_edge * npu.cube_edge * npu.cube_edge);
}

MachineStaticPower static_power(System const& d, MachineConstants const& machine) {
    auto const& c = machine.static_power;
    auto const& timing = d.standard.timing;
    double const burst = d.standard.organisation.burst_bytes;
    auto const& e = machine.energy;
    double const vectors = narrow_energy(d.design, e) * static_cast<double>(d.design.pim_vectors);
    double const multiply =
        burst * e.pim.energy_factor(pim_clock(d.design)) * (e.multiply + e.vector_multiply * (vectors - 1.0)).si;
    bool const refreshes = d.design.refresh == DramRefresh::all_bank;
    return {.matrix_units = c.waiting * machine.energy.cube.si * d.design.npu_flops,
            .vectors = c.waiting * machine.energy.vector.si * vector_rate(d.design, machine.npu),
            .pim_unit = c.pim_waiting * multiply / d.design.mac_interval,
            .pim_units = banks_of_a_channel(d) * channels(d),
            .channels = c.channel.si * channels(d) * peak_rate(d.standard) / c.channel_rate.si,
            .sram = (machine.sram.static_power(npu_memory(d, machine.area) + global_buffers(d, machine))).si,
            .dram_open = c.open.si * dies(d),
            .dram_powered_down = c.powered_down.si * dies(d),
            .refresh = refreshes ? c.refreshing.si * timing.nRFC / timing.nREFI * dies(d) : 0.0};
}

}  // namespace pimdse::models::umdam
