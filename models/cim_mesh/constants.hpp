#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/units.hpp"

namespace pimdse::models::cim_mesh {

/// A router-PE pair as published: power and area of its parts, and the sizes to which they belong.
struct Macros {
    double crossbar, link, dmacs;  ///< columns, bit, 1
    sim::Data fifo, scratchpad;
    sim::Power rram_power, sram_power, scratchpad_power, router_power, sram_retention;
    sim::Area rram_area, sram_area, scratchpad_area, router_area;
};

/// All constants of constants.toml, which states their sources and the evidence of allowances. Service times are in
/// cycles.
struct MachineConstants : FromConstants {
    Macros primal{.crossbar = named("base_crossbar"),
                  .link = named("base_link"),
                  .dmacs = named("base_dmacs"),
                  .fifo = named("base_fifo"),
                  .scratchpad = named("base_scratchpad"),
                  .rram_power = named("rram_power"),
                  .sram_power = named("sram_power"),
                  .scratchpad_power = named("scratchpad_power"),
                  .router_power = named("router_power"),
                  .sram_retention = named("sram_retention"),
                  .rram_area = named("rram_area"),
                  .sram_area = named("sram_area"),
                  .scratchpad_area = named("scratchpad_area"),
                  .router_area = named("router_area")};
    /// It has no SRAM-DCIM; its link, multipliers and scratchpad equal those of PRIMAL.
    Macros leap{.crossbar = named("leap_crossbar"),
                .link = named("base_link"),
                .dmacs = named("base_dmacs"),
                .fifo = named("leap_fifo"),
                .scratchpad = named("base_scratchpad"),
                .rram_power = named("leap_rram_power"),
                .scratchpad_power = named("leap_scratchpad_power"),
                .router_power = named("leap_router_power"),
                .rram_area = named("leap_rram_area"),
                .scratchpad_area = named("leap_scratchpad_area"),
                .router_area = named("leap_router_area")};
    double leap_macros = named("leap_macros"),
           leap_decode_scratchpads =
               named("leap_decode_scratchpads");  ///< macros in the paper's power; scratchpad sizes of a decode macro
    sim::Frequency base_frequency = named("base_frequency");
    double sram_columns_share = named("sram_columns_share"), value_bits = named("value_bits");
    sim::Area control_area = named("control_area");     ///< of a tile of base_pairs pairs
    sim::Power control_power = named("control_power");  ///< of a tile of base_pairs pairs
    double base_pairs = named("base_pairs"), periphery_exponent = named("periphery_exponent"),
           router_fifo_share = named("router_fifo_share"), router_dmac_share = named("router_dmac_share");
    Supply supply{.nominal = base_frequency,
                  .floor = named("supply_floor"),
                  .lowest = named("lowest_clock"),
                  .highest = named("highest_clock")};
    sim::EnergyPerByte host_transfer = named("host_transfer");
    double hop_service = named("hop_service"), score_service = named("score_service"),
           distance_service = named("distance_service"), prefill_vectors = named("prefill_vectors"),
           lora_fixed = named("lora_fixed"), lora_per_rank = named("lora_per_rank");
    double credit_round_trip = named("credit_round_trip"), smac_per_layer = named("smac_per_layer"),
           adder_service = named("adder_service"), border_hops = named("border_hops"),
           open_loop_share = named("open_loop_share"), placement_link_weight = named("placement_link_weight");
    double live_intermediates = named("live_intermediates"), reprogram_row_write = named("reprogram_row_write");
    double adc_resolution = named("adc_resolution"),
           adc_growth = named("adc_growth");  ///< bits of a converter for adc_rows; factor of energy and area per bit
    sim::Time crossbar_product = named("crossbar_product");  ///< that no transfer hides, beside smac_cycles
    sim::Time die_link_latency = named("die_link_latency");
    sim::EnergyPerByte die_link_energy = named("die_link_energy");
    sim::Area die_link_area = named("die_link_area");       ///< per bit of its width
    sim::Area softmax_area = named("softmax_area");         ///< of a unit for one score per cycle
    double macro_ports_share = named("macro_ports_share");  ///< of the links and FIFOs of a router
    double burst_beats = named("burst_beats");              ///< the longest burst of the bus to the macros
    double burst_handshake = named("burst_handshake");      ///< cycles per burst
    sim::Data command_size = named("command_size");
    double command_issue = named("command_issue");  ///< cycles per command, not hidden

    /// Energy of events at the base frequency and its voltage.
    struct EventConstants : FromConstants {
        sim::Energy adc_conversion = named("adc_conversion"), dac_conversion = named("dac_conversion"),
                    cell_read = named("cell_read");
        double adc_rows = named("adc_rows");  ///< rows of the crossbar to which adc_conversion belongs
        sim::Energy multiply_add = named("multiply_add"), addition = named("addition"), softmax = named("softmax");
        sim::EnergyPerByte scratchpad_access =
            named("scratchpad_access");  ///< for a scratchpad of the size in the papers
        double scratchpad_exponent = named("scratchpad_exponent"),
               small_bank_exponent = named("small_bank_exponent");  ///< growth of the energy of an access with the size
        sim::EnergyPerByte router_bit = named("router_bit");
        sim::Quantity<0, 1, -1, -1, 0> wire = named("wire");
    } events{source()};
    sim::Quantity<-1, 1, -1, 0, 0> scratchpad_leakage = named("scratchpad_leakage");
    sim::Quantity<-1, 1, 0, -2, 0> logic_static = named("logic_static");
    double scratchpad_cells_share = named("scratchpad_cells_share");  ///< of the area of the published scratchpad
    double converter_area_share = named("converter_area_share"), sequencer_share = named("sequencer_share"),
           collective_share = named("collective_share");

    /// The baselines of `dynamic_products`.
    struct DynamicConstants : FromConstants {
        sim::Time cell_row_write = named("cell_row_write");  ///< of a row of RRAM cells, with verification
        sim::Energy cell_write = named("cell_write");
        double cell_endurance = named("cell_endurance");    ///< writes of a cell
        double array_row_write = named("array_row_write");  ///< cycles of a row of SRAM cells
        double transposable_area =
            named("transposable_area");  ///< of an SRAM array that is written by rows and columns, as a factor
        double digital_macs = named("digital_macs");  ///< multipliers of the digital unit of a pair
        sim::Area digital_mac_area = named("digital_mac_area");
    } dynamic{source()};

    struct Allowances : FromConstants {
        double gather_upper = allowed("gather_upper"),
               short_fifo_upper = allowed("short_fifo_upper");          ///< factors on the closed form
        double searched_upper_bound = allowed("searched_upper_bound");  ///< factor on the packed layer
        double gather_settled = allowed("gather_settled"), gather_train = allowed("gather_train");  ///< tokens
        double rounding_share = allowed("rounding_share");  ///< relative, in both directions
        double contexts = allowed("contexts");  ///< number of steps between simulated contexts of decoded tokens
        double stretch_hops = allowed("stretch_hops");  ///< hops of the measured part of a stream of vectors
        double annealing_steps = allowed("annealing_steps"), annealing_start = allowed("annealing_start"),
               annealing_end = allowed("annealing_end");
        double finalists_per_shape = allowed("finalists_per_shape"),
               rectangle_finalists = allowed("rectangle_finalists");
    } allowance{source()};

    /// Bytes of one vector as wide as a crossbar.
    [[nodiscard]] double vector_bytes(double crossbar) const { return crossbar * value_bits / bits_per_byte; }

    static constexpr double bits_per_byte = 8;
};

/// Properties of the constants that the bounds and the monotone directions of this architecture rely on (README.md,
/// Lower bounds).
[[nodiscard]] ConstantRules constant_rules();
/// Those of constants.toml.
[[nodiscard]] Constants shipped_constants();

}  // namespace pimdse::models::cim_mesh
