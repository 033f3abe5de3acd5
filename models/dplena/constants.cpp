#include "models/dplena/constants.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string>

namespace pimdse::models::dplena {
namespace {

void bind(InstructionCosts& m, Constants const& c) {
    c.bind(m.red_max, "v_red_max_idx");
    c.bind(m.sub, "v_sub_vf");
    c.bind(m.exp, "v_exp_v");
    c.bind(m.red_sum, "v_red_sum");
    c.bind(m.scalar, "scalar");
    c.bind(m.scalar_exp, "scalar_exp");
    c.bind(m.scalar_multiply, "scalar_multiply");
    c.bind(m.control, "control");
    c.bind(m.plain_max, "v_red_max");
    c.bind(m.compare, "v_cmp_vf");
    c.bind(m.find_first, "v_first");
    c.bind(m.multiply, "v_mul_vf");
    c.bind(m.add, "v_add_vv");
    c.bind(m.random, "v_random");
    c.bind(m.immediate_limit, "immediate_limit");
}

void bind(HbmTiming& m, Constants const& c) {
    c.bind(m.burst, "hbm_burst");
    c.bind(m.read_latency, "hbm_read_latency");
    c.bind(m.activate_to_read, "hbm_activate_to_read");
    c.bind(m.precharge, "hbm_precharge");
    c.bind(m.activate_to_precharge, "hbm_activate_to_precharge");
    c.bind(m.row_cycle, "hbm_row_cycle");
    c.bind(m.read_to_precharge, "hbm_read_to_precharge");
    c.bind(m.same_group, "hbm_same_group");
    c.bind(m.activate_gap, "hbm_activate_gap");
    c.bind(m.activate_gap_group, "hbm_activate_gap_group");
    c.bind(m.row_bus, "hbm_row_bus");
    c.bind(m.four_activates, "hbm_four_activates");
    for (std::size_t bus = 0; bus < m.bus.size(); ++bus)
        c.bind(m.bus[bus], fmt::format("hbm_bus_{}", PrefetchTable::buses[bus]));
    c.bind(m.refresh_interval, "hbm_refresh_interval");
    c.bind(m.refresh_duration, "hbm_refresh_duration");
    c.bind(m.read_queue, "hbm_read_queue");
    sim::Frequency clock;
    c.bind(clock, "frequency");
    m.clock = std::max<std::int64_t>(1, megahertz(clock.si));
}

void bind(PrefetchCacheLimits& m, Constants const& c) {
    c.bind_allowance(m.outcomes, "memory_outcomes");
    c.bind_allowance(m.whole_outcomes, "memory_whole_outcomes");
    c.bind_allowance(m.shapes, "memory_shapes");
    c.bind_allowance(m.reads_worth_a_shape, "memory_reads_worth_a_shape");
}

void bind(PrefetchTable& m, Constants const& c) {
    c.bind(m.base, "estimate_ticks");
    c.bind(m.per_read, "estimate_ticks_per_read");
    for (auto const generation : {HbmGeneration::hbm2, HbmGeneration::hbm2e}) {
        for (std::size_t bus = 0; bus < m.buses.size(); ++bus) {
            for (std::size_t w = 0; w < m.widths.size(); ++w) {
                for (std::size_t p = 0; p < m.vectors.size(); ++p)
                    c.bind(m.ticks[static_cast<std::size_t>(generation)][bus][w][p],
                           PrefetchTable::row(generation, bus, w, p));
            }
        }
    }
}

void bind(EstimateAllowances& m, Constants const& c) {
    c.bind_allowance(m.reads_that_fill_the_bus, "estimate_reads_that_fill_the_bus");
    c.bind_allowance(m.line_min_vlen, "estimate_line_least_vlen");
    c.bind_allowance(m.line_mx_block, "estimate_line_mx_block");
    c.bind_allowance(m.line_min_width, "estimate_line_least_width");
    c.bind_allowance(m.line_max_reads, "estimate_line_most_reads");
    c.bind_allowance(m.line_upper, "estimate_line_high");
    c.bind_allowance(m.table_upper, "estimate_table_high");
    c.bind_allowance(m.table_upper_ticks, "estimate_table_high_ticks");
    c.bind_allowance(m.scales_upper, "estimate_scales_high");
    c.bind_allowance(m.bus_never_full, "estimate_bus_never_full");
    c.bind_allowance(m.refresh_upper, "estimate_refresh_high");
    c.bind_allowance(m.refreshes_met, "estimate_refreshes_met");
}

void bind(SamplingAllowances& m, Constants const& c) {
    c.bind_allowance(m.refreshes_missed, "sampling_refreshes_missed");
    c.bind_allowance(m.analytic_slack, "sampling_analytic_slack");
}

void bind(SiliconConstants& m, Constants const& c) {
    c.bind(m.frequency, "frequency");
    c.bind(m.vector_area_per_lane, "vector_area_per_lane");
    c.bind(m.vector_area_offset, "vector_area_offset");
    c.bind(m.scalar_area, "scalar_area");
    c.bind(m.vector_energy_per_lane, "vector_energy_per_lane");
    c.bind(m.vector_energy_offset, "vector_energy_offset");
    c.bind(m.sram_area, "sram_area_per_bit");
    c.bind(m.sram_energy, "sram_energy_per_bit");
    c.bind(m.operand_energy, "operand_energy_per_bit");
    c.bind(m.sram_leakage, "sram_leakage");
    c.bind(m.hbm_capacity_per_channel, "hbm_capacity_per_channel");
    c.bind(m.vector_element, "vector_element");
    c.bind(m.token_element, "token_element");
    c.bind(m.exponential_share, "exponential_share");
    c.bind(m.fetch_slot, "fetch_slot_area");
    c.bind(m.issue_slot, "issue_slot_area");
    c.bind(m.accumulator, "accumulator_area");
    c.bind(m.waiting_share, "waiting_share");
    c.bind(m.index_path, "index_path_area");
    c.bind(m.mask_encoder, "mask_encoder_area");
    c.bind(m.dequantizer, "dequantizer_area");
    c.bind(m.random_source, "random_source_area");
    c.bind(m.topk_entry, "topk_entry_area");
    c.bind(m.published_entries, "topk_published_entries");
    c.bind(m.fifo_cell, "host_fifo_area");
    c.bind(m.fifo_access, "host_fifo_energy");
}

void bind(MatrixConstants& m, Constants const& c) {
    for (std::size_t i = 0; i < m.bits.size(); ++i) {
        c.bind(m.area[i], fmt::format("multiply_add_area_{}bit", m.bits[i]));
        c.bind(m.energy[i], fmt::format("multiply_add_energy_{}bit", m.bits[i]));
    }
    c.bind(m.tiles, "matrix_tiles");
}

void bind(StackConstants& m, Constants const& c) {
    c.bind(m.array, "hbm_array_access");
    c.bind(m.interface, "hbm_interface");
    c.bind(m.row_activation, "hbm_row_activation");
    c.bind(m.row, "hbm_row");
    c.bind(m.open_standby, "hbm_open_standby");
    c.bind(m.closed_standby, "hbm_closed_standby");
    c.bind(m.refreshing, "hbm_refresh_power");
    c.bind(m.die, "hbm_die");
    c.bind(m.base_die, "hbm_base_die");
    c.bind(m.phy, "hbm_phy_area");
    c.bind(m.controller, "hbm_controller_area");
    c.bind(m.channel_standing, "hbm_channel_standing");
    c.bind(m.channel_standing_hbm2e, "hbm2e_channel_standing");
    c.bind(m.standby_hbm2e, "hbm2e_standby");
    c.bind(m.stack_channels, "hbm_stack_channels");
    c.bind(m.package_limit, "hbm_package_limit");
}

void bind(ModelConstants& m, Constants const& c) {
    c.bind(m.weight_scale, "weight_scale");
    c.bind(m.kv_element, "kv_element");
}

void bind(HostConstants& m, Constants const& c) {
    c.bind(m.link, "host_link");
    c.bind(m.link_latency, "host_link_latency");
    c.bind(m.logit_rate, "host_logit_rate");
    c.bind(m.noise_rate, "host_noise_rate");
    c.bind(m.link_energy, "host_link_energy");
    c.bind(m.power, "host_sampling_power");
}

void bind(ProxyConstants& m, Constants const& c) {
    c.bind(m.seed, "proxy_seed");
    c.bind(m.blocks, "proxy_blocks");
    c.bind(m.block_length, "proxy_block_length");
    c.bind(m.transfers, "proxy_transfers");
    c.bind(m.bulk_spread, "proxy_bulk_spread");
    c.bind(m.peak_lower, "proxy_peak_low");
    c.bind(m.peak_upper, "proxy_peak_high");
    c.bind(m.gap, "proxy_gap");
}

}  // namespace

std::string PrefetchTable::row(HbmGeneration generation, std::size_t bus, std::size_t width, std::size_t count) {
    auto const* name = generation == HbmGeneration::hbm2 ? "prefetch" : "prefetch_hbm2e";
    return fmt::format("{}_{}_v{}_p{}", name, buses[bus], widths[width], vectors[count]);
}

MachineConstants bind_constants(Constants const& c) {
    MachineConstants m;
    bind(m.costs, c);
    bind(m.hbm.timing, c);
    bind(m.hbm.cache_limits, c);
    bind(m.prefetch, c);
    bind(m.estimate, c);
    bind(m.sampling, c);
    bind(m.silicon, c);
    bind(m.matrix, c);
    bind(m.stack, c);
    bind(m.model, c);
    bind(m.proxy, c);
    bind(m.sampling_host, c);
    return m;
}

namespace {

constexpr double max_ticks = 1'000'000;

/// Cycles and ticks are whole numbers, and there is time for a read between two refreshes.
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
                        "v_red_max",
                        "v_cmp_vf",
                        "v_first",
                        "v_mul_vf",
                        "v_add_vv",
                        "v_random",
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
    std::string const why = "no timer may outlive a prefetch, because the outcomes of prefetches are cached";
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

ConstantRules constant_rules() {
    return together({counted_constants(), timer_constants(), silicon_constants(), proxy_constants()});
}

}  // namespace pimdse::models::dplena
