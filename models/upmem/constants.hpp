#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"

#include <array>

namespace pimdse::models::upmem {

/// The constants of constants.toml, bound to names. Arrays of two are indexed by Family, or by Direction where stated.
struct MachineConstants {
    std::array<sim::Data, 2> wram_size, stack;
    sim::Data mram_size, iram_size, register_file;  ///< register_file: registers of one tasklet
    double tasklets_max = 0, dpus_per_rank = 0, ranks_max = 0, streams_max = 0;
    sim::Data dma_smallest, dma_largest;
    double dma_setup_hardware = 0, dma_row_go = 0, dma_latency_go = 0, dma_row_cpp = 0,
           dma_latency_cpp = 0;  ///< cycles
    sim::Frequency memory_clock;
    sim::Bandwidth memory_bandwidth;  ///< MRAM bandwidth at the memory clock
    sim::Data row_bytes, access_bytes;
    std::int64_t t_rcd = 0, t_ras = 0, t_rp = 0, t_cl = 0, t_bl = 0;  ///< memory cycles
    double start_cycles = 0;
    sim::Time call, constant_call;
    std::array<sim::Bandwidth, 2> parallel, constant;  ///< in, out: bandwidth of one DPU
    std::array<double, 2> parallel_power{};            ///< in, out: exponent of the growth with the number of DPUs
    double broadcast_power = 0, ranks_per_channel = 0;
    sim::Time mapped_store, mapped_load;      ///< per line of the processor, with a word for each chip of a rank
    sim::Data program_bytes, argument_bytes;  ///< of an executable; of a launch, per DPU
    sim::Bandwidth channel_bandwidth;
    std::array<sim::Bandwidth, 3> rank_roof;  ///< in, out, broadcast: measured for 64 DPUs
    double ranks_at_once = 0;                 ///< number of ranks that the host feeds at this rate
    sim::Time small_set;                      ///< additional time of a run on few DPUs, beyond its launches
    /// Number of DPUs up to which all of this time applies; number from which none of it applies.
    double small_set_max = 0, small_set_none = 0;

    double dpus_per_chip = 0, chips_per_rank = 0;
    /// Power of a chip: at work, in total; parts of it.
    sim::Power chip_power, dram_background, dram_refresh;
    sim::Frequency frequency;  ///< clock at which chip_power holds
    sim::Bandwidth mram_rate;  ///< rate of each DPU of such a chip
    sim::Energy mram_row;      ///< opening and closing a row
    sim::EnergyPerByte mram_access, mram_access_at_work, dram_interface;
    sim::Power sram_static;    ///< per DPU
    sim::Power package_limit;  ///< per chip
    double waiting_share = 0, unbooted_share = 0, memory_share = 0;
    Supply supply;

    Host host = Host::own;                      ///< host whose energy is counted
    sim::Power server;                          ///< machine with its host, if the host is included
    sim::Power host_power, host_package_power;  ///< one core; all cores
    double host_cores = 0, host_rate = 0;       ///< host_rate: operations on an element per cycle and core
    sim::Frequency host_clock;
    double softmax_operations = 0, norm_operations = 0;

    sim::Area memory_die, pipeline_area;  ///< per chip; per DPU
    sim::AreaPerByte sram_area;
    double dma_share = 0, forwarding_share = 0, dispatch_reference = 0, bank_share = 0, port_share = 0,
           arbiter_share = 0;

    struct Allowances {
        double hazard_bubbles = 1;                                  ///< cycles lost per register-stage cycle
        double bound_upper = 0, bound_start = 0;                    ///< relative deviation; additional cycles
        double transfer_lower_bound = 1, transfer_upper_bound = 1;  ///< factors on the time of a transfer
        std::int64_t call_positions = 1, pass_groups = 1;
    } allowance;
};

/// Throws InputError that names the first constant that is missing or has the wrong dimension.
[[nodiscard]] MachineConstants load_constants(ModelOptions const& options = {});

/// Conditions on the constants under which the bounds and directions of this architecture hold (README.md, Lower
/// bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::upmem
