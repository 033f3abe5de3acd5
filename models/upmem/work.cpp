#include "models/upmem/work.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pimdse::models::upmem {
namespace {

double instructions_of(Kernel const& k, std::size_t family) {
    return k.instructions[family] > 0.0 ? k.instructions[family] : k.slots[family];
}

/// `slots` for each of `units`, spread over the blocks; overheads are added.
void set_totals(DpuWork& w, double units, double slots, double instructions, double overhead, double tasklets) {
    w.total_slots = units * slots + overhead + tasklets * w.fixed_slots;
    w.total_instructions = units * instructions + overhead + tasklets * w.fixed_slots;
}

DpuWork stream_work(DpuWork w, Design const& d, Kernel const& k, std::size_t family, std::int64_t elements) {
    auto const x = static_cast<double>(elements);
    double const per_block = static_cast<double>(d.dma_block) / k.element_bytes;
    w.blocks = sim::whole_part(std::ceil(x / per_block));
    if (w.blocks == 1) {
        w.read_bytes = std::min(w.read_bytes, whole_words(x * k.element_bytes));
        w.write_bytes = std::min(w.write_bytes, w.read_bytes);
    }
    w.slots_per_block = std::min(per_block, x) * k.slots[family] + k.block_overhead + k.block_hazards[family];
    w.instructions_per_block = std::min(per_block, x) * instructions_of(k, family) + k.block_overhead;
    set_totals(w, x, k.slots[family], instructions_of(k, family), static_cast<double>(w.blocks) * k.block_overhead,
               static_cast<double>(d.tasklets));
    w.total_slots += static_cast<double>(w.blocks) * k.block_hazards[family];
    w.serial_slots = x * k.serial_slots;
    return w;
}

DpuWork even_work(DpuWork w, Design const& d, Kernel const& k, std::size_t family, std::int64_t elements) {
    auto const x = static_cast<double>(elements);
    w.blocks = d.tasklets;
    w.reads = w.writes = 0.0;
    set_totals(w, x, k.slots[family], instructions_of(k, family), 0.0, static_cast<double>(d.tasklets));
    w.slots_per_block = x * k.slots[family] / static_cast<double>(w.blocks);
    w.instructions_per_block = x * instructions_of(k, family) / static_cast<double>(w.blocks);
    w.serial_slots = x * k.serial_slots;
    return w;
}

DpuWork row_work(DpuWork w, Design const& d, Kernel const& k, std::size_t family, std::int64_t rows, double macs) {
    auto const pieces = sim::whole_part(std::ceil(macs * k.mac_bytes / static_cast<double>(d.dma_block)));
    w.blocks = rows * pieces;
    w.chunk = k.rows_together > 0.0 ? sim::whole_part(k.rows_together) * pieces : 1;
    double const overhead = k.row_overhead[family] + static_cast<double>(pieces) * k.block_overhead;
    w.slots_per_block = (macs * k.slots[family] + overhead) / static_cast<double>(pieces);
    w.instructions_per_block = (macs * instructions_of(k, family) + overhead) / static_cast<double>(pieces);
    auto const r = static_cast<double>(rows);
    set_totals(w, r * macs, k.slots[family], instructions_of(k, family), r * overhead, static_cast<double>(d.tasklets));
    return w;
}

DpuWork search_work(DpuWork w, Design const& d, Kernel const& k, std::size_t family, std::int64_t elements,
                    std::int64_t problem) {
    double const queries = std::ceil(static_cast<double>(elements) * k.element_queries);
    double const steps =
        k.steps > 0.0 ? k.steps : std::max(1.0, std::log2(static_cast<double>(problem)) + k.steps_extra[family]);
    w.chunk = std::max<std::int64_t>(1, sim::whole_part(std::round(steps)));
    w.blocks = std::max<std::int64_t>(1, sim::whole_part(std::round(queries * steps)));
    if (k.step_bytes[family] > 0.0) w.read_bytes = k.step_bytes[family];
    w.slots_per_block = k.slots[family];
    w.instructions_per_block = instructions_of(k, family);
    set_totals(w, static_cast<double>(w.blocks), k.slots[family], instructions_of(k, family), 0.0,
               static_cast<double>(d.tasklets));
    return w;
}

/// Every position of the series with every element of the query, one block of positions at a time: two blocks of the
/// series and one of the query for each block of the query, then means and deviations. The last tasklet has one block
/// less, because the series ends after it.
DpuWork profile_work(DpuWork w, Kernel const& k, std::size_t family, std::int64_t positions) {
    double const per_block = k.block_bytes / k.element_bytes;
    w.blocks = std::max<std::int64_t>(1, sim::whole_part(static_cast<double>(positions) / per_block) - 1);
    w.reads = 3 * k.query / per_block + 2;
    w.writes = 0.0;
    w.read_bytes = k.block_bytes;
    w.read_rows = 1.0;
    double const overhead = per_block * k.row_overhead[family] + k.block_overhead;
    w.slots_per_block = w.instructions_per_block = per_block * k.query * k.slots[family] + overhead;
    w.total_slots = w.total_instructions = static_cast<double>(w.blocks) * w.slots_per_block;
    return w;
}

/// Number of elements if every tasklet takes the same number as the busiest.
std::int64_t rounded_share(Design const& d, Kernel const& k, std::int64_t elements) {
    if (k.shape != WorkShape::stream) return sim::round_up(elements, d.tasklets);
    double const per_block = static_cast<double>(d.dma_block) / k.element_bytes;
    auto const blocks = sim::whole_part(std::ceil(static_cast<double>(elements) / per_block));
    return sim::whole_part(static_cast<double>(sim::round_up(blocks, d.tasklets)) * per_block);
}

double macs_of(Kernel const& k, std::int64_t problem) {
    return k.shape == WorkShape::layers ? static_cast<double>(problem) : k.row_macs;
}

/// Bytes of a stream or of the whole share that are different for every DPU.
double input_of(Kernel const& k, std::int64_t elements, std::int64_t problem) {
    double const per_row = macs_of(k, problem) * k.mac_bytes;
    bool const rows = k.shape == WorkShape::rows || k.shape == WorkShape::layers;
    return static_cast<double>(elements) * (rows ? per_row : k.input_bytes);
}

double shared_of(Kernel const& k, std::int64_t problem) {
    bool const rows = k.shape == WorkShape::rows || k.shape == WorkShape::layers;
    return k.shared_fixed + k.shared_bytes * static_cast<double>(problem) +
           (rows ? macs_of(k, problem) * k.mac_bytes : 0.0);
}

double resident_of(Kernel const& k, std::int64_t elements, std::int64_t problem) {
    bool const rows = k.shape == WorkShape::rows || k.shape == WorkShape::layers;
    double const data = rows ? k.layers * input_of(k, elements, problem) : static_cast<double>(elements) * k.mram_bytes;
    return data + shared_of(k, problem) + k.mram_fixed;
}

/// Bytes that results take beyond these if they do not replace inputs.
double results_apart(Design const& d, Kernel const& k, std::int64_t elements) {
    bool const matrices = k.shape == WorkShape::rows;
    if (d.results == Results::in_place) return 0.0;
    double const held = matrices ? 0.0 : k.mram_bytes - k.input_bytes;
    return static_cast<double>(elements) * std::max(0.0, k.output_bytes - held);
}

/// Results of a fixed size that stay in a DPU until they are merged or fetched, of this number of streams.
double results_kept(Design const& d, Kernel const& k, std::int64_t streams) {
    bool const kept = d.results == Results::apart || (d.reduction == Reduction::dpu && k.merges() && streams > 1);
    return kept ? static_cast<double>(streams) * whole_words(k.output_fixed) : 0.0;
}

/// Adds the results of all streams of one DPU in blocks, which the tasklets take in turn. `later`: elements of all
/// streams but the first.
Task merge_task(Prepared const& p, Design const& d, Kernel const& k, std::int64_t streams, std::int64_t later) {
    auto const family = index(family_of(d.preset));
    double const merged =
        std::max(1.0, static_cast<double>(streams) * k.merge_fixed + static_cast<double>(later) * k.merge_share);
    auto w = common_work(p, d, k);
    w.reads = 1.0;
    w.writes = k.merge_writes;
    w.fixed_slots = 0.0;
    double const per_block = static_cast<double>(d.dma_block) / k.merge_bytes;
    w.blocks = std::max<std::int64_t>(1, sim::whole_part(std::ceil(merged / per_block)));
    if (w.blocks == 1) w.read_bytes = whole_words(merged * k.merge_bytes);
    w.write_bytes = w.read_bytes;
    w.read_rows = w.write_rows = std::ceil(w.read_bytes / p.machine.row_bytes.si);
    w.slots_per_block = w.instructions_per_block =
        std::min(per_block, merged) * k.merge_slots[family] + k.block_overhead;
    w.total_slots = w.total_instructions =
        merged * k.merge_slots[family] + static_cast<double>(w.blocks) * k.block_overhead;
    return {0, w};
}

/// Work of `share` elements of one DPU; `problem` = elements of the whole problem (search depth, shared data).
DpuWork dpu_work(Prepared const& p, Design const& d, std::int64_t share, std::int64_t problem) {
    auto const& k = p.kernels[d.kernel];
    std::int64_t const elements = k.equal_shares ? rounded_share(d, k, share) : share;
    auto const family = index(family_of(d.preset));
    auto const w = common_work(p, d, k);
    switch (k.shape) {
        case WorkShape::stream:
            return stream_work(w, d, k, family, elements);
        case WorkShape::even:
            return even_work(w, d, k, family, elements);
        case WorkShape::rows:
        case WorkShape::layers:
            return row_work(w, d, k, family, elements, macs_of(k, problem));
        case WorkShape::search:
            return search_work(w, d, k, family, elements, problem);
        case WorkShape::profile:
            return profile_work(w, k, family, elements);
        case WorkShape::tiles:
            break;
    }
    return w;
}

Plan stream_plan(Prepared const& p, Design const& d, Kernel const& k) {
    Plan result;
    bool const by_rank = d.lock == Lock::rank_level;
    std::int64_t const dpus = by_rank ? sim::divide_up(d.dpus, d.ranks) : d.dpus;
    std::int64_t const step = granule(k, d);
    auto const padded = [&](std::int64_t share) { return sim::round_up(share, step); };
    auto const sizes = by_rank ? stream_sizes(d.elements, d.streams, 1)
                               : stream_sizes(padded(sim::divide_up(d.elements, dpus)), d.streams, step);
    std::vector<std::int64_t> held(static_cast<std::size_t>(by_rank ? d.ranks : 2), 0);
    std::int64_t all = 0, first = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::int64_t const share = by_rank ? padded(sim::divide_up(sizes[i], dpus)) : sizes[i];
        held[i % held.size()] += share;
        all += share;
        if (i < (by_rank ? held.size() : 1)) first = std::max(first, share);
        double const shared = i < (by_rank ? held.size() : 1) ? shared_of(k, d.elements) : 0.0;
        result.launches.push_back(
            {"stream", {share, dpu_work(p, d, share, d.elements)}, input_of(k, share, d.elements), shared, 0.0, 1});
    }
    std::int64_t const fullest = by_rank ? *std::max_element(held.begin(), held.end()) : all;
    std::int64_t const banked = std::max(held.front(), held.back());
    auto const streams = static_cast<std::int64_t>(sizes.size());
    auto const of_holder = sim::divide_up(streams, by_rank ? d.ranks : 1);
    result.resident =
        resident_of(k, fullest, d.elements) + results_apart(d, k, fullest) + results_kept(d, k, of_holder);
    result.resident_bank = resident_of(k, banked, d.elements) + results_apart(d, k, banked) +
                           results_kept(d, k, sim::divide_up(streams, static_cast<std::int64_t>(held.size())));
    result.partial = k.output_fixed;
    result.merged_in_dpus = d.reduction == Reduction::dpu && k.merges() && of_holder > 1;
    if (result.merged_in_dpus) result.partial = 0.0;
    if (result.merged_in_dpus || (k.merge_share > 0.0 && streams > 1)) {
        // Sums of earlier streams are known after the last one, so that later elements are read and written again. The
        // streams before those of a rank are in other ranks.
        std::int64_t const later = by_rank ? fullest : fullest - first;
        bool const sent = k.merge_share > 0.0 && (by_rank || !result.merged_in_dpus);
        double const offsets = sent ? k.merge_bytes * static_cast<double>(of_holder) : 0.0;
        result.launches.push_back({"merge", merge_task(p, d, k, of_holder, later), offsets, 0.0, 0.0, 1});
        result.launches.back().merges = true;
    }
    result.output = k.output_fixed + k.output_bytes * static_cast<double>(fullest);
    return result;
}

Plan layer_plan(Prepared const& p, Design const& d, Kernel const& k) {
    Plan result;
    result.pipelined = false;
    std::int64_t const rows = sim::divide_up(d.elements, d.dpus);
    auto const count = static_cast<double>(sim::whole_part(k.layers));
    double const output = static_cast<double>(rows) * k.output_bytes;
    result.launches.push_back(
        {"layer", {rows, dpu_work(p, d, rows, d.elements)}, input_of(k, rows, d.elements), 0.0, 0.0, count});
    result.launches.back().shared = shared_of(k, d.elements) / k.layers;
    result.output = output;
    result.resident = resident_of(k, rows, d.elements);
    result.resident_bank = result.resident;
    return result;
}

}  // namespace

DpuWork common_work(Prepared const& p, Design const& d, Kernel const& k) {
    DpuWork w;
    w.reads = k.reads;
    w.writes = k.writes;
    w.read_bytes = static_cast<double>(d.dma_block);
    w.write_bytes = std::max(whole_words(1.0), whole_words(static_cast<double>(d.dma_block) * k.write_fraction));
    // A single operand is read row after row; several operands alternate, so every request finds another row open.
    double const row = p.machine.row_bytes.si;
    bool const alone = k.shape == WorkShape::stream && k.reads + k.writes <= 1.0;
    w.read_rows = alone ? w.read_bytes / row : std::ceil(w.read_bytes / row);
    w.write_rows = std::ceil(w.write_bytes / row);
    w.fixed_slots = k.fixed_slots[index(family_of(d.preset))];
    w.start_cycles = k.start_cycles < 0.0 ? p.machine.start_cycles : k.start_cycles;
    return w;
}

double whole_words(double bytes) {
    constexpr double word = 8;
    return word * std::ceil(bytes / word);
}

std::vector<std::int64_t> stream_sizes(std::int64_t elements, std::int64_t streams, std::int64_t step) {
    sim::expects(elements > 0 && streams > 0 && step > 0, "elements, streams and step are positive");
    std::int64_t const pieces = elements / step;
    std::int64_t const loose = elements - pieces * step;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(streams));
    for (std::int64_t i = 0; i < streams; ++i)
        sizes[static_cast<std::size_t>(i)] = (pieces / streams + (i < pieces % streams ? 1 : 0)) * step;
    sizes.back() += loose;
    return sizes;
}

std::int64_t granule(Kernel const& k, Design const& d) {
    if (k.shape == WorkShape::profile) return d.tasklets * sim::whole_part(k.query);
    if (k.shape != WorkShape::stream && k.shape != WorkShape::even) return 1;
    return 8 / std::gcd<std::int64_t>(8, sim::whole_part(k.element_bytes));
}

double bytes_at_least(Kernel const& k, Design const& d) {
    bool const together = k.shape == WorkShape::tiles;
    return resident_of(k, together ? d.elements : sim::divide_up(d.elements, d.dpus), d.elements);
}

Task matrix_task(Prepared const& p, Design const& d, std::int64_t rows, std::int64_t inputs) {
    auto const& k = p.kernels[d.kernel];
    auto const work =
        row_work(common_work(p, d, k), d, k, index(family_of(d.preset)), rows, static_cast<double>(inputs));
    return {0, work};
}

double wram_of(Kernel const& k, Design const& d) {
    return k.wram_blocks * static_cast<double>(d.dma_block) + k.wram_bytes;
}

Plan pieces_plan(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    return k.shape == WorkShape::layers ? layer_plan(p, d, k) : stream_plan(p, d, k);
}

}  // namespace pimdse::models::upmem
