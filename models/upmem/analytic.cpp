#include "models/upmem/analytic.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// Blocks of the tasklet that has the most, and whether the last chunk with its short last block is among them.
struct Busiest {
    double blocks;
    bool only_with_last;
};

Busiest busiest_of(DpuWork const& w, std::int64_t tasklets) {
    std::int64_t const chunks = sim::divide_up(w.blocks, w.chunk);
    std::int64_t const mine = sim::divide_up(chunks, tasklets);
    bool const only_with_last = chunks % tasklets == 1 || tasklets == 1;
    std::int64_t const last_chunk = w.blocks - (chunks - 1) * w.chunk;
    std::int64_t const blocks = (mine - 1) * w.chunk + (only_with_last ? last_chunk : w.chunk);
    return {static_cast<double>(std::min(w.blocks, blocks)), only_with_last};
}

/// Slots or instructions of that tasklet. A short last block counts in full if another tasklet has the same number of
/// full blocks.
double own_share(DpuWork const& w, Busiest const& busiest, double per_block, double total, std::int64_t tasklets) {
    double const missing =
        static_cast<double>(w.blocks) * per_block - (total - static_cast<double>(tasklets) * w.fixed_slots);
    double const full = busiest.blocks * per_block - (busiest.only_with_last ? std::max(0.0, missing) : 0.0);
    return std::min(total, std::max(0.0, full) + w.fixed_slots);
}

}  // namespace

double serial_cycles(DpuWork const& w, std::int64_t tasklets, std::int64_t dispatch_distance) {
    return static_cast<double>(std::max(tasklets, dispatch_distance)) * w.serial_slots;
}

/// Cycles for which one request of the work occupies the MRAM server, and the total of all requests.
static double read_service(DpuWork const& w, DmaLaw const& dma) { return dma.service(w.read_bytes, w.read_rows); }
static double write_service(DpuWork const& w, DmaLaw const& dma) { return dma.service(w.write_bytes, w.write_rows); }

static double server_cycles(DpuWork const& w, DmaLaw const& dma) {
    return static_cast<double>(w.blocks) * (w.reads * read_service(w, dma) + w.writes * write_service(w, dma));
}

double cycles_floor(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    Busiest const busiest = busiest_of(w, tasklets);
    double const own_slots = own_share(w, busiest, w.slots_per_block, w.total_slots, tasklets);
    double const own_instructions = own_share(w, busiest, w.instructions_per_block, w.total_instructions, tasklets);
    double const own_turns = std::max(own_slots, static_cast<double>(dispatch_distance) * own_instructions);
    double const own_transfers = busiest.blocks * (w.reads * (read_service(w, dma) + dma.extra) +
                                                   w.writes * (write_service(w, dma) + dma.extra));
    return std::max({w.total_slots, own_turns + own_transfers, server_cycles(w, dma),
                     static_cast<double>(dispatch_distance) * w.serial_slots});
}

KernelCycles closed_form(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    auto const loading = static_cast<double>(std::min(tasklets, w.blocks));
    double const start = read_service(w, dma) * loading * w.reads + w.start_cycles;
    double const steady =
        std::max(cycles_floor(w, dma, tasklets, dispatch_distance), serial_cycles(w, tasklets, dispatch_distance));
    return {steady + start, w.total_instructions, server_cycles(w, dma)};
}

}  // namespace pimdse::models::upmem
