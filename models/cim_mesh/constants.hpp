#pragma once

#include "models/contract/constants.hpp"


namespace pimdse::models::cim_mesh {

/// constants.toml, read once: service times in cycles, powers in W, areas in m2. See there for sources.
struct Machine {
    double base_crossbar, base_link, base_fifo, base_scratchpad, base_frequency, base_rank;
    double sram_columns_share, value_bits;
    double rram_power, sram_power, scratchpad_power, router_power, sram_retention;
    double rram_area, sram_area, scratchpad_area, router_area, edge_area_factor, periphery_exponent, router_fifo_share;
    double hop_service, score_service, distance_service, prefill_vectors, lora_fixed, lora_per_rank;
    double credit_round_trip, smac_per_layer, adder_service, open_loop_share, placement_link_weight;
    double live_intermediates, reprogram_row_write;
    double h100_bandwidth, h100_power, a100_bandwidth, a100_power, gpu_weight_bytes;
};

/// Throws InputError for a constant that is missing or of another dimension.
[[nodiscard]] Machine load_machine();

}  // namespace pimdse::models::cim_mesh
