#include "models/umdam/accounts.hpp"

#include "models/umdam/floorplan.hpp"

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
                  NpuConstants const& npu, To& to) {
    double const multiplying = all.bank_reads * d.design.mac_interval / power.pim_units;
    to.add("sram_static", "", latency * Bounded(power.sram));
    to.add("dram_background", "", latency * Bounded(power.dram_open));
    if (power.refresh > 0.0) to.add("dram_refresh", "", latency * Bounded(power.refresh));
    to.add("idle_units", "cubes", waiting(power.cubes, latency, all.cube_operations / d.design.npu_flops));
    to.add("idle_units", "vectors",
           waiting(power.vectors, latency, all.vector_operations / vector_rate(d.design, npu)));
    to.add("idle_units", "pim", waiting(power.pim_unit * power.pim_units, latency, multiplying));
    to.add("idle_units", "channels", latency * Bounded(power.channels));
}

Bounded latency_of(RequestCost const& cost) { return cost.prefill() + cost.decode(); }

}  // namespace

std::vector<EnergyShare> energy_shares(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    NamedShares named;
    add_commands(d, cost, machine, named);
    add_standing(d, standing_power(d, machine), cost.commands(), latency_of(cost), machine.npu, named);
    return named.shares;
}

RequestEnergy energy_of(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    RequestEnergy energy{cost.commands(), standing_power(d, machine), {}, {}};
    SummedShares sum;
    add_commands(d, cost, machine, sum);
    energy.of_commands = sum.joules;
    add_standing(d, energy.standing, energy.commands, latency_of(cost), machine.npu, sum);
    energy.all = sum.joules;
    return energy;
}

Bounded mean_power(System const& d, RequestEnergy const& energy, Bounded const& latency, NpuConstants const& npu) {
    double const mean = energy.all.value / latency.value;
    if (energy.all.is_exact() && latency.is_exact()) return mean;
    auto const& joules = energy.of_commands;
    auto const drawn = [&](double worked, double seconds) {
        SummedShares standing;
        add_standing(d, energy.standing, energy.commands, seconds, npu, standing);
        return (worked + standing.joules.value) / seconds;
    };
    return {mean, drawn(joules.low, latency.high), drawn(joules.high, latency.low),
            joules.kinds.weaker(latency.kinds.swapped())};
}

}  // namespace pimdse::models::umdam
