#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"

#include <array>

namespace pimdse::models::upmem {

/// The constants of constants.toml, bound to names. Arrays of two are indexed by Family, or by Direction where stated.
struct MachineConstants : FromConstants {
    std::array<sim::Data, 2> wram_size{{named("wram_size"), named("wram_size_upimulator")}},
        stack{{named("stack"), named("stack_upimulator")}};
    sim::Data mram_size = named("mram_size"), iram_size = named("iram_size");
    sim::Data register_file = source().number("registers_per_tasklet") *
                              source().get<sim::Data>("register_size");  ///< register_file: registers of one tasklet
    double tasklets_max = named("tasklets_max"), dpus_per_rank = named("dpus_per_rank"), ranks_max = named("ranks_max"),
           streams_max = named("streams_max");
    sim::Data dma_smallest = named("dma_smallest"), dma_largest = named("dma_largest");
    double dma_setup_hardware = named("dma_setup_hardware"), dma_row_go = named("dma_row_go"),
           dma_latency_go = named("dma_latency_go"), dma_row_cpp = named("dma_row_cpp"),
           dma_latency_cpp = named("dma_latency_cpp");  ///< cycles
    sim::Frequency memory_clock = named("memory_clock");
    double launch_poll = named("launch_poll");  ///< memory cycles between two looks at a queue of launches
    sim::Bandwidth memory_bandwidth = named("memory_bandwidth_reference");  ///< MRAM bandwidth at the memory clock
    sim::Data row_bytes = named("row_bytes"), access_bytes = named("access_bytes");
    std::int64_t t_rcd = named("t_rcd"), t_ras = named("t_ras"), t_rp = named("t_rp"), t_cl = named("t_cl"),
                 t_bl = named("t_bl");  ///< memory cycles
    double start_cycles = named("start_cycles");
    sim::Time call = named("call_time"), constant_call = named("constant_call");
    std::array<sim::Bandwidth, 2> parallel{{named("parallel_in"), named("parallel_out")}},
        constant{{named("constant_in"), named("constant_out")}};  ///< in, out: bandwidth of one DPU
    std::array<double, 2> parallel_power{
        {named("parallel_in_power"),
         named("parallel_out_power")}};  ///< in, out: exponent of the growth with the number of DPUs
    double broadcast_power = named("broadcast_power"), ranks_per_channel = named("ranks_per_channel");
    sim::Time mapped_store = named("mapped_store"),
              mapped_load = named("mapped_load");  ///< per line of the processor, with a word for each chip of a rank
    sim::Data program_bytes = named("program_bytes"),
              argument_bytes = named("argument_bytes");  ///< of an executable; of a launch, per DPU
    sim::Bandwidth channel_bandwidth = named("channel_bandwidth");
    std::array<sim::Bandwidth, 3> rank_roof{
        {named("rank_roof_in"), named("rank_roof_out"),
         named("rank_roof_broadcast")}};            ///< in, out, broadcast: measured for 64 DPUs
    double ranks_at_once = named("ranks_at_once");  ///< number of ranks that the host feeds at this rate
    sim::Time small_set = named("small_set_time");  ///< additional time of a run on few DPUs, beyond its launches
    /// Number of DPUs up to which all of this time applies; number from which none of it applies.
    double small_set_max = named("small_set_max"), small_set_none = named("small_set_none");

    double dpus_per_chip = named("dpus_per_chip"), chips_per_rank = named("chips_per_rank");
    /// Power of a chip: at work, in total; parts of it.
    sim::Power chip_power = named("chip_power"), dram_background = named("dram_background"),
               dram_refresh = named("dram_refresh");
    sim::Frequency frequency = named("frequency_reference");  ///< clock at which chip_power holds
    sim::Bandwidth mram_rate = named("mram_rate_at_work");    ///< rate of each DPU of such a chip
    sim::Energy mram_row = named("mram_row");                 ///< opening and closing a row
    sim::EnergyPerByte mram_access = named("mram_access"), mram_access_at_work = named("mram_access_at_work"),
                       dram_interface = named("dram_interface");
    sim::Power sram_static = named("sram_static");      ///< per DPU
    sim::Power package_limit = named("package_limit");  ///< per chip
    double waiting_share = named("waiting_share"), unbooted_share = named("unbooted_share"),
           memory_share = named("memory_share");
    Supply supply{.nominal = frequency,
                  .floor = named("supply_floor"),
                  .lowest = named("frequency_lowest"),
                  .highest = named("frequency_highest")};

    Host host = Host::own;  ///< host whose energy is counted
    sim::Power server;      ///< machine with its host, if the host is included
    sim::Power host_power = named("host_power"),
               host_package_power = named("host_package_power");  ///< one core; all cores
    double host_cores = named("host_cores"),
           host_rate = named("host_rate");  ///< host_rate: operations on an element per cycle and core
    sim::Frequency host_clock = named("host_clock");
    double softmax_operations = named("softmax_operations"), norm_operations = named("norm_operations");

    sim::Area memory_die = named("memory_die"), pipeline_area = named("pipeline_area");  ///< per chip; per DPU
    sim::AreaPerByte sram_area = named("sram_area");
    double dma_share = named("dma_share"), forwarding_share = named("forwarding_share"),
           dispatch_reference = named("dispatch_reference"), bank_share = named("bank_share"),
           port_share = named("port_share"), arbiter_share = named("arbiter_share");

    struct Allowances : FromConstants {
        double hazard_bubbles = allowed("hazard_bubbles");  ///< cycles lost per register-stage cycle
        double bound_upper = allowed("bound_upper"),
               bound_start = allowed("bound_start");  ///< relative deviation; additional cycles
        double transfer_lower_bound = allowed("transfer_lower_bound"),
               transfer_upper_bound = allowed("transfer_upper_bound");  ///< factors on the time of a transfer
        std::int64_t call_positions = allowed("call_positions"), pass_groups = allowed("pass_groups");
    } allowance{source()};
};

/// Throws InputError that names the first constant that is missing or has the wrong dimension.
[[nodiscard]] MachineConstants machine_constants(Constants const& constants, Assumptions const& assumptions);

/// Conditions on the constants under which the bounds and directions of this architecture hold (README.md, Lower
/// bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::upmem
