#include "models/cim_mesh/constant_rules.hpp"

namespace pimdse::models::cim_mesh {
namespace {

/// No part of the power or of the area of a pair is negative, and a pair at work draws no less than one that waits
/// (at the published clock; at others the direction of energy along the batch is looked at, see search_help).
ConstantRules pair_constants() {
    return together(
        {shares({"router_fifo_share", "router_dmac_share", "converter_area_share", "supply_floor"},
                "it is a share of a whole"),
         efficiencies({"sram_columns_share"}, "it is a share of the columns of a crossbar"),
         within({"base_pairs"}, 1, 1'000'000'000, "they are counted"),
         within({"scratchpad_exponent"}, 0, 1,
                "a larger scratchpad takes more energy an access, no more than it is larger"),
         within({"periphery_exponent"}, 0, 4, "macros grow with their cells"),
         ascending({"lowest_clock", "highest_clock"}, "both are ends of one range"),
         ascending({"sram_retention", "sram_power"}, "an array at work draws no less than one that waits"),
         {{"router_fifo_share + router_dmac_share <= 1",
           {"router_fifo_share", "router_dmac_share"},
           "what is left of a router are its links",
           [](ConstantValues const& v) { return v("router_fifo_share") + v("router_dmac_share") <= 1.0; }}}});
}

/// The simulated network counts whole cycles; a link is never filled beyond what saturates it.
ConstantRules network_constants() {
    return together({whole_numbers({"adder_service"}, 0, 64, "the simulated network counts whole cycles"),
                     efficiencies({"open_loop_share"}, "it is a share of what saturates a link"),
                     whole_numbers({"value_bits"}, 1, 1024, "bits are counted"),
                     within({"allowance.rounding_share"}, 0, 0x1p-10,
                            "it is taken off every lower bound, which stays one only if it is not negative")});
}

}  // namespace

ConstantRules constant_rules() { return together({pair_constants(), network_constants()}); }

}  // namespace pimdse::models::cim_mesh
