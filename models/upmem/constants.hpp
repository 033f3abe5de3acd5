#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"

#include <array>

namespace pimdse::models::upmem {

/// constants.toml, bound to names once. Arrays of two are indexed by Family, or by Direction where they say so.
struct MachineConstants {
    std::array<sim::Data, 2> wram_size, stack;
    sim::Data mram_size, iram_size, register_file;  ///< the last: registers of one tasklet
    double tasklets_max = 0, dpus_per_rank = 0, ranks_max = 0, streams_max = 0;
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
    std::array<sim::Bandwidth, 3> rank_roof;       ///< in, out, broadcast: of 64 DPUs, measured
    double ranks_at_once = 0;                      ///< that the host feeds at this rate
    sim::Time small_set;                           ///< of a run on few DPUs, beyond its launches
    double small_set_max = 0, small_set_none = 0;  ///< DPUs up to which all of it is met; from which nothing

    double dpus_per_chip = 0, chips_per_rank = 0;
    sim::Power chip_power, dram_background, dram_refresh;  ///< of a chip: at work, all included; of them
    sim::Frequency frequency;                              ///< at which chip_power holds
    sim::Bandwidth mram_rate;                              ///< of a DPU of such a chip
    sim::Energy mram_row;                                  ///< a row opened and closed
    sim::EnergyPerByte mram_access, mram_access_at_work, dram_interface;
    sim::Power sram_static;    ///< of a DPU
    sim::Power package_limit;  ///< of a chip
    double waiting_share = 0, unbooted_share = 0, memory_share = 0;
    Supply supply;

    Host host = Host::own;                      ///< whose energy is counted
    sim::Power server;                          ///< of a machine with a host, where that is included
    sim::Power host_power, host_package_power;  ///< one core; all of them
    double host_cores = 0, host_rate = 0;       ///< rate: operations on an element per cycle and core
    sim::Frequency host_clock;
    double softmax_operations = 0, norm_operations = 0;

    sim::Area memory_die, pipeline_area;  ///< of a chip; of a DPU
    sim::AreaPerByte sram_area;
    double dma_share = 0, forwarding_share = 0, dispatch_reference = 0, bank_share = 0, port_share = 0;

    struct Allowances {
        double hazard_bubbles = 1;                                  ///< cycles lost per register-stage cycle
        double bound_upper = 0, bound_start = 0;                    ///< relative deviation; cycles
        double settling_rounds = 0, measured_rounds = 0;            ///< of all tasklets
        double transfer_lower_bound = 1, transfer_upper_bound = 1;  ///< of what a transfer takes
        std::int64_t call_positions = 1, pass_groups = 1;
    } allowance;
};

/// Throws InputError naming the first constant that is missing or of another dimension.
[[nodiscard]] MachineConstants load_constants(ModelOptions const& options = {});

/// What bounds and directions of this architecture presuppose of its constants (README.md, Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::upmem
