#include "models/umdam/constant_rules.hpp"

namespace pimdse::models::umdam {
namespace {

ConstantRules counted_constants() {
    constexpr double most = 1'000'000;
    return together({whole_numbers({"cube_edge"}, 1, 4096, "a cube multiplies whole blocks"),
                     whole_numbers({"chips", "vector_lanes", "results_per_burst", "package_channels"}, 1.0, most,
                                   "they are counted"),
                     whole_numbers({"mode_switch", "mac_read_to_precharge", "global_buffer_write"}, 1.0, most,
                                   "cycles of a channel are counted"),
                     whole_numbers({"element_bytes"}, 1, 16, "an element has whole bytes"),
                     whole_numbers({"huge_page", "relayout_chunk"}, 4096, 0x1p40, "bytes are counted")});
}

/// Energy grows with time and power falls with it: no power is negative, and a unit that waits draws no more than one
/// at work.
ConstantRules power_constants() {
    auto const at_rest = [](ConstantValues const& v) { return v("idd2n_vdd2h") + v("idd2n_vdd1"); };
    return together({shares({"waiting_share", "pim_waiting_share", "second_row_buffer", "pim_voltage_floor",
                             "pim_clocked_area", "package_pin_share"},
                            "it is a share of a whole"),
                     efficiencies({"sram_efficiency", "fused_efficiency"}, "it is a share of a whole"),
                     ascending({"idd2n_vdd2h", "idd5_vdd2h"}, "a die that refreshes draws no less than one at rest"),
                     ascending({"pim_vector_multiply", "pim_multiply"}, "one is part of the other"),
                     ascending({"pim_clock_lowest", "pim_clock_highest"}, "both are ends of one range"),
                     {{"idd2p_vdd2h <= idd2n_vdd2h + idd2n_vdd1",
                       {"idd2p_vdd2h", "idd2n_vdd2h", "idd2n_vdd1"},
                       "a die that is powered down draws no more than one at rest",
                       [at_rest](ConstantValues const& v) { return v("idd2p_vdd2h") <= at_rest(v); }},
                      {"idd2n_vdd2h + idd2n_vdd1 <= idd3n_vdd2h + idd3n_vdd1 + idd3n_vddq",
                       {"idd2n_vdd2h", "idd2n_vdd1", "idd3n_vdd2h", "idd3n_vdd1", "idd3n_vddq"},
                       "a die with an open row draws no less than one at rest",
                       [at_rest](ConstantValues const& v) {
                           return at_rest(v) <= v("idd3n_vdd2h") + v("idd3n_vdd1") + v("idd3n_vddq");
                       }},
                      {"sram_small < sram_large",
                       {"sram_small", "sram_large"},
                       "energies of an access lie on a power law through two sizes",
                       [](ConstantValues const& v) { return v("sram_small") < v("sram_large"); }}}});
}

}  // namespace

ConstantRules constant_rules() { return together({counted_constants(), power_constants()}); }

}  // namespace pimdse::models::umdam
