#pragma once

#include "models/contract/constant_rules.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/units.hpp"

namespace pimdse::models::cim_mesh {

/// A router-PE pair as published: what it is made of, and for which sizes.
struct Macros {
    double crossbar, link, dmacs;  ///< columns, bit, 1
    sim::Data fifo, scratchpad;
    sim::Power rram_power, sram_power, scratchpad_power, router_power, sram_retention;
    sim::Area rram_area, sram_area, scratchpad_area, router_area;
};

/// constants.toml, read once: service times in cycles. See there for sources, and for the evidence of allowances.
struct MachineConstants {
    Macros primal, leap;
    double leap_macros, leap_decode_scratchpads;  ///< of the paper's power; of a decode macro, in those of the others
    sim::Frequency base_frequency;
    double sram_columns_share, value_bits;
    sim::Area control_area;    ///< of a tile of base_pairs
    sim::Power control_power;  ///< of the same
    double base_pairs, periphery_exponent, router_fifo_share, router_dmac_share;
    Supply supply;
    sim::EnergyPerByte host_transfer;
    sim::Power host;  ///< of the host while the machine works: none, unless the space includes it
    double hop_service, score_service, distance_service, prefill_vectors, lora_fixed, lora_per_rank;
    double credit_round_trip, smac_per_layer, adder_service, border_hops, open_loop_share, placement_link_weight;
    double live_intermediates, reprogram_row_write;

    /// Joules of what happens, at the base frequency and its voltage.
    struct EventConstants {
        sim::Energy adc_conversion, dac_conversion, cell_read;
        double adc_rows;  ///< of the crossbar that conversion reads
        sim::Energy multiply_add, addition, softmax;
        sim::EnergyPerByte scratchpad_access;  ///< of the papers' scratchpad
        double scratchpad_exponent;
        sim::EnergyPerByte router_bit;
        sim::Quantity<0, 1, -1, -1, 0> wire;
    } events;
    sim::Quantity<-1, 1, -1, 0, 0> scratchpad_leakage;
    sim::Quantity<-1, 1, 0, -2, 0> logic_static;
    double converter_area_share, sequencer_share, collective_share;

    struct Allowances {
        double gather_upper, short_fifo_upper;  ///< over the closed form
        double searched_upper_bound;            ///< over the packed layer
        double gather_settled, gather_train;    ///< tokens
        double rounding_share;                  ///< either way
        double contexts;                        ///< at which decoded tokens are simulated
        double stretch_hops;                    ///< of a stream of vectors
        double annealing_steps, annealing_start, annealing_end;
        double finalists_per_shape, rectangle_finalists;
    } allowance;

    /// Bytes of one vector as wide as a crossbar.
    [[nodiscard]] double vector_bytes(double crossbar) const { return crossbar * value_bits / bits_per_byte; }

    static constexpr double bits_per_byte = 8;
};

/// Throws InputError for a constant that is missing or of another dimension.
[[nodiscard]] MachineConstants load_constants(ModelOptions const& options = {});

/// What bounds and directions of this architecture presuppose of its constants (README.md, Lower bounds).
[[nodiscard]] ConstantRules constant_rules();

}  // namespace pimdse::models::cim_mesh
