#include "models/umdam/accounts.hpp"

#include "models/umdam/floorplan.hpp"
#include "models/umdam/pim/pim.hpp"

#include <algorithm>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

/// Shares by name, in the order in which they come.
struct NamedShares {
    std::vector<EnergyShare> shares;
    void add(std::string_view row, std::string_view of, Bounded const& joules) {
        shares.push_back({std::string(row) + (of.empty() ? "" : "/") + std::string(of), joules});
    }
};

/// Their sum.
struct SummedShares {
    Bounded joules;
    void add(std::string_view, std::string_view, Bounded const& share) { joules += share; }
};

/// What of their sum is drawn in the packages of the memory.
struct PackageShares {
    double pin_share = 0.0;
    Bounded joules;
    void add(std::string_view row, std::string_view of, Bounded const& share) {
        bool const unit = row == "in_memory_logic" || (row == "idle_units" && of == "pim");
        if (row == "dram_interface")
            joules += share * Bounded(pin_share);
        else if (unit || row.starts_with("dram_"))
            joules += share;
    }
};

/// Energy of what commands do, whatever time it takes.
class CommandEnergy {
  public:
    CommandEnergy(System const& d, MachineConstants const& machine)
        : burst_(d.standard.organisation.burst_bytes),
          row_(machine.energy.activation.si * d.standard.organisation.row_bytes / machine.energy.activation_row.si),
          buffer_(machine.sram.access(sim::Data{static_cast<double>(d.design.npu_buffer)}).si),
          local_(machine.sram.access(machine.energy.local_memory).si * machine.energy.operands.si),
          bank_read_((machine.energy.multiply - machine.energy.vector_multiply).si *
                     machine.energy.pim.energy_factor(pim_clock(d.design))),
          multiply_(machine.energy.vector_multiply.si * machine.energy.pim.energy_factor(pim_clock(d.design))),
          energy_(machine.energy) {}

    template <class To>
    void add(std::string_view phase, Commands const& c, To& to) const {
        Bounded const moved = (c.reads + c.writes) * Bounded(burst_);
        Bounded const pins = moved + Bounded((c.buffer_writes + c.mac_reads) * burst_);
        auto const share = [&](std::string_view row, Bounded const& joules) {
            if (joules.high > 0.0) to.add(row, phase, joules);
        };
        share("arithmetic", c.cube_operations * energy_.cube.si + c.vector_operations * energy_.vector.si);
        share("sram", moved * Bounded(2.0 * buffer_) + Bounded(c.cube_operations * local_));
        share("dram_array", c.activations * Bounded(row_) + moved * Bounded(energy_.array.si));
        share("dram_interface", pins * Bounded(energy_.transfer.si));
        share("in_memory_logic", (c.bank_reads * bank_read_ + c.macs * multiply_) * burst_);
    }

  private:
    double burst_, row_, buffer_, local_, bank_read_, multiply_;
    EnergyConstants const& energy_;
};

/// Energy of commands, phase by phase.
template <class To>
void add_commands(System const& d, RequestCost const& cost, MachineConstants const& machine, To& to) {
    CommandEnergy const energy(d, machine);
    energy.add("relayout", cost.at(Part::relayout).commands, to);
    energy.add("prefill", cost.commands(Part::prefill_weights, Part::decode_weights), to);
    energy.add("decode", cost.commands(Part::decode_weights, Part::end), to);
}

/// What `power` draws in `latency`, but for `busy` seconds of it.
Bounded waiting(double power, Bounded const& latency, double busy) {
    Bounded const left{latency.value - busy, latency.low - busy, latency.high - busy, latency.kinds};
    return larger(left, Bounded(0.0)) * Bounded(power);
}

template <class To>
void add_standing(System const& d, StandingPower const& power, Commands const& all, Bounded const& latency,
                  MachineConstants const& machine, To& to) {
    double const multiplying = all.bank_reads * d.design.mac_interval / power.pim_units;
    to.add("sram_static", "", latency * Bounded(power.sram));
    to.add("dram_background", "", latency * Bounded(power.dram_open));
    if (power.refresh > 0.0) to.add("dram_refresh", "", latency * Bounded(power.refresh));
    to.add("idle_units", "cubes", waiting(power.cubes, latency, all.cube_operations / d.design.npu_flops));
    to.add("idle_units", "vectors",
           waiting(power.vectors, latency, all.vector_operations / vector_rate(d.design, machine.npu)));
    to.add("idle_units", "pim", waiting(power.pim_unit * power.pim_units, latency, multiplying));
    to.add("idle_units", "channels", latency * Bounded(power.channels));
    double const host = machine.standing.host.si;
    if (host > 0.0) to.add("host_compute", "", latency * Bounded(host));
}

/// Mean power of those shares that `empty` adds up.
template <class To>
Bounded mean_power(System const& d, Spent const& spent, MachineConstants const& machine, To const& empty) {
    auto const power = standing_power(d, machine);
    To work = empty;
    CommandEnergy(d, machine).add("", spent.commands, work);
    auto const standing = [&](Bounded const& seconds) {
        To rest = empty;
        add_standing(d, power, spent.commands, seconds, machine, rest);
        return rest.joules;
    };
    auto const& joules = work.joules;
    auto const& seconds = spent.seconds;
    double const mean = (joules.value + standing(seconds).value) / seconds.value;
    if (joules.is_exact() && seconds.is_exact()) return mean;
    auto const drawn = [&](double worked, double time) { return (worked + standing(time).value) / time; };
    return {mean, drawn(joules.low, seconds.high), drawn(joules.high, seconds.low),
            joules.kinds.weaker(seconds.kinds.swapped())};
}

/// Of all channels: those of one package.
double package_share(System const& d, PackageConstants const& package) {
    return std::min(1.0, package.channels / static_cast<double>(d.design.channels));
}

}  // namespace

Spent spent_in_all(RequestCost const& cost) { return {cost.commands(), cost.prefill() + cost.decode()}; }
Spent spent_in_prefill(RequestCost const& cost) {
    return {cost.commands(Part::relayout, Part::decode_weights), cost.prefill()};
}
Spent spent_in_decode(RequestCost const& cost) {
    return {cost.commands(Part::decode_weights, Part::end), cost.decode()};
}

std::vector<EnergyShare> energy_shares(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    NamedShares named;
    add_commands(d, cost, machine, named);
    auto const all = spent_in_all(cost);
    add_standing(d, standing_power(d, machine), all.commands, all.seconds, machine, named);
    return named.shares;
}

Bounded energy_of(System const& d, Spent const& spent, MachineConstants const& machine) {
    SummedShares sum;
    CommandEnergy(d, machine).add("", spent.commands, sum);
    add_standing(d, standing_power(d, machine), spent.commands, spent.seconds, machine, sum);
    return sum.joules;
}

Bounded power_of(System const& d, Spent const& spent, MachineConstants const& machine) {
    return mean_power(d, spent, machine, SummedShares{});
}

Bounded package_power_of(System const& d, Spent const& spent, MachineConstants const& machine) {
    return mean_power(d, spent, machine, PackageShares{machine.package.pin_share, {}}) *
           Bounded(package_share(d, machine.package));
}

double package_power_at_work(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    double const bursts = o.columns(), banks = o.banks_per_rank(), vectors = static_cast<double>(d.design.pim_vectors);
    Commands row;
    row.activations = banks;
    row.bank_reads = bursts * banks;
    row.macs = row.bank_reads * vectors;
    SummedShares work;
    CommandEnergy(d, machine).add("", row, work);
    auto const standing = standing_power(d, machine);
    double const ranks = static_cast<double>(d.design.ranks), channels = static_cast<double>(d.design.channels);
    double const of_all = work.joules.value / (row_visit_cycles(timing, bursts) * timing.clock) * ranks * channels;
    return (of_all + standing.dram_open + standing.refresh) * package_share(d, machine.package);
}

}  // namespace pimdse::models::umdam
