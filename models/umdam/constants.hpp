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
    double cube_edge = 16;  ///< rows, inputs and outputs of the block that the matrix unit multiplies per cycle
    double chips = 2;
    double vector_lanes = 128;                           ///< fp16 elements per cycle and chip
    double norm_operations = 5, softmax_operations = 5;  ///< vector operations per element
    double first_level_fill = 128;  ///< bytes per cycle and chip from the buffer to the first-level memory and back
};
using PowerPerByte = sim::Quantity<-1, 1, -1, 0, 0>;      // leakage of powered memory, W/B
using AreaPerEnergy = sim::Quantity<0, -1, 0, 2, 0>;      // m2/J
using BytesPerOperation = sim::Quantity<0, 0, 1, 0, -1>;  // B/FLOP

/// On-chip memory by size: the energy of an access lies on the power law through two sizes; area and leakage are
/// proportional to the size.
struct SramConstants {
    sim::EnergyPerByte local_access, small_access, large_access;
    sim::Data local, small, large;
    double growth = 0.0;  ///< exponent of the access energy beyond `large`
    sim::AreaPerByte cell;
    double efficiency = 1.0;  ///< fraction of a macro's area that is cells
    PowerPerByte leakage;

    /// Access energy of a memory of this size. Between two of the three sizes it follows the power law through both;
    /// below the smallest it is constant; beyond the largest it grows by `growth`. So it never falls when one of the
    /// three energies rises.
    [[nodiscard]] sim::EnergyPerByte access(sim::Data size) const;
    [[nodiscard]] sim::Area area(sim::Data size) const { return cell * size * (1.0 / efficiency); }
    [[nodiscard]] sim::Power static_power(sim::Data size) const { return leakage * size; }
};
/// Energy per command, byte and operation.
struct EnergyConstants {
    sim::Energy activation;  ///< activation of a row of activation_row bytes
    sim::Data activation_row;
    sim::EnergyPerByte array, transfer;
    sim::EnergyPerByte multiply;         ///< in a bank, including the read of the weights and one vector
    sim::EnergyPerByte vector_multiply;  ///< of one vector, without the read
    double narrow = 1.0;  ///< its factor for weights of half the bits, of which a burst has twice as many
    sim::EnergyPerOperation cube, vector;
    BytesPerOperation operands;  ///< bytes that the matrix unit reads and writes in its local memory per operation
    sim::Data local_memory;      ///< size of the memory whose access energy these operands take
    Supply pim;                  ///< supply of the units in the banks
};
/// Static power: drawn whether a unit works or not.
struct StaticPowerConstants {
    sim::Power closed, open, powered_down, refreshing;  ///< per DRAM die
    sim::Power channel;                                 ///< PHY and controller of one channel
    sim::Bandwidth channel_rate;                        ///< bandwidth of the channel that draws this power
    double waiting = 0.0, pim_waiting = 0.0;            ///< share of a unit's power at work
    sim::Power host;                                    ///< while a request runs; 0: not counted
};
/// DRAM packages, each with all ranks of its channels.
struct PackageConstants {
    double channels = 1.0;
    sim::Power limit;        ///< that the package can dissipate continuously
    double pin_share = 0.0;  ///< share of the energy of a transfer that is dissipated in the package
};
struct AreaConstants {
    sim::Area cube, vector;
    sim::Data cube_local_memory, cube_first_level;
    sim::Quantity<-1, 0, 0, 0, 1> cube_peak;  ///< of one matrix unit with its vector unit and local memories
    sim::Area phy, controller;                ///< per data pin
    sim::Area queue_entry, bank_tracker, engine;
    sim::Area pim_unit;             ///< of a unit for one vector at pim_unit_clock
    sim::Frequency pim_unit_clock;  ///< clock that pim_unit belongs to
    double pim_clocked = 0.0;       ///< share of pim_unit that is proportional to the clock
    double pim_vector = 0.0;        ///< additional share of pim_unit for each further vector
    double pim_narrow = 0.0;        ///< the same for each further 16 weights of a burst
    sim::Area mapping_selector;     ///< of facil, per channel
    AreaPerEnergy row_supply;       ///< for rows that open at the same time in excess of those of a tFAW
    sim::AreaPerByte pim_sram, dram_die;
    double second_row_buffer = 0.0;  ///< share of a DRAM die
};
struct BaselineConstants {
    double fused_efficiency = 1.0;  ///< share of the bandwidth that a swizzling DMA reaches
    sim::Data huge_page;            ///< facil stores matrices in pages of this size
    sim::Data relayout_chunk;       ///< bytes read and then written before the bus turns around
    sim::Time page_walk;            ///< facil: the NPU reads the entry of a page
    sim::Time page_allocation;      ///< facil: the operating system provides a huge page
    sim::Bandwidth storage;         ///< from which weights are loaded
    sim::EnergyPerByte storage_read;
};

/// How far the interval of a stream's closed form extends upwards: rows [allowance.*] of constants.toml, which give the
/// reasons.
struct StreamAllowances {
    double plateau_run = 0.0, plateau_depth = 0.0, plateau_banks = 0.0, plateau_slow = 0.0,
           plateau_refresh_per_bank = 0.0;
    double group_run_overlap = 0.0, row_reactivations = 0.0, engine_slow = 0.0, engine_activations = 0.0;
    double stream_slow = 0.0, write_drain = 0.0, refresh_per_bank = 0.0, refresh_max = 0.0;
    double refresh_end = 0.0, stream_end = 0.0;
    double activations_per_burst = 0.0, row_hit_activations = 0.0, frfcfs_activations = 0.0;
};
/// How many tiles of a matrix are examined, and how many mappings are enumerated.
struct MappingAllowances {
    double tiles_looked_at = 0.0, bit_orders = 0.0, surroundings = 0.0;
};

/// The constants of constants.toml in this folder, read once.
struct MachineConstants {
    PimConstants pim;
    NpuConstants npu;
    EnergyConstants energy;
    SramConstants sram;
    StaticPowerConstants static_power;
    PackageConstants package;
    AreaConstants area;
    BaselineConstants baseline;
    double element_bytes = 2;
    double prefix_blocks = 0.0;  ///< blocks of a diffusion model whose steps are computed one by one
    StreamAllowances streams;
    MappingAllowances mappings;

    static MachineConstants load(ModelOptions const& options = {});
};

/// Conditions on the constants under which the bounds and directions of this architecture hold (README.md, Lower
/// bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::umdam
