#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/units.hpp"

namespace pimdse::models::umdam {

struct PimConstants : FromConstants {
    sim::Time extra_activate_to_mac = named("mac_extra_activate");  ///< nRCD_MAC over nRCD
    double read_to_precharge = named("mac_read_to_precharge");      ///< nRTP of a MAC, cycles
    double buffer_write_cycles = named("global_buffer_write");      ///< per WR_GB burst
    double results_per_burst = named("results_per_burst");          ///< accumulators one RD_MAC burst returns
    double mode_switch = named("mode_switch");                      ///< cycles to change between PIM and NPU accesses
};
struct NpuConstants : FromConstants {
    double cube_edge =
        named("cube_edge");  ///< rows, inputs and outputs of the block that the matrix unit multiplies per cycle
    double byte_inputs =
        named("cube_byte_inputs");  ///< inputs of a block of int8, of which it takes one per cycle, too
    double chips = named("chips");
    double vector_lanes = named("vector_lanes");  ///< fp16 elements per cycle and chip
    /// Vector operations per element.
    double norm_operations = named("norm_operations"), softmax_operations = named("softmax_operations"),
           rotation_operations = named("rotation_operations"), activation_operations = named("activation_operations"),
           residual_operations = named("residual_operations");
    double first_level_fill =
        named("first_level_fill");  ///< bytes per cycle and chip from the buffer to the first-level memory and back
};
using PowerPerByte = sim::Quantity<-1, 1, -1, 0, 0>;      // leakage of powered memory, W/B
using AreaPerEnergy = sim::Quantity<0, -1, 0, 2, 0>;      // m2/J
using BytesPerOperation = sim::Quantity<0, 0, 1, 0, -1>;  // B/FLOP

/// On-chip memory by size: the energy of an access lies on the power law through two sizes; area and leakage are
/// proportional to the size.
struct SramConstants : FromConstants {
    sim::EnergyPerByte local_access = named("sram_local_access"), small_access = named("sram_small_access"),
                       large_access = named("sram_large_access");
    sim::Data local = named("sram_local"), small = named("sram_small"), large = named("sram_large");
    double growth = named("sram_growth");  ///< exponent of the access energy beyond `large`
    sim::AreaPerByte cell = named("sram_cell");
    double efficiency = named("sram_efficiency");  ///< fraction of a macro's area that is cells
    PowerPerByte leakage = named("sram_leakage");

    /// Access energy of a memory of this size. Between two of the three sizes it follows the power law through both;
    /// below the smallest it is constant; beyond the largest it grows by `growth`. So it never falls when one of the
    /// three energies rises.
    [[nodiscard]] sim::EnergyPerByte access(sim::Data size) const;
    [[nodiscard]] sim::Area area(sim::Data size) const { return cell * size * (1.0 / efficiency); }
    [[nodiscard]] sim::Power static_power(sim::Data size) const { return leakage * size; }
};
/// Energy per command, byte and operation.
struct EnergyConstants : FromConstants {
    sim::Energy activation = named("row_activation");  ///< activation of a row of activation_row bytes
    sim::Data activation_row = named("row_activation_bytes");
    sim::EnergyPerByte array = named("array_access"), transfer = named("pin_transfer");
    sim::EnergyPerByte multiply =
        named("pim_multiply");  ///< in a bank, including the read of the weights and one vector
    sim::EnergyPerByte vector_multiply = named("pim_vector_multiply");  ///< of one vector, without the read
    double narrow =
        named("pim_narrow_multiply");  ///< its factor for weights of half the bits, of which a burst has twice as many
    sim::EnergyPerOperation cube = named("cube_arithmetic"), byte_cube = named("cube_byte_arithmetic"),
                            vector = named("vector_arithmetic");
    BytesPerOperation operands =
        named("cube_operands");  ///< bytes that the matrix unit reads and writes in its local memory per operation
    sim::Data local_memory = named("local_memory");  ///< size of the memory whose access energy these operands take
    Supply pim{.nominal = named("pim_clock_nominal"),
               .floor = named("pim_voltage_floor"),
               .lowest = named("pim_clock_lowest"),
               .highest = named("pim_clock_highest")};  ///< supply of the units in the banks
};
/// Static power: drawn whether a unit works or not.
struct StaticPowerConstants : FromConstants {
    sim::Power open, powered_down, refreshing;                     ///< per DRAM die
    sim::Power channel = named("channel_standing");                ///< PHY and controller of one channel
    sim::Bandwidth channel_rate = named("channel_standing_rate");  ///< bandwidth of the channel that draws this power
    double waiting = named("waiting_share"),
           pim_waiting = named("pim_waiting_share");  ///< share of a unit's power at work
};
/// DRAM packages, each with all ranks of its channels.
struct PackageConstants : FromConstants {
    double channels = named("package_channels");
    sim::Power limit = named("package_limit");  ///< that the package can dissipate continuously
    double pin_share =
        named("package_pin_share");  ///< share of the energy of a transfer that is dissipated in the package
};
struct AreaConstants : FromConstants {
    sim::Area cube = named("cube_area"), vector = named("vector_area");
    sim::Data cube_local_memory = named("cube_local_memory"), cube_first_level = named("cube_first_level");
    sim::Quantity<-1, 0, 0, 0, 1> cube_peak =
        named("cube_peak");  ///< of one matrix unit with its vector unit and local memories
    sim::Area phy = named("phy_area"), controller = named("controller_area");  ///< per data pin
    sim::Area queue_entry = named("queue_entry_area"), bank_tracker = named("bank_tracker_area"),
              engine = named("engine_area");
    sim::Area pim_unit = named("pim_unit_area");              ///< of a unit for one vector at pim_unit_clock
    sim::Frequency pim_unit_clock = named("pim_unit_clock");  ///< clock that pim_unit belongs to
    double pim_clocked = named("pim_clocked_area");           ///< share of pim_unit that is proportional to the clock
    double pim_vector = named("pim_vector_area");             ///< additional share of pim_unit for each further vector
    double pim_narrow = named("pim_narrow_area");             ///< the same for each further 16 weights of a burst
    sim::Area mapping_selector = named("mapping_selector_area");  ///< of facil, per channel
    AreaPerEnergy row_supply =
        named("row_supply_area");  ///< for rows that open at the same time in excess of those of a tFAW
    sim::AreaPerByte pim_sram = named("pim_sram_area"), dram_die = named("dram_die");
    double second_row_buffer = named("second_row_buffer");  ///< share of a DRAM die
};
struct BaselineConstants : FromConstants {
    double fused_efficiency = named("fused_efficiency");   ///< share of the bandwidth that a swizzling DMA reaches
    sim::Data huge_page = named("huge_page");              ///< facil stores matrices in pages of this size
    sim::Data relayout_chunk = named("relayout_chunk");    ///< bytes read and then written before the bus turns around
    sim::Time page_walk = named("page_walk");              ///< facil: the NPU reads the entry of a page
    sim::Time page_allocation = named("page_allocation");  ///< facil: the operating system provides a huge page
    sim::Bandwidth storage = named("storage_bandwidth");   ///< from which weights are loaded
    sim::EnergyPerByte storage_read = named("storage_read");
    sim::Bandwidth storage_written = named("storage_write_bandwidth");
    PowerPerByte storage_standby = named("storage_standby");  ///< of a tier
};

/// How far the interval of a stream's closed form extends upwards: rows [allowance.*] of constants.toml, which give the
/// reasons.
struct StreamAllowances : FromConstants {
    double plateau_run = allowed("plateau_run"), plateau_depth = allowed("plateau_depth"),
           plateau_banks = allowed("plateau_banks"), plateau_slow = allowed("plateau_slow"),
           plateau_refresh_per_bank = allowed("plateau_refresh_per_bank");
    double group_run_overlap = allowed("group_run_overlap"), row_reactivations = allowed("row_reactivations"),
           engine_slow = allowed("engine_slow"), engine_activations = allowed("engine_activations");
    double stream_slow = allowed("stream_slow"), write_drain = allowed("write_drain"),
           refresh_per_bank = allowed("refresh_per_bank"), refresh_max = allowed("refresh_max");
    double refresh_end = allowed("refresh_end"), stream_end = allowed("stream_end");
    double activations_per_burst = allowed("activations_per_burst"),
           row_hit_activations = allowed("row_hit_activations"), frfcfs_activations = allowed("frfcfs_activations");
};
/// How many tiles of a matrix are examined, and how many mappings are enumerated.
struct MappingAllowances : FromConstants {
    double tiles_looked_at = allowed("tiles_looked_at"), bit_orders = allowed("bit_orders"),
           surroundings = allowed("surroundings");
};

/// The constants of constants.toml in this folder, read once.
struct MachineConstants : FromConstants {
    PimConstants pim{source()};
    NpuConstants npu{source()};
    EnergyConstants energy{source()};
    SramConstants sram{source()};
    StaticPowerConstants static_power{source()};
    PackageConstants package{source()};
    AreaConstants area{source()};
    BaselineConstants baseline{source()};
    double element_bytes = source().get<sim::Data>("element_bytes").si;
    double prefix_blocks =
        allowed("prefix_blocks");  ///< blocks of a diffusion model whose steps are computed one by one
    StreamAllowances streams{source()};
    MappingAllowances mappings{source()};

    static MachineConstants from(Constants const& constants);
};

/// Conditions on the constants under which the bounds and directions of this architecture hold (README.md, Lower
/// bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::umdam
