#include "models/cim_mesh/constants.hpp"

#include "models/contract/toml_file.hpp"

namespace pimdse::models::cim_mesh {

/// No part of the power or of the area of a pair is negative, and an active pair draws at least as much as a waiting
/// one (at the published clock). The simulated network counts whole cycles; the load of a link is limited to its
/// saturation.
ConstantRules constant_rules() {
    return together(
        {shares({"router_fifo_share", "router_dmac_share", "converter_area_share", "macro_ports_share",
                 "scratchpad_cells_share", "supply_floor"},
                "it is a share of a whole"),
         efficiencies({"sram_columns_share"}, "it is a share of the columns of a crossbar"),
         within({"adc_growth"}, 1, 4, "a converter of more bits is not smaller"),
         whole_numbers({"burst_beats"}, 1, 65536, "a burst has at least one beat"),
         within({"base_pairs"}, 1, 1'000'000'000, "it is a number of pairs"),
         within({"digital_macs"}, 1, 1'000'000, "it is a number of multipliers"),
         within({"transposable_area"}, 1, 1'000, "cells that are written by rows and columns are not smaller"),
         within({"scratchpad_exponent", "small_bank_exponent"}, 0, 1,
                "energy per access grows with the size of a scratchpad, at most in proportion"),
         within({"periphery_exponent"}, 0, 4, "macros grow with their cells"),
         ascending({"lowest_clock", "highest_clock"}, "they are the ends of a range"),
         ascending({"sram_retention", "sram_power"}, "an active array draws at least as much as a waiting one"),
         {{"router_fifo_share + router_dmac_share <= 1",
           {"router_fifo_share", "router_dmac_share"},
           "the rest of a router is its links",
           [](ConstantValues const& v) { return v("router_fifo_share") + v("router_dmac_share") <= 1.0; }}},
         whole_numbers({"adder_service"}, 0, 64, "the simulated network counts whole cycles"),
         efficiencies({"open_loop_share"}, "it is a share of the saturated throughput of a link"),
         whole_numbers({"value_bits"}, 1, 1024, "it is a number of bits"),
         within({"allowance.rounding_share"}, 0, 0x1p-10,
                "every lower bound is reduced by it, so it must not be negative")});
}

Constants shipped_constants() { return Constants::load(data_directory() / "models" / "cim_mesh" / "constants.toml"); }

}  // namespace pimdse::models::cim_mesh
