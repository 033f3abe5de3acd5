#include "models/dplena/ledger.hpp"

#include "models/dplena/silicon.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pimdse::models::dplena {

/// Multiply-adds a second, and what one of them takes.
struct MatrixUnit {
    double rate = 0.0;      ///< 1/s
    sim::Energy operation;  ///< with weights of weight_bits
    sim::Area area;
};

[[nodiscard]] MatrixUnit matrix_unit(Design const& design, MachineConstants const& machine);

namespace {

std::vector<LedgerEntry> energy_entries() {
    using enum Account;
    return {
        {"arithmetic", assumed, "vector and scalar unit: Table IV while they work; matrix unit: 0.25 pJ a step"},
        {"sram", assumed, "0.1 pJ/bit, nominal in PLENA's memory table: vector memory, operands of the matrix unit"},
        {"sram_static", assumed, "20 mW/MB, nominal in PLENA's memory table"},
        {"dram_array", counted, "HBM2, 2.68 pJ/bit and 909 pJ a row (O'Connor et al., MICRO 2017)"},
        {"dram_interface", counted, "HBM2, 0.80 pJ/bit (O'Connor et al., MICRO 2017)"},
        {"dram_background", counted, "IDD3N of 36 HBM2 stacks (HBM-Power, 2026) while a request runs"},
        {"dram_refresh", counted, "IDD5B above IDD2N of the same stacks, where refresh is on"},
        {"in_memory_logic", none, "the stacks only store"},
        {"interconnect", none, "wires of the die are part of the figures of its units"},
        {"converters", none, "all arithmetic is digital"},
        {"host_transfer", none, "prompts and tokens are some bytes"},
        {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; else nothing"},
        {"idle_units", assumed, "a tenth of a unit's power at work while it waits; PHYs and controllers"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "200 um2 a multiply-add of 8-bit weights, 7 nm"},
            {"vector_unit", counted, "Table IV; exponential units, accumulator and issue slots assumed"},
            {"sram", assumed, "ASAP7 macros of the PLENA repositories, 0.0425 um2/bit"},
            {"controllers", counted, "HBM2E PHY and controller of LLMCompass (ISCA 2024), a channel; fetch slots"},
            {"in_bank_logic", none, "the stacks only store"},
            {"routers", none, "there is no network on chip"},
            {"crossbars", none, "no arrays compute"},
            {"undivided", none, "no die is known as a whole only"}};
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

namespace {

using Shares = std::vector<EnergyShare>;

double blocks(Result const& a) { return a.model ? a.model->blocks : 1.0; }

/// What `power` draws in `latency`, but for `busy` seconds of it.
Estimate waiting(double power, Estimate const& latency, double busy) {
    Estimate const left{latency.value - busy, latency.lower - busy, latency.upper - busy, latency.kinds};
    return larger(left, Estimate(0.0)) * power;
}

/// Energy of a part of a request.
class Energies {
  public:
    Energies(Result const& a, Design const& d, MachineConstants const& machine, Work const& work)
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

    Result const& a_;
    Design const& d_;
    MachineConstants const& machine_;
    Work const& work_;
    IdlePower power_;
};

std::vector<Share> time_shares(Result const& a, Design const& d, MachineConstants const& machine) {
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

Work request_of(Result const& a) {
    return {blocks(a), a.model ? std::optional(a.model->per_generation) : std::nullopt};
}

Work prefill_of(Result const& a, Design const& d) { return {1.0 / static_cast<double>(d.steps), a.model->full}; }

Work decode_of(Result const& a, Design const& d) {
    auto rest = a.model->full.times(a.model->full_passes - 1.0);
    rest += a.model->cached.times(a.model->cached_passes);
    return {blocks(a) - 1.0 / static_cast<double>(d.steps), rest};
}

Estimate time_of(Result const& a, MachineConstants const& machine, Work const& work) {
    auto const sampling = a.sampling.total * (work.samplings / machine.silicon.frequency.si);
    return work.model ? sampling + work.model->time.si : sampling;
}

Estimate request_latency(Result const& a, MachineConstants const& machine) {
    return time_of(a, machine, request_of(a));
}

double array_energy(double bytes, StackConstants const& stack) {
    return bytes * (stack.array.si + stack.row_activation.si / stack.row.si);
}

double interface_energy(double bytes, StackConstants const& stack) { return bytes * stack.interface.si; }

Shares energy_shares(Result const& a, Design const& d, MachineConstants const& machine, Work const& work) {
    return Energies(a, d, machine, work).shares();
}

Breakdown breakdown_of(Result const& a, Design const& d, MachineConstants const& machine) {
    Breakdown b;
    b.time = time_shares(a, d, machine);
    for (auto const& share : energy_shares(a, d, machine, request_of(a)))
        b.energy.push_back({share.what, share.joules.value});
    b.area = area_of(d, machine);
    return b;
}

namespace {

constexpr int pseudo_channels_each = 2;

double channels(Design const& d) { return static_cast<double>(d.channels); }

sim::Data memories(Silicon const& s) { return s.vector_sram_allocated + s.fp_sram + s.int_sram; }

sim::Area accumulator(Design const& d, SiliconConstants const& c) {
    constexpr std::array bytes{2, 2, 4};  // by Accumulator
    return c.accumulator * sim::Data{static_cast<double>(bytes[static_cast<std::size_t>(d.accumulator)])};
}

/// What runs beside an instruction: fetches, then a second instruction, then tiles that come from the matrix unit; and
/// loops that cost no instruction.
sim::Area issue(Design const& d, SiliconConstants const& c) {
    auto const beside = static_cast<double>(d.overlap);
    return c.issue_slot * (beside + (d.loop_hardware == LoopHardware::on ? 1.0 : 0.0));
}

/// Between the widths that are known; narrower weights are taken as the narrowest.
template <class Quantity>
Quantity at_width(std::array<Quantity, MatrixConstants::bits.size()> const& of, std::int64_t weight_bits) {
    auto const& known = MatrixConstants::bits;
    auto const bits = std::clamp(static_cast<double>(weight_bits), known.front(), known.back());
    std::size_t const upper = bits <= known[1] ? 1 : 2;
    double const share = (bits - known[upper - 1]) / (known[upper] - known[upper - 1]);
    return of[upper - 1] * (1.0 - share) + of[upper] * share;
}

double refresh_share(HbmTiming const& t) {
    return static_cast<double>(t.refresh_duration) / static_cast<double>(t.refresh_interval);
}

}  // namespace

MatrixUnit matrix_unit(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.matrix;
    auto const units = static_cast<double>(d.matrix_depth) * static_cast<double>(d.matrix_block);
    return {units * machine.silicon.frequency.si, at_width(c.energy, d.weight_bits),
            at_width(c.area, d.weight_bits) * units};
}

std::vector<Share> area_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.silicon;
    auto const slots = c.fetch_slot * static_cast<double>(d.outstanding);
    return {{"matrix_unit", matrix_unit(d, machine).area.si},
            {"vector_unit/lanes", (silicon.vector_area * silicon.built_lanes).si},
            {"vector_unit/scalar", (silicon.scalar_area + accumulator(d, c) + issue(d, c)).si},
            {"sram/vector", (c.sram_area * memories(silicon)).si},
            {"sram/matrix", (c.sram_area * silicon.matrix_tiles).si},
            {"sram/fetched lines", (c.sram_area * silicon.fetch_buffers).si},
            {"controllers", ((machine.stack.phy + machine.stack.controller) * channels(d) + slots).si}};
}

sim::Area memory_area_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.stack;
    return (c.die * machine.silicon.hbm_capacity_per_channel + c.base_die) * channels(d);
}

IdlePower idle_power(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const unit = matrix_unit(d, machine);
    auto const& c = machine.stack;
    double const waiting = machine.silicon.waiting_share, parts = channels(d) * pseudo_channels_each;
    double const lanes = silicon.vector_power.si * silicon.built_lanes;
    double const scalar = silicon.vector_power.si * (silicon.scalar_area / silicon.vector_area);
    return {
        .matrix = waiting * unit.rate * unit.operation.si,
        .vector = waiting * lanes,
        .scalar = waiting * scalar,
        .vector_at_work = lanes,
        .scalar_at_work = scalar,
        .channels = c.channel_standing.si * channels(d),
        .sram = (machine.silicon.sram_leakage * (memories(silicon) + silicon.matrix_tiles + silicon.fetch_buffers)).si,
        .open_rows = c.open_standby.si * parts,
        .closed_rows = c.closed_standby.si * parts,
        .refresh = d.refresh == Refresh::on ? c.refreshing.si * refresh_share(machine.hbm.timing) * parts : 0.0};
}

Estimate stack_power(Design const& d, MachineConstants const& machine, Estimate const& bytes_per_second) {
    auto const& c = machine.stack;
    auto const power = idle_power(d, machine);
    double const of_stack = std::min(1.0, static_cast<double>(c.stack_channels) / channels(d));
    double const per_byte = c.array.si + c.row_activation.si / c.row.si + c.interface.si;
    return (bytes_per_second * per_byte + Estimate(power.open_rows + power.refresh)) * of_stack;
}

namespace {

/// A unit, how long it is busy in a phase and what it would be at its roof.
struct Busy {
    double seconds = 0.0;
    char const* unit;
    double done = 0.0, roof = 0.0;
    char const* dimension;
};

PhaseLimit limit_of(std::string phase, Result const& a, Design const& d, MachineConstants const& machine,
                    Work const& work) {
    double const frequency = machine.silicon.frequency.si;
    double const time = time_of(a, machine, work).value;
    double const in_vector = work.samplings * static_cast<double>(a.sampling.counts.vector) / frequency;
    double const in_scalar = work.samplings * static_cast<double>(a.sampling.counts.beside_vector()) / frequency;
    double const fetching = work.samplings * a.sampling.memory.value / frequency;
    auto const passes = work.model.value_or(ModelPass{});
    constexpr double operations = 2.0;  // of a multiply-add
    std::array<Busy, 6> const all{
        {{passes.compute.si, "matrix unit", operations * passes.multiplications,
          operations * matrix_unit(d, machine).rate, "FLOP/s"},
         {passes.transfer.si, "HBM bandwidth", passes.bytes.si, pin_bandwidth(d, machine).si, "B/s"},
         {passes.launches.si, "launches", passes.launches.si, 1.0, "1"},
         {in_vector, "vector unit", in_vector, 1.0, "1"},
         {in_scalar, "scalar unit", in_scalar, 1.0, "1"},
         {fetching, "fetches of logits", work.samplings * bytes_sampled(a.sampling, d), pin_bandwidth(d, machine).si,
          "B/s"}}};
    auto const& longest = *std::ranges::max_element(all, {}, &Busy::seconds);
    return {std::move(phase), longest.unit, longest.done / time, longest.roof, longest.dimension};
}

}  // namespace

std::vector<PhaseLimit> phase_limits(Result const& a, Design const& d, MachineConstants const& machine) {
    if (!a.model) return {limit_of("sampling", a, d, machine, request_of(a))};
    std::vector<PhaseLimit> limits{limit_of("prefill", a, d, machine, prefill_of(a, d))};
    auto const rest = decode_of(a, d);
    if (time_of(a, machine, rest).value > 0.0) limits.push_back(limit_of("decode", a, d, machine, rest));
    return limits;
}

}  // namespace pimdse::models::dplena
