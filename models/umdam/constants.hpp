#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/units.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

struct PimConstants {
    sim::Time extra_activate_to_mac;  ///< nRCD_MAC over nRCD
    double read_to_precharge = 4;     ///< nRTP of a MAC, cycles
    double buffer_write_cycles = 4;   ///< per WR_GB burst
    double results_per_burst = 16;    ///< accumulators one RD_MAC burst returns
    double mode_switch = 32;          ///< cycles to change between PIM and NPU accesses
};
struct NpuConstants {
    double cube_edge = 16;  ///< a cube multiplies blocks of so many rows, inputs and outputs in a cycle
    double chips = 2;
    double vector_lanes = 128;                           ///< fp16 elements per cycle and chip
    double norm_operations = 5, softmax_operations = 5;  ///< vector operations per element
};
using PowerPerByte = sim::Quantity<-1, 1, -1, 0, 0>;      // of memory that is powered, W/B
using AreaPerEnergy = sim::Quantity<0, -1, 0, 2, 0>;      // m2/J
using BytesPerOperation = sim::Quantity<0, 0, 1, 0, -1>;  // B/FLOP

/// On-chip memory by its size: energy of an access on the power law through two sizes, area and leakage in proportion.
struct SramConstants {
    sim::EnergyPerByte small_access, large_access;
    sim::Data small, large;
    sim::AreaPerByte cell;
    double efficiency = 1.0;  ///< share of a macro that is cells
    PowerPerByte leakage;

    [[nodiscard]] sim::EnergyPerByte access(sim::Data size) const;
    [[nodiscard]] sim::Area area(sim::Data size) const { return cell * size * (1.0 / efficiency); }
    [[nodiscard]] sim::Power standing(sim::Data size) const { return leakage * size; }
};
/// Energy per command, byte and operation.
struct EnergyConstants {
    sim::Energy activation;  ///< of a row of activation_row bytes
    sim::Data activation_row;
    sim::EnergyPerByte array, transfer;
    sim::EnergyPerByte multiply;         ///< in a bank, its read and one vector included
    sim::EnergyPerByte vector_multiply;  ///< of one vector alone
    sim::EnergyPerOperation cube, vector;
    BytesPerOperation operands;  ///< that a cube reads and writes in its local memory
    sim::Data local_memory;      ///< whose access energy that takes
    Supply pim;                  ///< of the units in the banks
};
/// What is drawn whether anything happens or not.
struct StaticPowerConstants {
    sim::Power closed, open, powered_down, refreshing;  ///< of a DRAM die
    sim::Power channel;                                 ///< PHY and controller
    sim::Bandwidth channel_rate;                        ///< of the channel that takes this
    double waiting = 0.0, pim_waiting = 0.0;            ///< of a unit's power at work
    sim::Power host;                                    ///< while a request runs; 0: none is counted
};
/// DRAM packages, each with all ranks of its channels.
struct PackageConstants {
    double channels = 1.0;
    sim::Power limit;        ///< it may draw for long
    double pin_share = 0.0;  ///< of the energy of a transfer
};
struct AreaConstants {
    sim::Area cube, vector;
    sim::Data cube_local_memory;
    sim::Quantity<-1, 0, 0, 0, 1> cube_peak;  ///< of a cube with its vector unit and local memories
    sim::Area phy, controller;                ///< per data pin
    sim::Area queue_entry, bank_tracker, engine;
    sim::Area pim_unit;             ///< for one vector at pim_unit_clock
    sim::Frequency pim_unit_clock;  ///< that it belongs to
    double pim_clocked = 0.0;       ///< share of it in proportion to the clock
    double pim_vector = 0.0;        ///< of it, for each further vector
    AreaPerEnergy row_supply;       ///< for rows that open at once beyond those of a tFAW
    sim::AreaPerByte pim_sram, dram_die;
    double second_row_buffer = 0.0;  ///< of a die
};
struct BaselineConstants {
    double fused_efficiency = 1.0;  ///< share of the bandwidth a swizzling DMA reaches
    sim::Data huge_page;            ///< facil keeps matrices in pages of this size
    sim::Data relayout_chunk;       ///< read, then written, before the bus turns around
};

/// How far the interval of a stream's closed form reaches upwards: rows [allowance.*] of constants.toml, which say why.
struct StreamAllowances {
    double plateau_run = 0.0, plateau_depth = 0.0, plateau_banks = 0.0, plateau_slow = 0.0,
           plateau_refresh_per_bank = 0.0;
    double group_run_overlap = 0.0, row_reopenings = 0.0, engine_slow = 0.0, engine_openings = 0.0;
    double stream_slow = 0.0, write_drain = 0.0, refresh_per_bank = 0.0, refresh_max = 0.0;
    double refresh_end = 0.0, stream_end = 0.0;
    double openings_per_burst = 0.0, row_hit_openings = 0.0, frfcfs_openings = 0.0;
};
/// How far mappings are looked into, and how many are enumerated.
struct MappingAllowances {
    double tiles_looked_at = 0.0, bit_orders = 0.0, surroundings = 0.0;
};

/// constants.toml of this folder, read once.
struct MachineConstants {
    PimConstants pim;
    NpuConstants npu;
    EnergyConstants energy;
    SramConstants sram;
    StaticPowerConstants standing;
    PackageConstants package;
    AreaConstants area;
    BaselineConstants baseline;
    double element_bytes = 2;
    double prefix_blocks = 0.0;  ///< of a diffusion model that are looked at each on its own
    StreamAllowances streams;
    MappingAllowances mappings;

    static MachineConstants load(ModelOptions const& options = {});
};

/// What bounds and directions of this architecture presuppose of its constants (README.md, Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::umdam
