#include "models/dplena/accounts.hpp"

#include "models/dplena/floorplan.hpp"

namespace pimdse::models::dplena {
namespace {

using Shares = std::vector<EnergyShare>;

double blocks(Answer const& a) { return a.model ? a.model->blocks : 1.0; }

/// What `power` draws in `latency`, but for `busy` seconds of it.
Estimate waiting(double power, Estimate const& latency, double busy) {
    Estimate const left{latency.value - busy, latency.low - busy, latency.high - busy, latency.kinds};
    return larger(left, Estimate(0.0)) * power;
}

void add_sampling(Answer const& a, Design const& d, MachineConstants const& machine, IdlePower const& power,
                  Shares& to) {
    auto const& counts = a.sampling.counts;
    double const cycle = blocks(a) / machine.silicon.frequency.si;
    double const bytes = blocks(a) * bytes_sampled(a.sampling, d);
    to.push_back({"arithmetic/vector", power.vector_at_work * static_cast<double>(counts.vector) * cycle});
    to.push_back({"arithmetic/scalar", power.scalar_at_work * static_cast<double>(counts.beside_vector()) * cycle});
    to.push_back({"sram/sampling", blocks(a) * vector_memory_energy(d, machine.silicon).si});
    to.push_back({"dram_array/sampling", array_energy(bytes, machine.stack)});
    to.push_back({"dram_interface/sampling", interface_energy(bytes, machine.stack)});
}

/// The matrix unit reads a row of either operand a cycle.
void add_model(ModelPass const& pass, Design const& d, MachineConstants const& machine, Shares& to) {
    double const operands = 2.0 * static_cast<double>(d.matrix_depth) * pass.cycles;
    to.push_back({"arithmetic/matrix", pass.multiplications * matrix_unit(d, machine).operation.si});
    to.push_back({"sram/model", (machine.silicon.sram_energy * sim::Data{operands}).si});
    to.push_back({"dram_array/model", array_energy(pass.bytes.si, machine.stack)});
    to.push_back({"dram_interface/model", interface_energy(pass.bytes.si, machine.stack)});
}

/// A unit waits while it does nothing, whichever other unit works.
void add_standing(Answer const& a, Design const& d, MachineConstants const& machine, IdlePower const& power,
                  Shares& to) {
    auto const latency = request_latency(a, machine);
    double const cycle = blocks(a) / machine.silicon.frequency.si;
    double const multiplying = a.model ? a.model->per_generation.multiplications / matrix_unit(d, machine).rate : 0.0;
    to.push_back({"sram_static", latency * power.sram});
    to.push_back({"dram_background", latency * power.open_rows});
    if (power.refresh > 0.0) to.push_back({"dram_refresh", latency * power.refresh});
    to.push_back({"idle_units/matrix", waiting(power.matrix, latency, multiplying)});
    auto const& counts = a.sampling.counts;
    to.push_back({"idle_units/vector", waiting(power.vector, latency, static_cast<double>(counts.vector) * cycle)});
    to.push_back(
        {"idle_units/scalar", waiting(power.scalar, latency, static_cast<double>(counts.beside_vector()) * cycle)});
    to.push_back({"idle_units/channels", latency * power.channels});
}

std::vector<Share> time_shares(Answer const& a, Design const& d, MachineConstants const& machine) {
    std::vector<Share> time;
    auto const tick = blocks(a) / machine.silicon.frequency.si;
    auto const& c = a.sampling.counts;
    auto const add = [&](std::string what, double cycles) { time.push_back({std::move(what), cycles * tick}); };
    add("sampling/vector", static_cast<double>(c.vector));
    if (d.overlap == Overlap::none) {
        add("sampling/scalar", static_cast<double>(c.scalar));
        add("sampling/control", static_cast<double>(c.control));
        add("sampling/copy", static_cast<double>(c.copy));
        add("sampling/memory", a.sampling.memory.value);
    } else {
        add("sampling/not hidden behind vector", a.sampling.total.value - static_cast<double>(c.vector));
    }
    if (a.model) {
        time.push_back({"model/full passes", a.model->full.time.si * a.model->full_passes});
        time.push_back({"model/cached passes", a.model->cached.time.si * a.model->cached_passes});
    }
    return time;
}

}  // namespace

double bytes_sampled(SamplingCost const& sampling, Design const& d) {
    return static_cast<double>(line_bytes) * static_cast<double>(sampling.prefetches) *
           static_cast<double>(d.lines_per_prefetch());
}

Estimate request_latency(Answer const& a, MachineConstants const& machine) {
    auto const sampling = a.sampling.total * (1.0 / machine.silicon.frequency.si);
    return a.model ? sampling * a.model->blocks + a.model->per_generation.time.si : sampling;
}

double array_energy(double bytes, StackConstants const& stack) {
    return bytes * (stack.array.si + stack.row_activation.si / stack.row.si);
}

double interface_energy(double bytes, StackConstants const& stack) { return bytes * stack.interface.si; }

Shares energy_shares(Answer const& a, Design const& d, MachineConstants const& machine) {
    Shares shares;
    auto const power = idle_power(d, machine);
    add_sampling(a, d, machine, power, shares);
    if (a.model) add_model(a.model->per_generation, d, machine, shares);
    add_standing(a, d, machine, power, shares);
    return shares;
}

Breakdown breakdown_of(Answer const& a, Design const& d, MachineConstants const& machine) {
    Breakdown b;
    b.time = time_shares(a, d, machine);
    for (auto const& share : energy_shares(a, d, machine)) b.energy.push_back({share.what, share.joules.value});
    b.area = area_of(d, machine);
    return b;
}

}  // namespace pimdse::models::dplena
