#include "models/umdam/costs.hpp"

#include "models/umdam/stream_rate.hpp"

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
    return {scaled(reads, n), scaled(writes, n), scaled(activations, n), macs * n, buffer_writes * n, mac_reads * n, operations * n};
}

Cost& Cost::operator+=(Cost const& other) {
    seconds += other.seconds;
    commands += other.commands;
    return *this;
}

Cost Cost::times(double n) const { return {scaled(seconds, n), commands.times(n)}; }

Costs::Costs(Prepared const& prepared, Design const& design, Fidelity fidelity)
    : prepared_(prepared), design_(design), fidelity_(fidelity), pim_(pim_timing(design.settings, design.standard, prepared.machine.pim)) {
    if (design.settings.baseline == Baseline::fused) baseline_efficiency_ = prepared.machine.baseline.fused_efficiency;
}

Range Costs::read_bandwidth(double bytes) const {
    auto settings = design_.settings;
    double parallel = 1.0;
    if (settings.baseline == Baseline::no_interleave) {
        // a matrix lies in all channels, one part after the other: each stream keeps one channel busy
        parallel = static_cast<double>(std::min(settings.engines, settings.channels));
        settings.engines = 1;
    }
    auto const rate = stream_rate(design_.standard, *design_.mapping, settings, bytes);
    return scaled(rate.bandwidth, baseline_efficiency_ * parallel);
}

Range Costs::openings(double bytes) const {
    auto const rate = stream_rate(design_.standard, *design_.mapping, design_.settings, bytes);
    double const bursts = bytes / design_.standard.organisation.burst_bytes;
    double const most = bursts;
    double const value = bursts / rate.bursts_per_opening;
    return {value, std::min(value, bytes / design_.standard.organisation.row_bytes), most};
}

Cost Costs::read(double bytes) const {
    Cost cost;
    if (bytes <= 0.0) return cost;
    cost.seconds = Range(bytes) / read_bandwidth(bytes);
    cost.commands.reads = bytes / design_.standard.organisation.burst_bytes;
    cost.commands.activations = openings(bytes);
    return cost;
}

Cost Costs::write(double bytes) const {
    Cost cost = read(bytes);
    std::swap(cost.commands.reads, cost.commands.writes);
    return cost;
}

Cost Costs::copy(double bytes) const {
    Cost cost = read(bytes);
    cost += write(bytes);
    double const chunks = std::ceil(bytes / prepared_.machine.baseline.relayout_chunk.si);
    cost.seconds += chunks * turnaround_cycles(design_.standard) * design_.standard.clock.si;
    return cost;
}

Cost Costs::gemv(Matrix const& m) const {
    auto const& organisation = design_.standard.organisation;
    auto const& l = m.locality;
    std::int64_t const column = m.tile_rows * design_.interleave;
    std::int64_t const buffer = design_.settings.buffer_elements * static_cast<std::int64_t>(prepared_.machine.element_bytes);
    std::int64_t const burst = organisation.burst_bytes;
    BankWork const work{std::max(burst, column / l.split / burst * burst), m.tile_columns * l.passes, organisation.row_bytes, burst, buffer, design_.settings.loop_order};
    auto const& walk = prepared_.walks.get(work, walk_of);
    double const banks = static_cast<double>(lanes(organisation)) / static_cast<double>(l.passes);
    double const results = std::ceil(static_cast<double>(banks_per_rank(organisation)) / prepared_.machine.pim.results_per_burst) * organisation.ranks;
    Cost cost;
    cost.seconds = gemv_cycles(walk, pim_, l.phases) * pim_.clock;
    cost.commands.macs = static_cast<double>(walk.macs) * banks;
    cost.commands.activations = static_cast<double>(walk.openings) * banks;
    cost.commands.buffer_writes = static_cast<double>(walk.buffer_writes * l.phases * organisation.channels);
    cost.commands.mac_reads = static_cast<double>(walk.mac_reads * organisation.channels) * results;
    return cost;
}

Cost Costs::attention(double bytes, double queries) const {
    auto const& organisation = design_.standard.organisation;
    double const rows = bytes / (static_cast<double>(lanes(organisation)) * organisation.row_bytes);
    double const per_row = organisation.columns() * queries;
    Cost cost;
    cost.seconds = rows * row_visit_cycles(pim_, per_row) / (1.0 - pim_.refresh_share) * pim_.clock;
    cost.commands.macs = rows * per_row * static_cast<double>(lanes(organisation));
    cost.commands.activations = rows * static_cast<double>(lanes(organisation));
    return cost;
}

Cost Costs::gemm(Matrix const& m, double rows) const {
    auto const e = static_cast<std::int64_t>(prepared_.machine.element_bytes);
    GemmShape const shape{static_cast<std::int64_t>(rows), m.inputs, m.outputs, design_.interleave / e, lanes(design_.standard.organisation), m.bytes, design_.settings.npu_buffer, e};
    auto const& menu = prepared_.tilings_of.get(shape, tilings);
    auto const run = fastest_gemm(menu, cube_seconds(shape, design_.settings.npu_flops, prepared_.machine.npu), read_bandwidth(static_cast<double>(m.bytes)));
    double const burst = design_.standard.organisation.burst_bytes;
    Cost cost;
    cost.seconds = run.seconds;
    cost.commands.reads = run.traffic.read / burst;
    cost.commands.writes = run.traffic.write / burst;
    cost.commands.activations = openings(run.traffic.read + run.traffic.write);
    cost.commands.operations = 2.0 * rows * m.weights();
    return cost;
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
