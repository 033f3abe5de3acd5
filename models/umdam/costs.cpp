#include "models/umdam/costs.hpp"

#include "models/umdam/mapping/organisation.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

Bounded scaled(Bounded const& range, double n) { return range * Bounded(n); }

}  // namespace

Commands& Commands::operator+=(Commands const& other) {
    reads += other.reads;
    writes += other.writes;
    activations += other.activations;
    macs += other.macs;
    buffer_writes += other.buffer_writes;
    mac_reads += other.mac_reads;
    cube_operations += other.cube_operations;
    vector_operations += other.vector_operations;
    return *this;
}

Commands Commands::times(double n) const {
    return {scaled(reads, n),  scaled(writes, n), scaled(activations, n), macs * n,
            buffer_writes * n, mac_reads * n,     cube_operations * n,    vector_operations * n};
}

Cost& Cost::operator+=(Cost const& other) {
    seconds += other.seconds;
    commands += other.commands;
    return *this;
}

Cost Cost::times(double n) const { return {scaled(seconds, n), commands.times(n)}; }

OperationCosts::OperationCosts(Prepared const& prepared, System const& system, Fidelity fidelity)
    : prepared_(prepared),
      system_(system),
      fidelity_(fidelity),
      streams_(prepared.streams, prepared.machine,
               {system.design, system.standard, *system.timing_set, *system.mapping}, fidelity),
      pim_(pim_timing(system.design, system.standard, prepared.machine.pim)),
      replay_(pim_, system.design.refresh == DramRefresh::all_bank ? system.standard.timing.nREFI : 0,
              system.standard.timing.nRFC) {
    if (system.design.baseline == Baseline::fused) efficiency_ = prepared.machine.baseline.fused_efficiency;
}

Bounded OperationCosts::read_bandwidth(double bytes) const {
    return Bounded(bytes * efficiency_ / system_.standard.clock.si) /
           streams_.run(bytes, sim::dram::Access::read).cycles;
}

Cost OperationCosts::transfer(double bytes, sim::dram::Access access) const {
    Cost cost;
    if (bytes <= 0.0) return cost;
    auto const run = streams_.run(bytes, access);
    cost.seconds = run.cycles * Bounded(system_.standard.clock.si);
    auto& bursts = access == sim::dram::Access::read ? cost.commands.reads : cost.commands.writes;
    bursts = bytes / system_.standard.organisation.burst_bytes;
    cost.commands.activations = run.activations;
    return cost;
}

Cost OperationCosts::read(double bytes) const { return transfer(bytes, sim::dram::Access::read); }
Cost OperationCosts::write(double bytes) const { return transfer(bytes, sim::dram::Access::write); }

Cost OperationCosts::copy(double bytes) const {
    double const chunk = std::min(bytes, prepared_.machine.baseline.relayout_chunk.si);
    double const chunks = bytes / chunk;
    Cost cost = read(chunk);
    cost += write(chunk);
    return cost.times(chunks);
}

/// Where the buffer is refilled for every column: every filling that outlasts the MACs beside it is waited for on its
/// own, the shorter last one of a column too. One buffer: a filling hides the interval between two MACs.
Bounded OperationCosts::refilled_cycles(GemvWalk const& walk, PimTiming const& timing, double cycles,
                                        std::int64_t vectors) {
    double const columns = static_cast<double>(walk.mac_reads);
    std::int64_t const column = walk.buffer_writes / walk.mac_reads, filling = walk.first_fill;
    double const whole = static_cast<double>(column / filling), part = static_cast<double>(column % filling);
    double const chunks = columns * (whole + (part > 0.0 ? 1.0 : 0.0));
    if (!timing.double_buffer) {
        return {cycles, cycles - chunks * std::max(0.0, timing.mac_interval - timing.nRTP),
                cycles + chunks * (timing.nRTP + 2.0), Bound::calibrated};
    }
    double const interval = timing.mac_interval * static_cast<double>(vectors) / static_cast<double>(walk.inputs);
    auto const stall = [&](double written, double multiplied) {
        return std::max(0.0, written * timing.buffer_write - multiplied * interval);
    };
    double const full = static_cast<double>(filling);
    double const stalls = part == 0.0 ? whole * stall(full, full)
                                      : (whole - 1.0) * stall(full, full) + stall(part, full) + stall(full, part);
    auto opening_only = timing;
    opening_only.buffer_write = 0.0;
    return {cycles, cycles, gemv_cycles(walk, opening_only, vectors) + columns * stalls, Bound::calibrated};
}

/// Closed form with what rounding to clock edges, pipeline ends and the exact cost of a refresh can change.
Bounded OperationCosts::closed_form(GemvWalk const& walk, Operand operand, std::int64_t vectors) const {
    auto const& t = system_.standard.timing;
    auto const& timing = pim_;
    auto still = timing;
    if (operand == Operand::present) still.buffer_write = 0.0;  // what is there already costs nothing
    still.refresh_share = 0.0;
    double const cycles = gemv_cycles(walk, still, vectors);
    bool const refills = operand == Operand::written && system_.design.loop_order == LoopOrder::nat &&
                         walk.buffer_writes > walk.first_fill;
    Bounded const refilled = refills ? refilled_cycles(walk, still, cycles, vectors) : Bounded(cycles);
    double const chunk = static_cast<double>(walk.first_fill) * still.buffer_write;
    // One buffer: every filling passes in part while two MACs would wait for each other anyway; for refills that is
    // counted above.
    bool const waits = !still.double_buffer && chunk > 0.0 && !refills;
    double const fillings =
        waits ? std::ceil(static_cast<double>(walk.buffer_writes) / static_cast<double>(walk.first_fill)) : 0.0;
    double const hidden = fillings * std::max(0.0, timing.mac_interval - timing.nRTP);
    double const multiplying = static_cast<double>(walk.macs * vectors - 1) * timing.mac_interval;
    double const low = std::max(refilled.low - chunk - hidden - timing.nRP, multiplying);
    double const high = std::max(cycles, refilled.high) + static_cast<double>(walk.openings) + 2.0 * chunk + 1.0;
    if (timing.refresh_share == 0.0) return {cycles, std::min(cycles, std::max(0.0, low)), high, Bound::calibrated};
    // Where MACs are far apart, a refresh passes in part while they would wait for each other anyway.
    double const between = timing.mac_interval - timing.stagger - timing.activate_to_mac - timing.nRTP - timing.nRP;
    double const least = std::max(0.0, t.nRFC - std::max(0.0, between)),
                 most = t.nRFC + timing.nRAS + timing.nRP + timing.activate_to_mac + timing.stagger +
                        timing.mac_interval + 2.0;
    double const value = cycles / (1.0 - timing.refresh_share);
    return {value, std::min(value, std::max(0.0, low) / (1.0 - least / t.nREFI)),
            std::max(value, high / (1.0 - most / t.nREFI)), Bound::calibrated};
}

Bounded OperationCosts::pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                    Bounded& openings) {
    auto const& walk = prepared_.walks.get(work, walk_of);
    double const opened = static_cast<double>(walk.openings) * times;
    if (fidelity_ == Fidelity::cycle) {
        auto const spent = replay_.run(work, operand, vectors, sim::whole_part(times));
        openings = static_cast<double>(spent.openings);
        return static_cast<double>(spent.cycles) * pim_.clock;
    }
    auto const cycles = closed_form(walk, operand, vectors);
    // a refresh closes the row in use
    Bounded const again =
        pim_.refresh_share > 0.0 ? cycles * Bounded(times / system_.standard.timing.nREFI) : Bounded();
    openings = {opened + again.value, opened, opened + again.high + (pim_.refresh_share > 0.0 ? 1.0 : 0.0),
                Bound::calibrated};
    if (fidelity_ == Fidelity::analytic) return cycles * Bounded(times * pim_.clock);
    return repeated_seconds(work, operand, vectors, times, cycles.value, openings);
}

/// Enough repetitions to see many refreshes, then in proportion; in which part of a row visit they fall may differ.
Bounded OperationCosts::repeated_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                         double cycles, Bounded& openings) const {
    auto const& t = system_.standard.timing;
    auto const& allowances = prepared_.machine.hybrid_pim;
    bool const refreshed = pim_.refresh_share > 0.0;
    PimReplay sample(pim_, refreshed ? t.nREFI : 0, t.nRFC);
    auto const repeats = sim::whole_part(std::ceil(allowances.refreshes_repeated * t.nREFI / cycles));
    auto const spent = sample.run(work, operand, vectors, repeats);
    openings.value = std::clamp(static_cast<double>(spent.openings) * times / static_cast<double>(repeats),
                                openings.low, openings.high);
    double const each = static_cast<double>(spent.cycles) / static_cast<double>(repeats);
    double const visit = pim_.stagger + pim_.activate_to_mac + pim_.nRAS + pim_.nRP;
    double const off = refreshed
                           ? std::max(allowances.refresh_spread, allowances.refresh_visit * visit / t.nREFI) * each
                           : allowances.rounding * each;
    return Bounded(each, each - off, each + off, Bound::calibrated) * Bounded(times * pim_.clock);
}

BankWork OperationCosts::bank_work(Matrix const& m) const {
    auto const& l = m.locality;
    std::int64_t const burst = system_.standard.organisation.burst_bytes;
    std::int64_t const part = std::max(burst, m.tile_rows * system_.interleave / l.split / burst * burst);
    std::int64_t const buffer =
        system_.design.buffer_elements * static_cast<std::int64_t>(prepared_.machine.element_bytes);
    return {part,
            sim::divide_up(l.busiest, part),
            system_.standard.organisation.row_bytes,
            burst,
            std::max(burst, buffer / l.inside / burst * burst),
            system_.design.loop_order,
            l.inside};
}

Cost OperationCosts::gemv(Matrix const& m, double times) {
    auto const& organisation = system_.standard.organisation;
    auto const work = bank_work(m);
    auto const& walk = prepared_.walks.get(work, walk_of);
    double const bytes = static_cast<double>(m.bytes), banks = bytes / static_cast<double>(m.locality.busiest);
    double const results =
        std::ceil(static_cast<double>(organisation.banks_per_rank()) / prepared_.machine.pim.results_per_burst) *
        organisation.ranks;
    // single-bank MACs name their bank, and with it its inputs
    std::int64_t const phases = system_.design.mac_command == MacCommand::single ? 1 : m.locality.phases;
    Bounded openings;
    Cost cost =
        vector(static_cast<double>(m.outputs * (m.locality.split - 1)) * times);  // sums over the parts of a column
    cost.seconds += pim_seconds(work, Operand::written, phases, times, openings);
    cost.commands.activations = openings * Bounded(banks);
    cost.commands.macs = bytes / organisation.burst_bytes * times;
    cost.commands.buffer_writes = static_cast<double>(walk.buffer_writes * organisation.channels) * times;
    cost.commands.mac_reads = static_cast<double>(walk.mac_reads * organisation.channels) * results * times;
    return cost;
}

Cost OperationCosts::attention(double bytes, double queries, double times) {
    auto const& organisation = system_.standard.organisation;
    double const banks = static_cast<double>(lanes(organisation));
    auto const bursts = sim::whole_part(std::ceil(bytes / banks / organisation.burst_bytes));
    BankWork const work{bursts * organisation.burst_bytes,
                        1,
                        organisation.row_bytes,
                        organisation.burst_bytes,
                        bursts * organisation.burst_bytes,
                        LoopOrder::res};
    Cost cost;
    Bounded openings;
    cost.seconds = pim_seconds(work, Operand::present, sim::whole_part(queries), times, openings);
    cost.commands.activations = openings * Bounded(banks);
    cost.commands.macs = static_cast<double>(bursts) * queries * banks * times;
    return cost;
}

Cost OperationCosts::gemm(Matrix const& m, double rows, Bounded const& bandwidth) const {
    auto const e = static_cast<std::int64_t>(prepared_.machine.element_bytes);
    GemmShape const shape{sim::whole_part(rows),
                          m.inputs,
                          m.outputs,
                          system_.interleave / e,
                          lanes(system_.standard.organisation),
                          m.bytes,
                          system_.design.npu_buffer,
                          e};
    auto const& menu = prepared_.tilings.get(shape, tilings);
    auto const weights = static_cast<double>(m.bytes);
    bool const writes =
        std::any_of(menu.begin(), menu.end(), [](GemmTraffic const& traffic) { return traffic.write > 0.0; });
    auto const reading = streams_.run(weights, sim::dram::Access::read);
    auto const writing = writes ? streams_.run(weights, sim::dram::Access::write) : reading;
    Bandwidths const bandwidths{bandwidth,
                                writes ? Bounded(weights / system_.standard.clock.si) / writing.cycles : bandwidth};
    auto const run =
        fastest_gemm(menu, cube_seconds(shape, system_.design.npu_flops, prepared_.machine.npu), bandwidths);
    double const burst = system_.standard.organisation.burst_bytes;
    Cost cost;
    cost.seconds = run.seconds;
    cost.commands.reads = run.read / Bounded(burst);
    cost.commands.writes = run.write / Bounded(burst);
    cost.commands.activations = (reading.activations * run.read + writing.activations * run.write) / Bounded(weights);
    cost.commands.cube_operations = 2.0 * rows * m.weights();
    return cost;
}

Bounded OperationCosts::pim_ends() const {
    if (fidelity_ == Fidelity::cycle || pim_.refresh_share == 0.0) return {};
    double const refresh = (system_.standard.timing.nRFC + pim_.nRAS + pim_.nRP + pim_.activate_to_mac) * pim_.clock;
    return {0.0, -refresh, refresh, Bound::calibrated};
}

Cost OperationCosts::vector(double operations) const {
    Cost cost;
    cost.seconds = vector_seconds(operations, system_.design.npu_flops, prepared_.machine.npu);
    cost.commands.vector_operations = operations;
    return cost;
}

Cost OperationCosts::cubes(double operations) const {
    Cost cost;
    cost.seconds = operations / system_.design.npu_flops;
    cost.commands.cube_operations = operations;
    return cost;
}

}  // namespace pimdse::models::umdam
