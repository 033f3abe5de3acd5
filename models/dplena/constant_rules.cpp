#include "models/dplena/constant_rules.hpp"

#include <string>

namespace pimdse::models::dplena {
namespace {

constexpr double most_ticks = 1'000'000;

/// Cycles and ticks are counted; a refresh leaves time to work in.
ConstantRules counted_constants() {
    return together(
        {whole_numbers({"v_red_max_idx",
                        "v_sub_vf",
                        "v_exp_v",
                        "v_red_sum",
                        "scalar",
                        "scalar_exp",
                        "scalar_multiply",
                        "control",
                        "hbm_burst",
                        "hbm_read_latency",
                        "hbm_activate_to_read",
                        "hbm_precharge",
                        "hbm_activate_to_precharge",
                        "hbm_row_cycle",
                        "hbm_read_to_precharge",
                        "hbm_bus_compat",
                        "hbm_bus_corrected",
                        "hbm_same_group",
                        "hbm_activate_gap",
                        "hbm_activate_gap_group",
                        "hbm_row_bus",
                        "hbm_four_activates",
                        "hbm_refresh_interval",
                        "hbm_refresh_duration",
                        "hbm_read_queue"},
                       1.0, most_ticks, "they are counted"),
         whole_numbers({"immediate_limit"}, 1, 1'000'000'000, "it is a number that an instruction holds"),
         {{"hbm_refresh_duration + hbm_activate_to_read + hbm_read_latency + hbm_burst < hbm_refresh_interval",
           {"hbm_refresh_duration", "hbm_refresh_interval", "hbm_activate_to_read", "hbm_read_latency", "hbm_burst"},
           "between two refreshes there is time for a read",
           [](ConstantValues const& v) {
               return v("hbm_refresh_duration") + v("hbm_activate_to_read") + v("hbm_read_latency") + v("hbm_burst") <
                      v("hbm_refresh_interval");
           }}}});
}

/// No timer outlives a prefetch (PrefetchMemory): its last read was issued read_latency + burst before its end, its
/// last ACT another activate_to_read before that, and a bank is opened again only behind a PRE.
ConstantRules timer_constants() {
    std::string const why = "no timer outlives a prefetch: what prefetches do is remembered";
    ConstantRules rules;
    for (std::string const timer : {"hbm_bus_compat", "hbm_bus_corrected", "hbm_same_group", "hbm_read_to_precharge"}) {
        rules.push_back(
            {timer + " <= hbm_read_latency + hbm_burst",
             {timer, "hbm_read_latency", "hbm_burst"},
             why,
             [timer](ConstantValues const& v) { return v(timer) <= v("hbm_read_latency") + v("hbm_burst"); }});
    }
    for (std::string const timer : {"hbm_activate_to_precharge", "hbm_activate_gap", "hbm_activate_gap_group",
                                    "hbm_row_bus", "hbm_four_activates"}) {
        rules.push_back({timer + " <= hbm_activate_to_read + hbm_read_latency + hbm_burst",
                         {timer, "hbm_activate_to_read", "hbm_read_latency", "hbm_burst"},
                         why,
                         [timer](ConstantValues const& v) {
                             return v(timer) <= v("hbm_activate_to_read") + v("hbm_read_latency") + v("hbm_burst");
                         }});
    }
    rules.push_back({"hbm_row_cycle <= hbm_activate_to_read + hbm_read_latency + hbm_burst + hbm_precharge",
                     {"hbm_row_cycle", "hbm_activate_to_read", "hbm_read_latency", "hbm_burst", "hbm_precharge"},
                     why,
                     [](ConstantValues const& v) {
                         return v("hbm_row_cycle") <=
                                v("hbm_activate_to_read") + v("hbm_read_latency") + v("hbm_burst") + v("hbm_precharge");
                     }});
    return rules;
}

/// A unit that waits draws no more than one at work, a lane is no smaller than its exponential unit, and the narrowest
/// vector unit has an area: energy grows with time, power falls with it.
ConstantRules silicon_constants() {
    return together({shares({"waiting_share", "exponential_share"}, "it is a share of a whole"),
                     shares({"weight_scale"}, "it is a part of a weight, in bytes"),
                     {{"64 x vector_area_per_lane + vector_area_offset > 0",
                       {"vector_area_per_lane", "vector_area_offset"},
                       "the narrowest vector unit has 64 lanes",
                       [](ConstantValues const& v) {
                           constexpr double narrowest = 64;
                           return narrowest * v("vector_area_per_lane") + v("vector_area_offset") > 0.0;
                       }}},
                     ascending({"multiply_add_area_4bit", "multiply_add_area_8bit", "multiply_add_area_16bit"},
                               "wider weights need wider multipliers"),
                     ascending({"multiply_add_energy_4bit", "multiply_add_energy_8bit", "multiply_add_energy_16bit"},
                               "wider weights need wider multipliers"),
                     whole_numbers({"hbm_stack_channels"}, 1, 1024, "they are counted"),
                     ascending({"hbm_closed_standby", "hbm_open_standby"}, "a row that is open draws no less")});
}

/// The synthetic rows of the proxy of accuracy.
ConstantRules proxy_constants() {
    return together(
        {whole_numbers({"proxy_seed"}, 0, 1'000'000'000'000, "it is a whole number"),
         whole_numbers({"proxy_blocks", "proxy_block_length", "proxy_transfers"}, 1, 4096, "they are counted"),
         ascending({"proxy_transfers", "proxy_block_length"}, "a block commits positions of its own"),
         ascending({"proxy_peak_low", "proxy_peak_high"}, "both are ends of one range"),
         within({"proxy_bulk_spread", "proxy_peak_low", "proxy_peak_high"}, 0x1p-10, 100,
                "exponentials of logits are summed in single precision"),
         within({"proxy_gap"}, 0, 100, "exponentials of logits are summed in single precision")});
}

}  // namespace

ConstantRules constant_rules() {
    return together({counted_constants(), timer_constants(), silicon_constants(), proxy_constants()});
}

}  // namespace pimdse::models::dplena
