#include "models/cim_mesh/constants.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>

namespace pimdse::models::cim_mesh {

Machine load_machine() {
    auto const c = Constants::load(std::string_view("cim_mesh"));
    Machine m{};
    m.base_crossbar = c.number("base_crossbar");
    m.base_link = c.number("base_link");
    m.base_fifo = c.get<sim::Data>("base_fifo").si;
    m.base_scratchpad = c.get<sim::Data>("base_scratchpad").si;
    m.base_frequency = c.get<sim::Frequency>("base_frequency").si;
    m.base_rank = c.number("base_rank");
    m.sram_columns_share = c.number("sram_columns_share");
    m.value_bits = c.number("value_bits");
    if (!(m.value_bits >= 1.0 && m.value_bits <= 1024.0))
        throw sim::InputError(fmt::format("constant value_bits = {} is out of range (1 to 1024)", m.value_bits));
    m.rram_power = c.get<sim::Power>("rram_power").si;
    m.sram_power = c.get<sim::Power>("sram_power").si;
    m.scratchpad_power = c.get<sim::Power>("scratchpad_power").si;
    m.router_power = c.get<sim::Power>("router_power").si;
    m.sram_retention = c.get<sim::Power>("sram_retention").si;
    m.rram_area = c.get<sim::Area>("rram_area").si;
    m.sram_area = c.get<sim::Area>("sram_area").si;
    m.scratchpad_area = c.get<sim::Area>("scratchpad_area").si;
    m.router_area = c.get<sim::Area>("router_area").si;
    m.edge_area_factor = c.number("edge_area_factor");
    m.periphery_exponent = c.number("periphery_exponent");
    m.router_fifo_share = c.number("router_fifo_share");
    m.hop_service = c.number("hop_service");
    m.score_service = c.number("score_service");
    m.distance_service = c.number("distance_service");
    m.prefill_vectors = c.number("prefill_vectors");
    m.lora_fixed = c.number("lora_fixed");
    m.lora_per_rank = c.number("lora_per_rank");
    m.credit_round_trip = c.number("credit_round_trip");
    m.smac_per_layer = c.number("smac_per_layer");
    m.adder_service = c.number("adder_service");
    m.open_loop_share = c.number("open_loop_share");
    m.placement_link_weight = c.number("placement_link_weight");
    m.live_intermediates = c.number("live_intermediates");
    m.reprogram_row_write = c.number("reprogram_row_write");
    m.h100_bandwidth = c.get<sim::Bandwidth>("h100_bandwidth").si;
    m.h100_power = c.get<sim::Power>("h100_power").si;
    m.a100_bandwidth = c.get<sim::Bandwidth>("a100_bandwidth").si;
    m.a100_power = c.get<sim::Power>("a100_power").si;
    m.gpu_weight_bytes = c.get<sim::Data>("gpu_weight_bytes").si;
    return m;
}

}  // namespace pimdse::models::cim_mesh
