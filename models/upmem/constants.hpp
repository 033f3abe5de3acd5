#pragma once

#include "models/contract/constants.hpp"

#include <array>

namespace pimdse::models::upmem {

/// constants.toml, bound to names once. Arrays of two are indexed by Family, or by Direction where they say so.
struct MachineConstants {
    std::array<sim::Data, 2> wram_size, stack;
    sim::Data mram_size, iram_size, register_file;  ///< the last: registers of one tasklet
    double tasklets_most = 0, dpus_per_rank = 0, ranks_most = 0, streams_most = 0;
    sim::Data dma_smallest, dma_largest;
    double dma_setup_hardware = 0, dma_row_go = 0, dma_latency_go = 0, dma_row_cpp = 0,
           dma_latency_cpp = 0;  ///< cycles
    sim::Frequency memory_clock;
    sim::Bandwidth memory_bandwidth;  ///< that belongs to the memory clock
    sim::Data row_bytes, access_bytes;
    std::int64_t t_rcd = 0, t_ras = 0, t_rp = 0, t_cl = 0, t_bl = 0;  ///< memory cycles
    double start_cycles = 0, tail_read_slots = 0, tail_write_slots = 0;
    sim::Time call, constant_call;
    std::array<sim::Bandwidth, 2> parallel, constant;  ///< in, out: of one DPU
    std::array<double, 2> parallel_power{};            ///< in, out: growth with DPUs
    double broadcast_power = 0, ranks_per_channel = 0;
    sim::Bandwidth channel_bandwidth;
    sim::Power power_active, power_idle, host_power;
    sim::Frequency frequency;  ///< at which power_active holds
    sim::EnergyPerByte mram_energy;

    struct Allowances {
        double hazard_bubbles = 1;                              ///< cycles lost per register-stage cycle
        double bound_low = 0, bound_high = 0, bound_start = 0;  ///< relative deviations; cycles
        double settling_rounds = 0, measured_rounds = 0;        ///< of all tasklets
    } allowance;
};

/// Throws InputError naming the first constant that is missing or of another dimension.
[[nodiscard]] MachineConstants load_constants();

}  // namespace pimdse::models::upmem
