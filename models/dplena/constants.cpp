#include "models/dplena/constants.hpp"

#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <string>

namespace pimdse::models::dplena {
namespace {

constexpr double max_ticks = 1'000'000;

/// Cycles and ticks are whole numbers, and there is time for a read between two refreshes.
ConstantRules counted_constants() {
    return together(
        {whole_numbers(
             sim::words_of(
                 "v_red_max_idx v_sub_vf v_exp_v v_red_sum scalar scalar_exp scalar_multiply control v_red_max "
                 "v_cmp_vf v_first v_mul_vf v_add_vv v_random rtl_v_sub_vf rtl_v_mul_vf rtl_v_exp_v rtl_reduction "
                 "rtl_v_red_sum_level rtl_v_red_max_level rtl_s_add_fp rtl_s_mul_fp rtl_s_exp_fp rtl_s_reci_fp "
                 "rtl_s_map_v_fp hbm_burst hbm_read_latency hbm_activate_to_read hbm_precharge "
                 "hbm_activate_to_precharge hbm_row_cycle hbm_read_to_precharge hbm_bus_compat hbm_bus_corrected "
                 "hbm_same_group hbm_activate_gap hbm_activate_gap_group hbm_row_bus hbm_four_activates "
                 "hbm_refresh_interval hbm_refresh_duration hbm_read_queue",
                 ' '),
             1.0, max_ticks, "it is a number of cycles"),
         whole_numbers({"immediate_limit"}, 1, 1'000'000'000, "it is a number in a field of an instruction"),
         {{"hbm_refresh_duration + hbm_activate_to_read + hbm_read_latency + hbm_burst < hbm_refresh_interval",
           {"hbm_refresh_duration", "hbm_refresh_interval", "hbm_activate_to_read", "hbm_read_latency", "hbm_burst"},
           "a read must fit between two refreshes",
           [](ConstantValues const& v) {
               return v("hbm_refresh_duration") + v("hbm_activate_to_read") + v("hbm_read_latency") + v("hbm_burst") <
                      v("hbm_refresh_interval");
           }}}});
}

/// No timer outlives a prefetch (required by CachedHbm): its last read was issued read_latency + burst before its
/// end, its last ACT at least activate_to_read before that, and a PRE precedes every later ACT of a bank.
ConstantRules timer_constants() {
    ConstantNames const burst{"hbm_read_latency", "hbm_burst"},
        opened{"hbm_activate_to_read", "hbm_read_latency", "hbm_burst"};
    ConstantRules rules;
    auto const at_most = [&](ConstantNames const& timers, ConstantNames sum) {
        for (auto const& timer : timers) {
            ConstantNames names = sum;
            names.insert(names.begin(), timer);
            rules.push_back({fmt::format("{} <= {}", timer, fmt::join(sum, " + ")), names,
                             "no timer may outlive a prefetch, because the outcomes of prefetches are cached",
                             [timer, sum](ConstantValues const& v) {
                                 double all = 0.0;
                                 for (auto const& part : sum) all += v(part);
                                 return v(timer) <= all;
                             }});
        }
    };
    at_most({"hbm_bus_compat", "hbm_bus_corrected", "hbm_same_group", "hbm_read_to_precharge"}, burst);
    at_most({"hbm_activate_to_precharge", "hbm_activate_gap", "hbm_activate_gap_group", "hbm_row_bus",
             "hbm_four_activates"},
            opened);
    at_most({"hbm_row_cycle"}, {opened[0], opened[1], opened[2], "hbm_precharge"});
    return rules;
}

/// Energy increases with time and power decreases with it: a waiting unit draws at most its active power, an
/// exponential unit is at most as large as its lane, and the narrowest vector unit has a positive area.
ConstantRules silicon_constants() {
    return together(
        {shares({"waiting_share", "exponential_share"}, "it is a share of a whole"),
         shares({"weight_scale"}, "it is the number of scale bytes per weight"),
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
         whole_numbers({"hbm_stack_channels"}, 1, 1024, "it is a number of channels"),
         ascending({"hbm_closed_standby", "hbm_open_standby"}, "an open row draws at least as much"),
         ascending({"hbm_channel_standing", "hbm2e_channel_standing"}, "a faster clock draws at least as much"),
         within({"hbm2e_standby"}, 1, 10, "a faster clock draws at least as much")});
}

/// Rules of the synthetic rows of the accuracy proxy.
ConstantRules proxy_constants() {
    return together({whole_numbers({"proxy_seed"}, 0, 1'000'000'000'000, "it is a whole number"),
                     whole_numbers({"proxy_blocks", "proxy_block_length", "proxy_transfers"}, 1, 4096,
                                   "it is a number of blocks or positions"),
                     ascending({"proxy_transfers", "proxy_block_length"}, "a block commits positions of its own"),
                     ascending({"proxy_peak_low", "proxy_peak_high"}, "they are the ends of a range"),
                     within({"proxy_bulk_spread", "proxy_peak_low", "proxy_peak_high"}, 0x1p-10, 100,
                            "exponentials of logits are summed in single precision"),
                     within({"proxy_gap"}, 0, 100, "exponentials of logits are summed in single precision")});
}

}  // namespace

std::string PrefetchTable::row(HbmGeneration generation, std::size_t bus, std::size_t width, std::size_t count) {
    auto const* name = generation == HbmGeneration::hbm2 ? "prefetch" : "prefetch_hbm2e";
    return fmt::format("{}_{}_v{}_p{}", name, buses[bus], widths[width], vectors[count]);
}

PrefetchTable::Ticks PrefetchTable::measured() const {
    Ticks all{};
    for (auto const generation : {HbmGeneration::hbm2, HbmGeneration::hbm2e})
        for (std::size_t bus = 0; bus < buses.size(); ++bus)
            for (std::size_t w = 0; w < widths.size(); ++w)
                for (std::size_t p = 0; p < vectors.size(); ++p)
                    all[static_cast<std::size_t>(generation)][bus][w][p] = named(row(generation, bus, w, p));
    return all;
}

ConstantRules constant_rules() {
    return together({counted_constants(), timer_constants(), silicon_constants(), proxy_constants()});
}

}  // namespace pimdse::models::dplena
