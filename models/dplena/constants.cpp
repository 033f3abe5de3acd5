#include "models/dplena/constants.hpp"

#include "models/contract/language_models.hpp"
#include "models/dplena/prepared.hpp"

#include <fmt/format.h>

namespace pimdse::models::dplena {
namespace {

std::int64_t whole(Constants const& constants, std::string_view name) { return constants.whole(name); }

InstructionCosts read_costs(Constants const& c) {
    return {.red_max = whole(c, "v_red_max_idx"),
            .sub = whole(c, "v_sub_vf"),
            .exp = whole(c, "v_exp_v"),
            .red_sum = whole(c, "v_red_sum"),
            .scalar = whole(c, "scalar"),
            .scalar_exp = whole(c, "scalar_exp"),
            .scalar_multiply = whole(c, "scalar_multiply"),
            .control = whole(c, "control"),
            .immediate_limit = whole(c, "immediate_limit")};
}

HbmTiming read_timing(Constants const& c) {
    return {.burst = whole(c, "hbm_burst"),
            .read_latency = whole(c, "hbm_read_latency"),
            .activate_to_read = whole(c, "hbm_activate_to_read"),
            .precharge = whole(c, "hbm_precharge"),
            .activate_to_precharge = whole(c, "hbm_activate_to_precharge"),
            .row_cycle = whole(c, "hbm_row_cycle"),
            .read_to_precharge = whole(c, "hbm_read_to_precharge"),
            .same_group = whole(c, "hbm_same_group"),
            .activate_gap = whole(c, "hbm_activate_gap"),
            .activate_gap_group = whole(c, "hbm_activate_gap_group"),
            .row_bus = whole(c, "hbm_row_bus"),
            .four_activates = whole(c, "hbm_four_activates"),
            .bus = {whole(c, "hbm_bus_compat"), whole(c, "hbm_bus_corrected")},
            .refresh_interval = whole(c, "hbm_refresh_interval"),
            .refresh_duration = whole(c, "hbm_refresh_duration"),
            .read_queue = whole(c, "hbm_read_queue")};
}

PrefetchTable read_prefetch_table(Constants const& c) {
    PrefetchTable table;
    table.base = c.number("estimate_ticks");
    table.per_read = c.number("estimate_ticks_per_read");
    std::array<std::string_view, 2> const buses{"compat", "corrected"};
    for (std::size_t bus = 0; bus < buses.size(); ++bus) {
        for (std::size_t w = 0; w < table.widths.size(); ++w) {
            for (std::size_t p = 0; p < table.vectors.size(); ++p) {
                table.ticks[bus][w][p] =
                    c.number(fmt::format("prefetch_{}_v{}_p{}", buses[bus], table.widths[w], table.vectors[p]));
            }
        }
    }
    return table;
}

SiliconConstants read_silicon(Constants const& c) {
    return {.frequency = c.get<sim::Frequency>("frequency"),
            .vector_area_per_lane = c.get<sim::Area>("vector_area_per_lane"),
            .vector_area_offset = c.get<sim::Area>("vector_area_offset"),
            .scalar_area = c.get<sim::Area>("scalar_area"),
            .vector_power_per_lane = c.get<sim::Power>("vector_power_per_lane"),
            .vector_power_offset = c.get<sim::Power>("vector_power_offset"),
            .sram_area = c.get<sim::AreaPerByte>("sram_area_per_bit"),
            .sram_energy = c.get<sim::EnergyPerByte>("sram_energy_per_bit"),
            .hbm_energy = c.get<sim::EnergyPerByte>("hbm_energy_per_bit"),
            .hbm_capacity_per_channel = c.get<sim::Data>("hbm_capacity_per_channel"),
            .vector_element = c.get<sim::Data>("vector_element"),
            .token_element = c.get<sim::Data>("token_element")};
}

ProxyConstants read_proxy(Constants const& c) {
    return {.seed = static_cast<std::uint64_t>(whole(c, "proxy_seed")),
            .blocks = whole(c, "proxy_blocks"),
            .block_length = whole(c, "proxy_block_length"),
            .transfers = whole(c, "proxy_transfers"),
            .bulk_spread = c.number("proxy_bulk_spread"),
            .peak_low = c.number("proxy_peak_low"),
            .peak_high = c.number("proxy_peak_high"),
            .gap = c.number("proxy_gap")};
}

}  // namespace

Machine Machine::load(std::vector<std::string> const& model_names) {
    auto const constants = Constants::load(std::string_view("dplena"));
    Machine machine;
    machine.costs = read_costs(constants);
    machine.hbm = read_timing(constants);
    machine.prefetch = read_prefetch_table(constants);
    machine.silicon = read_silicon(constants);
    machine.model_constants = {constants.number("weight_scale"), constants.get<sim::Data>("kv_element")};
    machine.proxy = read_proxy(constants);
    machine.memories = std::make_shared<Memories>();
    for (auto const& name : model_names) {
        machine.models.push_back(load_language_model(name));
        machine.vocabularies.push_back(machine.models.back().vocabulary);
    }
    return machine;
}

}  // namespace pimdse::models::dplena
