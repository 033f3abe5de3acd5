#include "models/dplena/ledger.hpp"

#include "models/dplena/host.hpp"
#include "models/dplena/npu.hpp"
#include "models/dplena/silicon.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pimdse::models::dplena {

namespace {

std::vector<LedgerEntry> energy_entries() {
    using enum Account;
    return {
        {"arithmetic", assumed, "vector and scalar unit: Table IV while active; matrix unit: 0.25 pJ per multiply-add"},
        {"sram", assumed, "0.1 pJ/bit, nominal in PLENA's memory table: vector memory, operands of the matrix unit"},
        {"sram_static", assumed, "20 mW/MB, nominal in PLENA's memory table"},
        {"dram_array", counted, "HBM2, 2.68 pJ/bit and 909 pJ per row (O'Connor et al., MICRO 2017)"},
        {"dram_interface", counted, "HBM2, 0.80 pJ/bit (O'Connor et al., MICRO 2017)"},
        {"dram_background", counted,
         "IDD3N of 36 HBM2 stacks (HBM-Power, 2026) while a request runs; a quarter more with HBM2E, assumed"},
        {"dram_refresh", counted, "IDD5B above IDD2N of the same stacks, where refresh is on"},
        {"in_memory_logic", none, "the stacks do not compute"},
        {"interconnect", none, "the figures of the units include the wires of the die"},
        {"converters", none, "all arithmetic is digital"},
        {"host_transfer", assumed, "logits and tokens (sampler = host) or tokens (host_fifo) at 6 pJ/bit"},
        {"host_compute", assumed,
         "host = included: host_power of technology.toml for the latency; sampler = host: 100 W more while it samples"},
        {"idle_units", assumed,
         "waiting units: a tenth of their active power; PHYs and controllers, in proportion to the clock of the HBM"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "200 um2 per multiply-add of 8-bit weights, 7 nm"},
            {"vector_unit", counted, "Table IV; exponential units, accumulator and issue slots assumed"},
            {"sram", assumed, "ASAP7 macros of the PLENA repositories, 0.0425 um2/bit; FIFO to the host 0.5 um2/bit"},
            {"controllers", counted, "HBM2E PHY and controller of LLMCompass (ISCA 2024) per channel; fetch slots"},
            {"in_bank_logic", none, "the stacks do not compute"},
            {"routers", none, "there is no network on chip"},
            {"crossbars", none, "there are no arrays that compute"},
            {"undivided", none, "the area of every die is divided into the rows above"}};
}

double blocks(Result const& result) { return result.model ? result.model->blocks : 1.0; }
double samplings(Result const& result) { return result.model ? result.model->samplings : 1.0; }

/// Energy of a request or of a part of it.
class Energies {
  public:
    Energies(Result const& result, Design const& d, MachineConstants const& machine, Powers const& power,
             Work const& work)
        : result_(result), d_(d), machine_(machine), work_(work), power_(power) {}

    /// Calls to(row, joules) for every part.
    template <class To>
    void each(To to) const {
        add_sampling(to);
        if (work_.model) add_model(*work_.model, to);
        add_rest(to);
    }

  private:
    template <class To>
    void add_sampling(To& to) const {
        double const bytes = work_.samplings * bytes_sampled(result_.sampling, d_);
        to("arithmetic/vector", power_.vector * vector_seconds());
        to("arithmetic/scalar", power_.scalar * scalar_seconds());
        to("sram/sampling", work_.samplings * vector_memory_energy(d_, machine_.silicon).si);
        to("dram_array/sampling", array_energy(bytes, machine_.stack));
        to("dram_interface/sampling", interface_energy(bytes, machine_.stack));
        if (d_.sampler == Sampler::host) add_host(to);
        if (d_.host_fifo > 0) add_fifo(to);
    }
    template <class To>
    void add_fifo(To& to) const {
        auto const tokens = fifo_tokens(d_, machine_) * work_.finished;
        to("sram/host fifo", work_.finished * fifo_energy(d_, machine_).si);
        to("host_transfer", (machine_.sampling_host.link_energy * tokens).si);
    }
    template <class To>
    void add_host(To& to) const {
        auto const& host = machine_.sampling_host;
        auto const moved = sim::Data{work_.samplings * host_bytes(d_, machine_)};
        to("host_transfer", (host.link_energy * moved).si);
        to("host_compute/sampling", host.power.si * work_.samplings * host_seconds(d_, machine_));
    }
    template <class To>
    void add_model(text::PassCost const& passes, To& to) const {
        auto const law = result_.npu->law();
        to("arithmetic/matrix", law.joules_in(energy_row("arithmetic"), passes));
        to("sram/model", (machine_.silicon.operand_energy * sim::Data{result_.npu->operand_bytes(passes)}).si);
        to("dram_array/model", law.joules_in(energy_row("dram_array"), passes));
        to("dram_interface/model", law.joules_in(energy_row("dram_interface"), passes));
    }
    /// A unit waits while it is idle itself, no matter which other unit works.
    template <class To>
    void add_rest(To& to) const {
        auto const latency = time_of(result_, work_);
        double const multiplying = work_.model ? result_.npu->multiplying(*work_.model) : 0.0;
        power_.rest.each(latency, std::array{multiplying, vector_seconds(), scalar_seconds()}, to);
        if (machine_.host.si > 0.0) to("host_compute", latency * machine_.host.si);
    }
    [[nodiscard]] double seconds(std::int64_t cycles) const {
        return work_.samplings * static_cast<double>(cycles) / result_.clock.si;
    }
    [[nodiscard]] double vector_seconds() const {
        return seconds(result_.sampling.counts.vector) + (work_.model ? result_.npu->elementwise(*work_.model) : 0.0);
    }
    [[nodiscard]] double scalar_seconds() const { return seconds(result_.sampling.counts.beside_vector()); }

    Result const& result_;
    Design const& d_;
    MachineConstants const& machine_;
    Work const& work_;
    Powers const& power_;
};

std::vector<Share> time_shares(Result const& result, Design const& d, MachineConstants const& machine) {
    std::vector<Share> time;
    auto const tick = samplings(result) / result.clock.si;
    auto const& c = result.sampling.counts;
    auto const add = [&](std::string row, double cycles) { time.push_back({std::move(row), cycles * tick}); };
    add("sampling/vector", static_cast<double>(c.vector));
    if (d.sampler == Sampler::host) {
        auto const host = host_seconds(d, machine) * result.clock.si;
        add("sampling/host", host);
        add("sampling/link", result.sampling.total.value - host);
    } else if (d.overlap == Overlap::none) {
        add("sampling/scalar", static_cast<double>(c.scalar));
        add("sampling/control", static_cast<double>(c.control));
        add("sampling/copy", static_cast<double>(c.copy));
        if (d.is_pipelined()) add("sampling/waiting for results", static_cast<double>(c.stall));
        add("sampling/memory", result.sampling.memory.value);
    } else {
        add("sampling/not hidden behind vector", result.sampling.total.value - static_cast<double>(c.vector));
    }
    if (d.host_fifo > 0) time.push_back({"sampling/host fifo", fifo_seconds(result, request_of(result))});
    if (result.model) {
        time.push_back({"model/full passes", result.model->full.total() * result.model->full_passes});
        time.push_back({"model/cached passes", result.model->cached.total() * result.model->cached_passes});
    }
    return time;
}

constexpr int pseudo_channels_per_channel = 2;

double channels(Design const& d) { return static_cast<double>(d.channels); }

sim::Data memories(Silicon const& s) { return s.vector_sram_allocated + s.fp_sram + s.int_sram; }

/// Registers of interleaved rows beyond the first.
sim::Area registers(Design const& d, SiliconConstants const& c) {
    return c.chain_registers * static_cast<double>(d.interleaved_rows() - 1);
}

sim::Area accumulator(Design const& d, SiliconConstants const& c) {
    constexpr std::array bytes{2, 2, 4};  // by Accumulator
    return c.accumulator * sim::Data{static_cast<double>(bytes[static_cast<std::size_t>(d.accumulator)])};
}

/// Area of issue slots: `overlap` adds one for fetches during the work, then one for a second instruction, then one for
/// tiles from the matrix unit (in the order of Overlap); loops in hardware add another one.
sim::Area issue(Design const& d, SiliconConstants const& c) {
    auto const overlap_slots = static_cast<double>(d.overlap);
    return c.issue_slot * (overlap_slots + (d.loop_hardware == LoopHardware::on ? 1.0 : 0.0));
}

double refresh_share(HbmTiming const& t) {
    return static_cast<double>(t.refresh_duration) / static_cast<double>(t.refresh_interval);
}

/// A unit, the time for which it is busy in a phase, its work in the phase and its peak rate in `dimension`.
struct Busy {
    double seconds = 0.0;
    char const* unit;
    double done = 0.0, roof = 0.0;
    char const* dimension;
};

double time_of_sampling(Result const& result, Work const& work) {
    return result.sampling.total.value * work.samplings / result.clock.si;
}

PhaseLimit limit_of(std::string phase, Result const& result, Design const& d, MachineConstants const& machine,
                    Work const& work) {
    double const frequency = result.clock.si;
    double const time = time_of(result, work).value;
    double const in_vector = work.samplings * static_cast<double>(result.sampling.counts.vector) / frequency;
    double const in_scalar = work.samplings * static_cast<double>(result.sampling.counts.beside_vector()) / frequency;
    double const waiting = work.samplings * static_cast<double>(result.sampling.counts.stall) / frequency;
    double const fetching = work.samplings * result.sampling.memory.value / frequency;
    auto const passes = work.model.value_or(text::PassCost{});
    auto const on_npu = [&](double (Npu::*seconds)(text::PassCost const&) const) {
        return result.npu ? ((*result.npu).*seconds)(passes) : 0.0;
    };
    constexpr double operations = 2.0;  // per multiply-add
    bool const hosted = d.sampler == Sampler::host;
    double const on_host = hosted ? work.samplings * host_seconds(d, machine) : 0.0;
    double const on_link = hosted ? time_of_sampling(result, work) - on_host : 0.0;
    std::array<Busy, 10> const all{
        {{on_npu(&Npu::computing), "matrix unit", passes.operations[Npu::matrix],
          operations * matrix_unit(d, machine).rate, "FLOP/s"},
         {on_npu(&Npu::transferring), "HBM bandwidth", passes.bytes(Npu::hbm), pin_bandwidth(d, machine).si, "B/s"},
         {passes.seconds[Npu::launches], "launches", passes.seconds[Npu::launches], 1.0, "1"},
         {in_vector + on_npu(&Npu::elementwise), "vector unit", in_vector + on_npu(&Npu::elementwise), 1.0, "1"},
         {in_scalar, "scalar unit", in_scalar, 1.0, "1"},
         {waiting, "latency of instructions", waiting, 1.0, "1"},
         {fetching, "fetches of logits", work.samplings * bytes_sampled(result.sampling, d),
          pin_bandwidth(d, machine).si, "B/s"},
         {on_host, "host", on_host, 1.0, "1"},
         {on_link, "link to the host", hosted ? work.samplings * host_bytes(d, machine) : 0.0,
          machine.sampling_host.link.si, "B/s"},
         {fifo_seconds(result, work), "FIFO to the host", work.finished * fifo_tokens(d, machine).si,
          machine.sampling_host.link.si, "B/s"}}};
    auto const& longest = *std::ranges::max_element(all, {}, &Busy::seconds);
    return {std::move(phase), longest.unit, longest.done / time, longest.roof, longest.dimension};
}

/// The limiting unit of the sampling, or of the passes and samplings up to the first token and of those after it.
std::vector<PhaseLimit> phase_limits(Result const& result, Design const& d, MachineConstants const& machine) {
    if (!result.model) return {limit_of("sampling", result, d, machine, request_of(result))};
    std::vector<PhaseLimit> limits{limit_of("prefill", result, d, machine, prefill_of(result, d))};
    auto const rest = decode_of(result, d);
    if (time_of(result, rest).value > 0.0) limits.push_back(limit_of("decode", result, d, machine, rest));
    return limits;
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

double bytes_sampled(SamplingCost const& sampling, Design const& d) {
    if (d.sampler == Sampler::host)
        return static_cast<double>(d.rows()) * static_cast<double>(d.vocab) * d.element_bytes();
    return static_cast<double>(line_bytes) * static_cast<double>(sampling.prefetches) *
           static_cast<double>(d.lines_per_prefetch());
}

Work request_of(Result const& result) {
    return {samplings(result), result.model ? std::optional(result.model->per_generation) : std::nullopt,
            blocks(result), true};
}

Work prefill_of(Result const& result, Design const& d) {
    bool const ends_block = d.steps == 1;
    return {d.first_sampling(), result.model->full, ends_block ? d.first_sampling() : 0.0, ends_block};
}

Work decode_of(Result const& result, Design const& d) {
    auto const first = prefill_of(result, d);
    return {samplings(result) - d.first_sampling(), result.model->rest, blocks(result) - first.finished,
            !first.waits_for_host};
}

double fifo_seconds(Result const& result, Work const& work) {
    return (work.finished * result.fifo.entering + (work.waits_for_host ? result.fifo.leaving : 0.0)) / result.clock.si;
}

Estimate time_of(Result const& result, Work const& work) {
    auto const sampling = result.sampling.total * (work.samplings / result.clock.si) + fifo_seconds(result, work);
    return work.model ? sampling + work.model->total() : sampling;
}

double array_energy(double bytes, StackConstants const& stack) {
    return bytes * (stack.array.si + stack.row_activation.si / stack.row.si);
}

double interface_energy(double bytes, StackConstants const& stack) { return bytes * stack.interface.si; }

Estimate energy_of(Result const& result, Design const& d, MachineConstants const& machine, Powers const& power,
                   Work const& work) {
    Estimate sum;
    Energies(result, d, machine, power, work).each([&](std::string_view, Estimate const& joules) { sum += joules; });
    return sum;
}

std::vector<Share> area_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.silicon;
    auto const slots = c.fetch_slot * static_cast<double>(d.outstanding);
    auto const lanes = silicon.vector_area * silicon.built_lanes + changed_units(d, c);
    std::vector<Share> shares{
        {"matrix_unit", matrix_unit(d, machine).area.si},
        {"vector_unit/lanes", std::max(0.0, lanes.si)},
        {"vector_unit/scalar", (silicon.scalar_area + accumulator(d, c) + issue(d, c) + registers(d, c)).si},
        {"sram/vector", (c.sram_area * memories(silicon)).si},
        {"sram/matrix", (c.sram_area * silicon.matrix_tiles).si},
        {"sram/fetched lines", (c.sram_area * silicon.fetch_buffers).si},
        {"controllers", ((machine.stack.phy + machine.stack.controller) * channels(d) + slots).si}};
    if (d.host_fifo > 0) shares.push_back({"sram/host fifo", (c.fifo_cell * fifo_size(d)).si});
    return shares;
}

sim::Area memory_area_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.stack;
    return (c.die * machine.silicon.hbm_capacity_per_channel + c.base_die) * channels(d);
}

economy::Materials materials_of(double logic, Design const& d, MachineConstants const& machine) {
    economy::Materials m;
    m.logic = logic;
    m.memory = memory_area_of(d, machine).si;
    m.add(economy::MemoryKind::hbm2, machine.silicon.hbm_capacity_per_channel.si * channels(d));
    return m;
}

void add_memories_at_rest(Design const& d, MachineConstants const& machine, Standby& to) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.stack;
    double const pseudo_channels = channels(d) * pseudo_channels_per_channel;
    bool const hbm2e = d.generation_of_hbm == HbmGeneration::hbm2e;
    double const standby = hbm2e ? c.standby_hbm2e : 1.0;
    to.add("idle_units/channels", (hbm2e ? c.channel_standing_hbm2e : c.channel_standing).si * channels(d));
    to.add("sram_static", (machine.silicon.sram_leakage *
                           (memories(silicon) + silicon.matrix_tiles + silicon.fetch_buffers + fifo_size(d)))
                              .si);
    to.add({"dram_background", c.open_standby.si * standby * pseudo_channels,
            c.closed_standby.si * standby * pseudo_channels});
    if (d.refresh == Refresh::on)
        to.add("dram_refresh", c.refreshing.si * refresh_share(machine.hbm.timing) * pseudo_channels);
}

Powers powers_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const unit = matrix_unit(d, machine);
    double const waiting = machine.silicon.waiting_share;
    Powers p{silicon.vector_power.si * silicon.built_lanes,
             silicon.vector_power.si * (silicon.scalar_area / silicon.vector_area),
             {}};
    // what works, in the order of add_rest
    p.rest.add("idle_units/matrix", waiting * unit.rate * unit.operation.si, 0);
    p.rest.add("idle_units/vector", waiting * p.vector, 1);
    p.rest.add("idle_units/scalar", waiting * p.scalar, 2);
    add_memories_at_rest(d, machine, p.rest);
    return p;
}

Estimate stack_power(Design const& d, MachineConstants const& machine, Standby const& rest,
                     Estimate const& bytes_per_second) {
    auto const& c = machine.stack;
    double const of_stack = std::min(1.0, static_cast<double>(c.stack_channels) / channels(d));
    double const per_byte = c.array.si + c.row_activation.si / c.row.si + c.interface.si;
    return (bytes_per_second * per_byte + Estimate(rest.memory())) * of_stack;
}

Breakdown breakdown_of(Result const& result, Design const& d, MachineConstants const& machine) {
    Breakdown b;
    b.time = time_shares(result, d, machine);
    auto const power = powers_of(d, machine);
    auto const work = request_of(result);
    Energies(result, d, machine, power, work).each([&](std::string_view row, Estimate const& joules) {
        b.energy.push_back({std::string(row), joules.value});
    });
    b.area = area_of(d, machine);
    b.limits = phase_limits(result, d, machine);
    return b;
}

}  // namespace pimdse::models::dplena
