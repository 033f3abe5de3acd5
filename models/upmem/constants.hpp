#pragma once

#include "models/contract/constants.hpp"


#include <array>

namespace pimdse::models::upmem {

/// constants.toml, bound to names once. Arrays are indexed by Family.
struct Facts {
    std::array<double, 2> wram_size{}, stack{};              ///< B
    double mram_size = 0, iram_size = 0, register_file = 0;  ///< B; registers of one tasklet
    double tasklets_most = 0, dpus_per_rank = 0, ranks_most = 0, streams_most = 0;
    double dma_smallest = 0, dma_largest = 0;  ///< B
    double dma_setup_hardware = 0, dma_row_go = 0, dma_latency_go = 0, dma_row_cpp = 0,
           dma_latency_cpp = 0;                     ///< cycles
    double memory_clock = 0, memory_bandwidth = 0;  ///< Hz and the B/s that belong to it
    double row_bytes = 0, access_bytes = 0;
    std::int64_t t_rcd = 0, t_ras = 0, t_rp = 0, t_cl = 0, t_bl = 0;  ///< memory cycles
    double start_cycles = 0, tail_read_slots = 0, tail_write_slots = 0;
    double hazard_bubbles = 1;  ///< cycles lost per register-stage cycle when all slots are wanted
    double bound_low = 0, bound_high = 0, bound_start = 0;  ///< relative deviations; cycles
    sim::Time call, constant_call;
    std::array<double, 2> parallel{}, parallel_power{}, constant{};  ///< in, out: B/s of one DPU; growth with DPUs; B/s
    double broadcast_power = 0, channel_bandwidth = 0, ranks_per_channel = 0;
    double power_active = 0, power_idle = 0, frequency = 0, mram_energy = 0, host_power = 0;  ///< W, W, Hz, J/B, W
};

/// Throws InputError naming the first constant that is missing or of another dimension.
[[nodiscard]] Facts bind_facts(Constants const& constants);

}  // namespace pimdse::models::upmem
