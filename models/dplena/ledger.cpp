#include "models/dplena/ledger.hpp"

#include "models/contract/standby.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/silicon.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;

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

/// A unit, the cycles for which it is busy, its work in them and its peak rate in `dimension`.
struct Busy {
    double cycles = 0.0;
    char const* unit;
    double done = 0.0, roof = 0.0;
    char const* dimension;
};

}  // namespace

Ledger ledger() {
    using enum Account;
    return {
        {{"arithmetic", assumed,
          "vector and scalar unit: Table IV while active; matrix unit: 0.25 pJ per multiply-add"},
         {"sram", assumed, "0.1 pJ/bit, nominal in PLENA's memory table: vector memory, operands of the matrix unit"},
         {"sram_static", assumed, "20 mW/MB, nominal in PLENA's memory table"},
         {"dram_array", counted, "HBM2, 2.68 pJ/bit and 909 pJ per row (O'Connor et al., MICRO 2017)"},
         {"dram_interface", counted, "HBM2, 0.80 pJ/bit (O'Connor et al., MICRO 2017)"},
         {"dram_background", counted,
          "IDD3N of 36 HBM2 stacks (HBM-Power, 2026) while a request runs; a quarter more with HBM2E, assumed"},
         {"dram_refresh", counted, "IDD5B above IDD2N of the same stacks, where refresh is on"},
         {"host_transfer", assumed, "logits and tokens (sampler = host) or tokens (host_fifo) at 6 pJ/bit"},
         {"host_compute", assumed,
          "host = included: host_power of technology.toml for the latency; sampler = host: 100 W more while it "
          "samples"},
         {"idle_units", assumed,
          "waiting units: a tenth of their active power; PHYs and controllers, in proportion to the clock of the HBM"}},
        {{"matrix_unit", assumed, "200 um2 per multiply-add of 8-bit weights, 7 nm"},
         {"vector_unit", counted, "Table IV; exponential units, accumulator and issue slots assumed"},
         {"sram", assumed, "ASAP7 macros of the PLENA repositories, 0.0425 um2/bit; FIFO to the host 0.5 um2/bit"},
         {"controllers", counted, "HBM2E PHY and controller of LLMCompass (ISCA 2024) per channel; fetch slots"}}};
}

double bytes_sampled(SamplingCost const& sampling, Design const& d) {
    if (d.sampler == Sampler::host)
        return static_cast<double>(d.rows()) * static_cast<double>(d.vocab) * d.element_bytes();
    return static_cast<double>(line_bytes) * static_cast<double>(sampling.prefetches) *
           static_cast<double>(d.lines_per_prefetch());
}

std::vector<Share> block_times(SamplingCost const& sampling, FifoCycles const& fifo, Design const& d,
                               MachineConstants const& machine) {
    std::vector<Share> time;
    double const clock = unit_clock(d, machine).si;
    auto const& c = sampling.counts;
    auto const add = [&](std::string row, double cycles) { time.push_back({"sampling/" + row, cycles / clock}); };
    add("vector", as_double(c.vector));
    if (d.sampler == Sampler::host) {
        double const host = host_seconds(d, machine) * clock;
        add("host", host);
        add("link", sampling.total.value - host);
    } else if (d.overlap == Overlap::none) {
        add("scalar", as_double(c.scalar));
        add("control", as_double(c.control));
        add("copy", as_double(c.copy));
        if (d.is_pipelined()) add("waiting for results", as_double(c.stall));
        add("memory", sampling.memory.value);
    } else {
        add("not hidden behind vector", sampling.total.value - as_double(c.vector));
    }
    if (d.host_fifo > 0) add("host fifo", fifo.entering + fifo.leaving);
    return time;
}

PhaseLimit block_limit(SamplingCost const& sampling, FifoCycles const& fifo, Design const& d,
                       MachineConstants const& machine) {
    double const clock = unit_clock(d, machine).si, on_fifo = fifo.entering + fifo.leaving;
    auto const& c = sampling.counts;
    bool const hosted = d.sampler == Sampler::host;
    double const on_host = hosted ? host_seconds(d, machine) * clock : 0.0;
    auto const working = [&](char const* unit, double cycles) { return Busy{cycles, unit, cycles / clock, 1.0, "1"}; };
    std::array const all{
        working("vector unit", as_double(c.vector)),
        working("scalar unit", as_double(c.beside_vector())),
        working("latency of instructions", as_double(c.stall)),
        Busy{sampling.memory.value, "fetches of logits", bytes_sampled(sampling, d), pin_bandwidth(d, machine).si,
             "B/s"},
        working("host", on_host),
        Busy{hosted ? sampling.total.value - on_host : 0.0, "link to the host", host_bytes(d, machine),
             machine.sampling_host.link.si, "B/s"},
        Busy{on_fifo, "FIFO to the host", fifo_tokens(d, machine).si, machine.sampling_host.link.si, "B/s"}};
    auto const& longest = *std::ranges::max_element(all, {}, &Busy::cycles);
    double const seconds = (sampling.total.value + on_fifo) / clock;
    return {"sampling", longest.unit, longest.done / seconds, longest.roof, longest.dimension};
}

double array_energy(double bytes, StackConstants const& stack) {
    return bytes * (stack.array.si + stack.row_activation.si / stack.row.si);
}

double interface_energy(double bytes, StackConstants const& stack) { return bytes * stack.interface.si; }

std::vector<Share> area_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.silicon;
    auto const slots = c.fetch_slot * static_cast<double>(d.outstanding);
    auto const lanes = silicon.vector_area * silicon.built_lanes + changed_units(d, c);
    std::vector<Share> shares{
        {"vector_unit/lanes", std::max(0.0, lanes.si)},
        {"vector_unit/scalar", (silicon.scalar_area + accumulator(d, c) + issue(d, c) + registers(d, c)).si},
        {"sram/vector", (c.sram_area * memories(silicon)).si},
        {"sram/fetched lines", (c.sram_area * silicon.fetch_buffers).si},
        {"controllers", ((machine.stack.phy + machine.stack.controller) * channels(d) + slots).si}};
    if (d.host_fifo > 0) shares.push_back({"sram/host fifo", (c.fifo_cell * fifo_size(d)).si});
    return shares;
}

sim::Area memory_area_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.stack;
    return (c.die * machine.silicon.hbm_capacity_per_channel + c.base_die) * channels(d);
}

void add_memories_at_rest(Design const& d, MachineConstants const& machine, Standby& to) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.stack;
    double const pseudo_channels = channels(d) * pseudo_channels_per_channel;
    bool const hbm2e = d.generation_of_hbm == HbmGeneration::hbm2e;
    double const standby = hbm2e ? c.standby_hbm2e : 1.0;
    to.add("idle_units/channels", (hbm2e ? c.channel_standing_hbm2e : c.channel_standing).si * channels(d));
    to.add("sram_static",
           (machine.silicon.sram_leakage * (memories(silicon) + silicon.fetch_buffers + fifo_size(d))).si);
    to.add({"dram_background", c.open_standby.si * standby * pseudo_channels,
            c.closed_standby.si * standby * pseudo_channels});
    if (d.refresh == Refresh::on)
        to.add("dram_refresh", c.refreshing.si * refresh_share(machine.hbm.timing) * pseudo_channels);
}

Powers powers_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    return {silicon.vector_power.si * silicon.built_lanes,
            silicon.vector_power.si * (silicon.scalar_area / silicon.vector_area)};
}

double stack_power(Design const& d, MachineConstants const& machine, double bytes_per_second) {
    Standby rest;
    add_memories_at_rest(d, machine, rest);
    double const of_stack = std::min(1.0, static_cast<double>(machine.stack.stack_channels) / channels(d));
    double const moving =
        array_energy(bytes_per_second, machine.stack) + interface_energy(bytes_per_second, machine.stack);
    return (moving + rest.memory()) * of_stack;
}

}  // namespace pimdse::models::dplena
