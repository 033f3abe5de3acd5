#include "models/upmem/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// Blocks of the tasklet that has most of them.
double busiest_blocks(DpuWork const& w, std::int64_t tasklets) {
    std::int64_t const chunks = (w.blocks + w.chunk - 1) / w.chunk;
    std::int64_t const mine = (chunks + tasklets - 1) / tasklets;
    return static_cast<double>(std::min(w.blocks, mine * w.chunk));
}

}  // namespace

double cycles_floor(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    double const blocks = busiest_blocks(w, tasklets);
    auto const distance = static_cast<double>(dispatch_distance);
    double const own_slots = std::min(w.total_slots, blocks * w.slots_per_block + w.fixed_slots);
    double const own_transfers = blocks * (w.reads * dma.latency(w.read_bytes) + w.writes * dma.latency(w.write_bytes));
    double const server = static_cast<double>(w.blocks) * (w.reads * dma.service(w.read_bytes) + w.writes * dma.service(w.write_bytes));
    return std::max({w.total_slots, distance * own_slots + own_transfers, server, distance * w.serial_slots});
}

KernelCycles closed_form(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t dispatch_distance) {
    auto const loading = static_cast<double>(std::min(tasklets, w.blocks));
    double const start = dma.service(w.read_bytes) * loading * w.reads + w.start_cycles;
    double const server = static_cast<double>(w.blocks) * (w.reads * dma.service(w.read_bytes) + w.writes * dma.service(w.write_bytes));
    return {cycles_floor(w, dma, tasklets, dispatch_distance) + start, w.total_instructions, server};
}

}  // namespace pimdse::models::upmem
