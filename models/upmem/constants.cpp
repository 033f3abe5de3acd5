#include "models/upmem/constants.hpp"

namespace pimdse::models::upmem {
namespace {

void bind_dpu(Facts& f, Constants const& c) {
    auto const bytes = [&](std::string_view name) { return c.get<sim::Data>(name).si; };
    f.wram_size = {bytes("wram_size"), bytes("wram_size_upimulator")};
    f.stack = {bytes("stack"), bytes("stack_upimulator")};
    f.mram_size = bytes("mram_size");
    f.iram_size = bytes("iram_size");
    f.register_file = c.number("registers_per_tasklet") * bytes("register_size");
    f.tasklets_most = c.number("tasklets_most");
    f.dpus_per_rank = c.number("dpus_per_rank");
    f.ranks_most = c.number("ranks_most");
    f.streams_most = c.number("streams_most");
    f.dma_smallest = bytes("dma_smallest");
    f.dma_largest = bytes("dma_largest");
}

void bind_memory(Facts& f, Constants const& c) {
    auto const cycles = [&](std::string_view name) { return c.whole(name); };
    f.dma_setup_hardware = c.number("dma_setup_hardware");
    f.dma_row_go = c.number("dma_row_go");
    f.dma_latency_go = c.number("dma_latency_go");
    f.dma_row_cpp = c.number("dma_row_cpp");
    f.dma_latency_cpp = c.number("dma_latency_cpp");
    f.memory_clock = c.get<sim::Frequency>("memory_clock").si;
    f.memory_bandwidth = c.get<sim::Bandwidth>("memory_bandwidth_reference").si;
    f.row_bytes = c.get<sim::Data>("row_bytes").si;
    f.access_bytes = c.get<sim::Data>("access_bytes").si;
    f.t_rcd = cycles("t_rcd");
    f.t_ras = cycles("t_ras");
    f.t_rp = cycles("t_rp");
    f.t_cl = cycles("t_cl");
    f.t_bl = cycles("t_bl");
    f.start_cycles = c.number("start_cycles");
    f.tail_read_slots = c.number("tail_read_slots");
    f.tail_write_slots = c.number("tail_write_slots");
    f.hazard_bubbles = c.number("hazard_bubbles");
    f.bound_low = c.number("bound_low");
    f.bound_high = c.number("bound_high");
    f.bound_start = c.number("bound_start");
}

void bind_host(Facts& f, Constants const& c) {
    auto const rate = [&](std::string_view name) { return c.get<sim::Bandwidth>(name).si; };
    f.call = c.get<sim::Time>("call_time");
    f.constant_call = c.get<sim::Time>("constant_call");
    f.parallel = {rate("parallel_in"), rate("parallel_out")};
    f.parallel_power = {c.number("parallel_in_power"), c.number("parallel_out_power")};
    f.constant = {rate("constant_in"), rate("constant_out")};
    f.broadcast_power = c.number("broadcast_power");
    f.channel_bandwidth = rate("channel_bandwidth");
    f.ranks_per_channel = c.number("ranks_per_channel");
    f.power_active = c.get<sim::Power>("power_active").si;
    f.power_idle = c.get<sim::Power>("power_idle").si;
    f.frequency = c.get<sim::Frequency>("frequency_reference").si;
    f.mram_energy = c.get<sim::EnergyPerByte>("mram_energy").si;
    f.host_power = c.get<sim::Power>("host_power").si;
}

}  // namespace

Facts bind_facts(Constants const& constants) {
    Facts facts;
    bind_dpu(facts, constants);
    bind_memory(facts, constants);
    bind_host(facts, constants);
    return facts;
}

}  // namespace pimdse::models::upmem
