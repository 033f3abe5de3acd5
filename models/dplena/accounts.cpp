#include "models/dplena/accounts.hpp"

#include "models/dplena/floorplan.hpp"
#include "models/dplena/phase_limits.hpp"

namespace pimdse::models::dplena {
namespace {

using Shares = std::vector<EnergyShare>;

double blocks(Answer const& a) { return a.model ? a.model->blocks : 1.0; }

/// What `power` draws in `latency`, but for `busy` seconds of it.
Estimate waiting(double power, Estimate const& latency, double busy) {
    Estimate const left{latency.value - busy, latency.low - busy, latency.high - busy, latency.kinds};
    return larger(left, Estimate(0.0)) * power;
}

/// Energy of a part of a request.
class Energies {
  public:
    Energies(Answer const& a, Design const& d, MachineConstants const& machine, Work const& work)
        : a_(a), d_(d), machine_(machine), work_(work), power_(idle_power(d, machine)) {}

    [[nodiscard]] Shares shares() const {
        Shares to;
        add_sampling(to);
        if (work_.model) add_model(*work_.model, to);
        add_standing(to);
        return to;
    }

  private:
    void add_sampling(Shares& to) const {
        double const bytes = work_.samplings * bytes_sampled(a_.sampling, d_);
        to.push_back({"arithmetic/vector", power_.vector_at_work * vector_seconds()});
        to.push_back({"arithmetic/scalar", power_.scalar_at_work * scalar_seconds()});
        to.push_back({"sram/sampling", work_.samplings * vector_memory_energy(d_, machine_.silicon).si});
        to.push_back({"dram_array/sampling", array_energy(bytes, machine_.stack)});
        to.push_back({"dram_interface/sampling", interface_energy(bytes, machine_.stack)});
    }
    /// The matrix unit reads a row of either operand a cycle.
    void add_model(ModelPass const& pass, Shares& to) const {
        double const operands = 2.0 * static_cast<double>(d_.matrix_depth) * pass.cycles;
        to.push_back({"arithmetic/matrix", pass.multiplications * matrix_unit(d_, machine_).operation.si});
        to.push_back({"sram/model", (machine_.silicon.operand_energy * sim::Data{operands}).si});
        to.push_back({"dram_array/model", array_energy(pass.bytes.si, machine_.stack)});
        to.push_back({"dram_interface/model", interface_energy(pass.bytes.si, machine_.stack)});
    }
    /// A unit waits while it does nothing, whichever other unit works.
    void add_standing(Shares& to) const {
        auto const latency = time_of(a_, machine_, work_);
        double const multiplying = work_.model ? work_.model->multiplications / matrix_unit(d_, machine_).rate : 0.0;
        to.push_back({"sram_static", latency * power_.sram});
        to.push_back({"dram_background", latency * power_.open_rows});
        if (power_.refresh > 0.0) to.push_back({"dram_refresh", latency * power_.refresh});
        to.push_back({"idle_units/matrix", waiting(power_.matrix, latency, multiplying)});
        to.push_back({"idle_units/vector", waiting(power_.vector, latency, vector_seconds())});
        to.push_back({"idle_units/scalar", waiting(power_.scalar, latency, scalar_seconds())});
        to.push_back({"idle_units/channels", latency * power_.channels});
        if (machine_.host.si > 0.0) to.push_back({"host_compute", latency * machine_.host.si});
    }
    [[nodiscard]] double seconds(std::int64_t cycles) const {
        return work_.samplings * static_cast<double>(cycles) / machine_.silicon.frequency.si;
    }
    [[nodiscard]] double vector_seconds() const { return seconds(a_.sampling.counts.vector); }
    [[nodiscard]] double scalar_seconds() const { return seconds(a_.sampling.counts.beside_vector()); }

    Answer const& a_;
    Design const& d_;
    MachineConstants const& machine_;
    Work const& work_;
    IdlePower power_;
};

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

Work request_of(Answer const& a) {
    return {blocks(a), a.model ? std::optional(a.model->per_generation) : std::nullopt};
}

Work prefill_of(Answer const& a, Design const& d) { return {1.0 / static_cast<double>(d.steps), a.model->full}; }

Work decode_of(Answer const& a, Design const& d) {
    auto rest = a.model->full.times(a.model->full_passes - 1.0);
    rest += a.model->cached.times(a.model->cached_passes);
    return {blocks(a) - 1.0 / static_cast<double>(d.steps), rest};
}

Estimate time_of(Answer const& a, MachineConstants const& machine, Work const& work) {
    auto const sampling = a.sampling.total * (work.samplings / machine.silicon.frequency.si);
    return work.model ? sampling + work.model->time.si : sampling;
}

Estimate request_latency(Answer const& a, MachineConstants const& machine) {
    return time_of(a, machine, request_of(a));
}

double array_energy(double bytes, StackConstants const& stack) {
    return bytes * (stack.array.si + stack.row_activation.si / stack.row.si);
}

double interface_energy(double bytes, StackConstants const& stack) { return bytes * stack.interface.si; }

Shares energy_shares(Answer const& a, Design const& d, MachineConstants const& machine, Work const& work) {
    return Energies(a, d, machine, work).shares();
}

Breakdown breakdown_of(Answer const& a, Design const& d, MachineConstants const& machine) {
    Breakdown b;
    b.time = time_shares(a, d, machine);
    for (auto const& share : energy_shares(a, d, machine, request_of(a))) b.energy.push_back({share.what, share.joules.value});
    b.area = area_of(d, machine);
    b.limits = phase_limits(a, d, machine);
    return b;
}

}  // namespace pimdse::models::dplena
