#include "models/umdam/costs.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

Range scaled(Range const& range, double n) { return range * Range(n); }

}  // namespace

Commands& Commands::operator+=(Commands const& other) {
    reads += other.reads;
    writes += other.writes;
    activations += other.activations;
    macs += other.macs;
    buffer_writes += other.buffer_writes;
    mac_reads += other.mac_reads;
    operations += other.operations;
    return *this;
}

Commands Commands::times(double n) const {
    return {scaled(reads, n),  scaled(writes, n), scaled(activations, n), macs * n,
            buffer_writes * n, mac_reads * n,     operations * n};
}

Cost& Cost::operator+=(Cost const& other) {
    seconds += other.seconds;
    commands += other.commands;
    return *this;
}

Cost Cost::times(double n) const { return {scaled(seconds, n), commands.times(n)}; }

Costs::Costs(Prepared const& prepared, Design const& design, Fidelity fidelity)
    : prepared_(prepared),
      design_(design),
      fidelity_(fidelity),
      streams_(prepared, design, fidelity),
      pim_(pim_timing(design.settings, design.standard, prepared.machine.pim)),
      replay_(pim_, design.settings.refresh == Refresh::all_bank ? design.standard.timing.nREFI : 0,
              design.standard.timing.nRFC) {
    if (design.settings.baseline == Baseline::fused) efficiency_ = prepared.machine.baseline.fused_efficiency;
}

Range Costs::read_bandwidth(double bytes) const {
    return Range(bytes * efficiency_ / design_.standard.clock.si) / streams_.run(bytes, sim::dram::Access::read).cycles;
}

Cost Costs::transfer(double bytes, sim::dram::Access access) const {
    Cost cost;
    if (bytes <= 0.0) return cost;
    auto const run = streams_.run(bytes, access);
    cost.seconds = run.cycles * Range(design_.standard.clock.si);
    auto& bursts = access == sim::dram::Access::read ? cost.commands.reads : cost.commands.writes;
    bursts = bytes / design_.standard.organisation.burst_bytes;
    cost.commands.activations = run.activations;
    return cost;
}

Cost Costs::read(double bytes) const { return transfer(bytes, sim::dram::Access::read); }
Cost Costs::write(double bytes) const { return transfer(bytes, sim::dram::Access::write); }

Cost Costs::copy(double bytes) const {
    double const chunk = std::min(bytes, prepared_.machine.baseline.relayout_chunk.si);
    double const chunks = bytes / chunk;
    Cost cost = read(chunk);
    cost += write(chunk);
    return cost.times(chunks);
}

/// Where the buffer is refilled for every column: every filling that outlasts the MACs beside it is waited for on its
/// own, the shorter last one of a column too. One buffer: a filling hides the interval between two MACs.
Range Costs::refilled_cycles(Walk const& walk, PimTiming const& timing, double cycles, std::int64_t vectors) {
    double const columns = static_cast<double>(walk.mac_reads);
    std::int64_t const column = walk.buffer_writes / walk.mac_reads, filling = walk.first_fill;
    double const whole = static_cast<double>(column / filling), part = static_cast<double>(column % filling);
    double const chunks = columns * (whole + (part > 0.0 ? 1.0 : 0.0));
    if (!timing.double_buffer) {
        return {cycles, cycles - chunks * std::max(0.0, timing.mac_interval - timing.nRTP),
                cycles + chunks * (timing.nRTP + 2.0)};
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
    return {cycles, cycles, gemv_cycles(walk, opening_only, vectors) + columns * stalls};
}

/// Closed form with what rounding to clock edges, pipeline ends and the exact cost of a refresh can change.
Range Costs::closed_form(Walk const& walk, Operand operand, std::int64_t vectors) const {
    auto const& t = design_.standard.timing;
    auto const& timing = pim_;
    auto still = timing;
    if (operand == Operand::present) still.buffer_write = 0.0;  // what is there already costs nothing
    still.refresh_share = 0.0;
    double const cycles = gemv_cycles(walk, still, vectors);
    bool const refills = operand == Operand::written && design_.settings.loop_order == LoopOrder::nat &&
                         walk.buffer_writes > walk.first_fill;
    Range const refilled = refills ? refilled_cycles(walk, still, cycles, vectors) : Range(cycles);
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
    if (timing.refresh_share == 0.0) return {cycles, std::min(cycles, std::max(0.0, low)), high};
    // Where MACs are far apart, a refresh passes in part while they would wait for each other anyway.
    double const between = timing.mac_interval - timing.stagger - timing.activate_to_mac - timing.nRTP - timing.nRP;
    double const least = std::max(0.0, t.nRFC - std::max(0.0, between)),
                 most = t.nRFC + timing.nRAS + timing.nRP + timing.activate_to_mac + timing.stagger +
                        timing.mac_interval + 2.0;
    double const value = cycles / (1.0 - timing.refresh_share);
    return {value, std::min(value, std::max(0.0, low) / (1.0 - least / t.nREFI)),
            std::max(value, high / (1.0 - most / t.nREFI))};
}

Range Costs::pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times, Range& openings) {
    auto const& walk = prepared_.walks.get(work, walk_of);
    double const opened = static_cast<double>(walk.openings) * times;
    if (fidelity_ == Fidelity::cycle) {
        auto const spent = replay_.run(work, operand, vectors, sim::whole_part(times));
        openings = static_cast<double>(spent.openings);
        return static_cast<double>(spent.cycles) * pim_.clock;
    }
    auto const cycles = closed_form(walk, operand, vectors);
    // a refresh closes the row in use
    Range const again = pim_.refresh_share > 0.0 ? cycles * Range(times / design_.standard.timing.nREFI) : Range();
    openings = {opened + again.value, opened, opened + again.high + (pim_.refresh_share > 0.0 ? 1.0 : 0.0)};
    if (fidelity_ == Fidelity::analytic) return cycles * Range(times * pim_.clock);
    // hybrid: enough repetitions to see many refreshes, then in proportion; in which part of a row visit they fall may
    // differ
    PimReplay sample(pim_, pim_.refresh_share > 0.0 ? design_.standard.timing.nREFI : 0, design_.standard.timing.nRFC);
    auto const repeats = sim::whole_part(std::ceil(64.0 * design_.standard.timing.nREFI / cycles.value));
    auto const spent = sample.run(work, operand, vectors, repeats);
    openings.value = std::clamp(static_cast<double>(spent.openings) * times / static_cast<double>(repeats),
                                openings.low, openings.high);
    double const each = static_cast<double>(spent.cycles) / static_cast<double>(repeats);
    double const visit = pim_.stagger + pim_.activate_to_mac + pim_.nRAS + pim_.nRP;
    double const off =
        (pim_.refresh_share > 0.0 ? std::max(0.015, 0.6 * visit / design_.standard.timing.nREFI) : 1e-9) * each;
    return Range(each, each - off, each + off) * Range(times * pim_.clock);
}

BankWork Costs::bank_work(Matrix const& m) const {
    auto const& l = m.locality;
    std::int64_t const burst = design_.standard.organisation.burst_bytes;
    std::int64_t const part = std::max(burst, m.tile_rows * design_.interleave / l.split / burst * burst);
    std::int64_t const buffer =
        design_.settings.buffer_elements * static_cast<std::int64_t>(prepared_.machine.element_bytes);
    return {part,
            sim::divide_up(l.busiest, part),
            design_.standard.organisation.row_bytes,
            burst,
            std::max(burst, buffer / l.inside / burst * burst),
            design_.settings.loop_order,
            l.inside};
}

Cost Costs::gemv(Matrix const& m, double times) {
    auto const& organisation = design_.standard.organisation;
    auto const work = bank_work(m);
    auto const& walk = prepared_.walks.get(work, walk_of);
    double const bytes = static_cast<double>(m.bytes), banks = bytes / static_cast<double>(m.locality.busiest);
    double const results =
        std::ceil(static_cast<double>(banks_per_rank(organisation)) / prepared_.machine.pim.results_per_burst) *
        organisation.ranks;
    // single-bank MACs name their bank, and with it its inputs
    std::int64_t const phases = design_.settings.mac_command == MacCommand::single ? 1 : m.locality.phases;
    Range openings;
    Cost cost =
        vector(static_cast<double>(m.outputs * (m.locality.split - 1)) * times);  // sums over the parts of a column
    cost.seconds += pim_seconds(work, Operand::written, phases, times, openings);
    cost.commands.activations = openings * Range(banks);
    cost.commands.macs = bytes / organisation.burst_bytes * times;
    cost.commands.buffer_writes = static_cast<double>(walk.buffer_writes * organisation.channels) * times;
    cost.commands.mac_reads = static_cast<double>(walk.mac_reads * organisation.channels) * results * times;
    return cost;
}

Cost Costs::attention(double bytes, double queries, double times) {
    auto const& organisation = design_.standard.organisation;
    double const banks = static_cast<double>(lanes(organisation));
    auto const bursts = sim::whole_part(std::ceil(bytes / banks / organisation.burst_bytes));
    BankWork const work{bursts * organisation.burst_bytes,
                        1,
                        organisation.row_bytes,
                        organisation.burst_bytes,
                        bursts * organisation.burst_bytes,
                        LoopOrder::res};
    Cost cost;
    Range openings;
    cost.seconds = pim_seconds(work, Operand::present, sim::whole_part(queries), times, openings);
    cost.commands.activations = openings * Range(banks);
    cost.commands.macs = static_cast<double>(bursts) * queries * banks * times;
    return cost;
}

Cost Costs::gemm(Matrix const& m, double rows, Range const& bandwidth) const {
    auto const e = static_cast<std::int64_t>(prepared_.machine.element_bytes);
    GemmShape const shape{sim::whole_part(rows),
                          m.inputs,
                          m.outputs,
                          design_.interleave / e,
                          lanes(design_.standard.organisation),
                          m.bytes,
                          design_.settings.npu_buffer,
                          e};
    auto const& menu = prepared_.tilings_of.get(shape, tilings);
    auto const weights = static_cast<double>(m.bytes);
    bool const writes =
        std::any_of(menu.begin(), menu.end(), [](GemmTraffic const& traffic) { return traffic.write > 0.0; });
    auto const reading = streams_.run(weights, sim::dram::Access::read);
    auto const writing = writes ? streams_.run(weights, sim::dram::Access::write) : reading;
    Bandwidths const bandwidths{bandwidth,
                                writes ? Range(weights / design_.standard.clock.si) / writing.cycles : bandwidth};
    auto const run =
        fastest_gemm(menu, cube_seconds(shape, design_.settings.npu_flops, prepared_.machine.npu), bandwidths);
    double const burst = design_.standard.organisation.burst_bytes;
    Cost cost;
    cost.seconds = run.seconds;
    cost.commands.reads = run.read / Range(burst);
    cost.commands.writes = run.write / Range(burst);
    cost.commands.activations = (reading.activations * run.read + writing.activations * run.write) / Range(weights);
    cost.commands.operations = 2.0 * rows * m.weights();
    return cost;
}

Range Costs::pim_ends() const {
    if (fidelity_ == Fidelity::cycle || pim_.refresh_share == 0.0) return {};
    double const refresh = (design_.standard.timing.nRFC + pim_.nRAS + pim_.nRP + pim_.activate_to_mac) * pim_.clock;
    return {0.0, -refresh, refresh};
}

Cost Costs::vector(double operations) const {
    Cost cost;
    cost.seconds = vector_seconds(operations, design_.settings.npu_flops, prepared_.machine.npu);
    cost.commands.operations = operations;
    return cost;
}

Cost Costs::cubes(double operations) const {
    Cost cost;
    cost.seconds = operations / design_.settings.npu_flops;
    cost.commands.operations = operations;
    return cost;
}

}  // namespace pimdse::models::umdam
