#include "models/umdam/costs.hpp"

#include "models/umdam/mapping/organisation.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

Bounded scaled(Bounded const& range, double n) { return range * Bounded(n); }

Bounded between(Bounded const& lowest, Bounded const& highest) {
    return {(lowest.value + highest.value) / 2.0, lowest.low, highest.high, lowest.kinds.weaker(highest.kinds)};
}

/// Of two reads of which one is longer.
Cost between(Cost const& lowest, Cost const& highest) {
    Cost cost;
    cost.seconds = between(lowest.seconds, highest.seconds);
    cost.commands.activations = between(lowest.commands.activations, highest.commands.activations);
    return cost;
}

}  // namespace

Commands& Commands::operator+=(Commands const& other) {
    reads += other.reads;
    writes += other.writes;
    activations += other.activations;
    macs += other.macs;
    bank_reads += other.bank_reads;
    buffer_writes += other.buffer_writes;
    mac_reads += other.mac_reads;
    cube_operations += other.cube_operations;
    vector_operations += other.vector_operations;
    return *this;
}

Commands Commands::times(double n) const {
    return {scaled(reads, n), scaled(writes, n),   scaled(activations, n), macs * n, bank_reads * n, buffer_writes * n,
            mac_reads * n,    cube_operations * n, vector_operations * n};
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
              system.standard.timing.nRFC),
      pim_low_(pim_),
      refresh_{pim_.refresh_share > 0.0 ? static_cast<double>(system.standard.timing.nREFI) : 0.0} {
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

void OperationCosts::foresee_reads(std::span<double const> bytes) { streams_.foresee(bytes); }

void OperationCosts::foresee_reads(Contexts const& contexts, double bytes_per_token) {
    if (fidelity_ == Fidelity::analytic) return;
    std::vector<double> bytes;
    for (std::int64_t i = 0; i < contexts.count; ++i)
        bytes.push_back(static_cast<double>(contexts.first + i) * bytes_per_token);
    streams_.foresee(bytes);
}

/// Growing in some steps; each is at least as long as its first read and at most as its last one.
Cost OperationCosts::growing_reads(Contexts const& contexts, double bytes_per_token, double times) const {
    Cost sum;
    auto const bytes = [&](std::int64_t i) { return static_cast<double>(contexts.first + i) * bytes_per_token; };
    if (fidelity_ == Fidelity::cycle) {
        for (std::int64_t i = 0; i < contexts.count; ++i) sum += read(bytes(i)).times(times);
        return sum;
    }
    constexpr std::int64_t steps = 16;
    std::int64_t const step = sim::divide_up(contexts.count, steps);
    Cost lowest = read(bytes(0));
    for (std::int64_t i = 0; i < contexts.count; i += step) {
        std::int64_t const behind = std::min(contexts.count, i + step);
        Cost const highest = read(bytes(behind - 1));
        sum += between(lowest, highest).times(static_cast<double>(behind - i) * times);
        lowest = highest;
    }
    double const tokens = static_cast<double>(contexts.count) *
                          (static_cast<double>(contexts.first) + static_cast<double>(contexts.count - 1) / 2.0);
    sum.commands.reads = tokens * bytes_per_token / system_.standard.organisation.burst_bytes * times;
    return sum;
}

Cost OperationCosts::gemm(Matrix const& m, double rows, Bounded const& bandwidth) const {
    auto const e = static_cast<std::int64_t>(prepared_.machine.element_bytes);
    GemmShape const shape{sim::whole_part(std::max(1.0, std::round(rows))),
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
        fastest_gemm(menu, cube_seconds(shape, system_.design.attained_flops(), prepared_.machine.npu), bandwidths);
    double const burst = system_.standard.organisation.burst_bytes;
    Cost cost;
    cost.seconds = run.seconds;
    cost.commands.reads = run.read / Bounded(burst);
    cost.commands.writes = run.write / Bounded(burst);
    cost.commands.activations = (reading.activations * run.read + writing.activations * run.write) / Bounded(weights);
    cost.commands.cube_operations = 2.0 * rows * m.weights();
    return cost;
}

Cost OperationCosts::vector(double operations) const {
    Cost cost;
    cost.seconds = vector_seconds(operations, system_.design.attained_flops(), prepared_.machine.npu);
    cost.commands.vector_operations = operations;
    return cost;
}

Cost OperationCosts::attended(double tile_pairs, double pairs) const {
    auto const& model = *system_.model;
    double const edge = prepared_.machine.npu.cube_edge;
    double const blocks = 2.0 * tile_pairs * std::ceil(static_cast<double>(model.head_dimension) / edge);
    constexpr double flop_per_element = 4;  // multiply and add, for scores and for values
    Cost cost;
    cost.seconds = blocks * 2.0 * edge * edge * edge / system_.design.attained_flops();
    cost.commands.cube_operations = flop_per_element * pairs * static_cast<double>(model.query_width());
    return cost;
}

/// Queries of one group share their keys: where positions fill no tile of rows, those of a group do together.
Cost OperationCosts::causal_attention(std::int64_t prompt) const {
    auto const& model = *system_.model;
    double const edge = prepared_.machine.npu.cube_edge, positions = static_cast<double>(prompt);
    double const group = static_cast<double>(model.heads) / static_cast<double>(model.kv_heads);
    double const tiles = std::ceil(positions / edge);
    double const tile_pairs = positions < edge
                                  ? std::ceil(group * positions / edge) * static_cast<double>(model.kv_heads)
                                  : static_cast<double>(model.heads) * tiles * (tiles + 1.0) / 2.0;
    return attended(tile_pairs, positions * (positions + 1.0) / 2.0);
}

Cost OperationCosts::attention_on_npu(double queries, Contexts const& contexts) const {
    auto const& model = *system_.model;
    double const edge = prepared_.machine.npu.cube_edge;
    double const group = static_cast<double>(model.heads) / static_cast<double>(model.kv_heads);
    auto const positions = [](double last) { return last * (last + 1.0) / 2.0; };
    // of 1, 2, ... `last` positions: every tile is met by an edge of contexts once more
    auto const tiles = [&](double last) {
        double const full = std::floor(last / edge);
        return edge * positions(full) + (last - full * edge) * (full + 1.0);
    };
    double const before = static_cast<double>(contexts.first - 1), last = before + static_cast<double>(contexts.count);
    double const row_tiles = std::ceil(group * queries / edge) * static_cast<double>(model.kv_heads);
    return attended(row_tiles * (tiles(last) - tiles(before)), queries * (positions(last) - positions(before)));
}

}  // namespace pimdse::models::umdam
