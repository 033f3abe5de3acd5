#include "models/upmem/constants.hpp"

#include "models/contract/technology.hpp"

#include <cmath>

namespace pimdse::models::upmem {
namespace {

void bind_dpu(MachineConstants& m, Constants const& c) {
    c.bind(m.wram_size[0], "wram_size");
    c.bind(m.wram_size[1], "wram_size_upimulator");
    c.bind(m.stack[0], "stack");
    c.bind(m.stack[1], "stack_upimulator");
    c.bind(m.mram_size, "mram_size");
    c.bind(m.iram_size, "iram_size");
    m.register_file = c.number("registers_per_tasklet") * c.get<sim::Data>("register_size");
    c.bind(m.tasklets_max, "tasklets_most");
    c.bind(m.dpus_per_rank, "dpus_per_rank");
    c.bind(m.ranks_max, "ranks_most");
    c.bind(m.streams_max, "streams_most");
    c.bind(m.dma_smallest, "dma_smallest");
    c.bind(m.dma_largest, "dma_largest");
}

void bind_memory(MachineConstants& m, Constants const& c) {
    c.bind(m.dma_setup_hardware, "dma_setup_hardware");
    c.bind(m.dma_row_go, "dma_row_go");
    c.bind(m.dma_latency_go, "dma_latency_go");
    c.bind(m.dma_row_cpp, "dma_row_cpp");
    c.bind(m.dma_latency_cpp, "dma_latency_cpp");
    c.bind(m.memory_clock, "memory_clock");
    c.bind(m.memory_bandwidth, "memory_bandwidth_reference");
    c.bind(m.row_bytes, "row_bytes");
    c.bind(m.access_bytes, "access_bytes");
    c.bind(m.t_rcd, "t_rcd");
    c.bind(m.t_ras, "t_ras");
    c.bind(m.t_rp, "t_rp");
    c.bind(m.t_cl, "t_cl");
    c.bind(m.t_bl, "t_bl");
    c.bind(m.start_cycles, "start_cycles");
}

void bind_host(MachineConstants& m, Constants const& c) {
    c.bind(m.call, "call_time");
    c.bind(m.constant_call, "constant_call");
    c.bind(m.parallel[0], "parallel_in");
    c.bind(m.parallel[1], "parallel_out");
    c.bind(m.parallel_power[0], "parallel_in_power");
    c.bind(m.parallel_power[1], "parallel_out_power");
    c.bind(m.constant[0], "constant_in");
    c.bind(m.constant[1], "constant_out");
    c.bind(m.broadcast_power, "broadcast_power");
    c.bind(m.mapped_store, "mapped_store");
    c.bind(m.mapped_load, "mapped_load");
    c.bind(m.program_bytes, "program_bytes");
    c.bind(m.argument_bytes, "argument_bytes");
    c.bind(m.channel_bandwidth, "channel_bandwidth");
    c.bind(m.ranks_per_channel, "ranks_per_channel");
    c.bind(m.rank_roof[0], "rank_roof_in");
    c.bind(m.rank_roof[1], "rank_roof_out");
    c.bind(m.rank_roof[2], "rank_roof_broadcast");
    c.bind(m.ranks_at_once, "ranks_at_once");
    c.bind(m.small_set, "small_set_time");
    c.bind(m.small_set_max, "small_set_most");
    c.bind(m.small_set_none, "small_set_none");
    c.bind(m.host_power, "host_power");
    c.bind(m.host_package_power, "host_package_power");
    c.bind(m.host_cores, "host_cores");
    c.bind(m.host_rate, "host_rate");
    c.bind(m.host_clock, "host_clock");
    c.bind(m.softmax_operations, "softmax_operations");
    c.bind(m.norm_operations, "norm_operations");
}

void bind_power(MachineConstants& m, Constants const& c) {
    c.bind(m.dpus_per_chip, "dpus_per_chip");
    c.bind(m.chips_per_rank, "chips_per_rank");
    c.bind(m.chip_power, "chip_power");
    c.bind(m.dram_background, "dram_background");
    c.bind(m.dram_refresh, "dram_refresh");
    c.bind(m.frequency, "frequency_reference");
    c.bind(m.mram_rate, "mram_rate_at_work");
    c.bind(m.mram_row, "mram_row");
    c.bind(m.mram_access, "mram_access");
    c.bind(m.mram_access_at_work, "mram_access_at_work");
    c.bind(m.dram_interface, "dram_interface");
    c.bind(m.sram_static, "sram_static");
    c.bind(m.package_limit, "package_limit");
    c.bind(m.waiting_share, "waiting_share");
    c.bind(m.unbooted_share, "unbooted_share");
    c.bind(m.memory_share, "memory_share");
    c.bind(m.supply.floor, "supply_floor");
    c.bind(m.supply.lowest, "frequency_lowest");
    c.bind(m.supply.highest, "frequency_highest");
    m.supply.nominal = m.frequency;
}

void bind_area(MachineConstants& m, Constants const& c) {
    c.bind(m.memory_die, "memory_die");
    c.bind(m.pipeline_area, "pipeline_area");
    c.bind(m.sram_area, "sram_area");
    c.bind(m.dma_share, "dma_share");
    c.bind(m.forwarding_share, "forwarding_share");
    c.bind(m.dispatch_reference, "dispatch_reference");
    c.bind(m.bank_share, "bank_share");
    c.bind(m.port_share, "port_share");
    c.bind(m.arbiter_share, "arbiter_share");
}

void bind_allowances(MachineConstants::Allowances& a, Constants const& c) {
    c.bind_allowance(a.hazard_bubbles, "hazard_bubbles");
    c.bind_allowance(a.bound_upper, "bound_high");
    c.bind_allowance(a.bound_start, "bound_start");
    c.bind_allowance(a.transfer_lower_bound, "transfer_low");
    c.bind_allowance(a.transfer_upper_bound, "transfer_high");
    c.bind_allowance(a.call_positions, "call_positions");
    c.bind_allowance(a.pass_groups, "pass_groups");
}

}  // namespace

MachineConstants load_constants(ModelOptions const& options) {
    auto const constants = Constants::load("upmem", options, constant_rules());
    MachineConstants m;
    bind_dpu(m, constants);
    bind_memory(m, constants);
    bind_host(m, constants);
    bind_power(m, constants);
    bind_area(m, constants);
    bind_allowances(m.allowance, constants);
    m.host = options.assumptions.host;
    if (m.host == Host::included) {
        auto const& server = Technology::load(options.assumptions).row("host_power").constant;
        m.server = sim::Power{server.si};
    }
    return m;
}

namespace {

ConstantRules counted_constants() {
    constexpr double max = 1'000'000'000, threads = 24;
    return together({whole_numbers({"tasklets_most"}, 1.0, threads, "the simulated pipeline has no more"),
                     whole_numbers({"dpus_per_rank", "ranks_most", "streams_most", "dpus_per_chip", "chips_per_rank",
                                    "ranks_per_channel", "host_cores"},
                                   1.0, max, "they are counts"),
                     whole_numbers({"dma_smallest", "dma_largest", "row_bytes", "access_bytes", "mram_size",
                                    "wram_size", "wram_size_upimulator", "iram_size", "register_size"},
                                   1.0, 0x1p40, "they are whole numbers of bytes"),
                     whole_numbers({"registers_per_tasklet"}, 1.0, max, "they are counts"),
                     within({"dispatch_reference"}, 2.0, max, "forwarding makes fewer cycles than this possible"),
                     within({"ranks_at_once", "small_set_most"}, 1.0, max, "at least one takes part"),
                     {{"small_set_most < small_set_none",
                       {"small_set_most", "small_set_none"},
                       "the additional time of few DPUs decreases between them",
                       [](ConstantValues const& v) { return v("small_set_most") < v("small_set_none"); }}}});
}

bool divides(double part, double whole) { return std::fmod(whole, part) == 0.0; }

/// The simulated bank moves whole accesses, and its bursts end before the next access.
ConstantRules memory_constants() {
    constexpr double max = 1'000'000, slowest = 1'000'000, fastest = 10'000'000'000'000;
    return together(
        {whole_numbers({"t_rcd", "t_ras", "t_rp", "t_cl", "t_bl"}, 1.0, max, "they are whole numbers of cycles"),
         within({"memory_clock"}, slowest, fastest, "memory cycles are counted along with those of the DPU"),
         ascending({"t_bl", "t_cl"}, "a burst ends before the next access may start"),
         ascending({"dma_smallest", "dma_largest"}, "they are the ends of a range"),
         ascending({"program_bytes", "iram_size"}, "an executable fits the instruction memory"),
         {{"(t_ras - t_rcd - 1 - t_cl - t_bl) is not a multiple of t_cl + 1",
           {"t_ras", "t_rcd", "t_cl", "t_bl"},
           "an activate that ends together with an access would delay its acknowledgement, which is not simulated",
           [](ConstantValues const& v) {
               return !divides(v("t_cl") + 1.0, v("t_ras") - v("t_rcd") - 1.0 - v("t_cl") - v("t_bl"));
           }},
          {"access_bytes divides dma_smallest",
           {"access_bytes", "dma_smallest"},
           "a transfer is made of whole accesses",
           [](ConstantValues const& v) { return divides(v("access_bytes"), v("dma_smallest")); }},
          {"access_bytes divides row_bytes",
           {"access_bytes", "row_bytes"},
           "a row is made of whole accesses",
           [](ConstantValues const& v) { return divides(v("access_bytes"), v("row_bytes")); }}}});
}

/// Energy increases with cycles, instructions and time, so no part of it may be negative: the share of a chip's power
/// that is left for a DPU, the part of it that instructions draw, and DPUs that are not booted.
ConstantRules power_constants() {
    auto const of_dram = [](ConstantValues const& v) {
        double const rows = v("mram_rate_at_work") / v("row_bytes") * v("mram_row");
        double const accesses = v("mram_rate_at_work") * v("mram_access_at_work");
        return v("dram_background") + v("dram_refresh") + v("dpus_per_chip") * (v("sram_static") + rows + accesses);
    };
    return together(
        {shares({"waiting_share", "unbooted_share", "memory_share", "dma_share", "forwarding_share", "bank_share",
                 "port_share", "arbiter_share", "supply_floor"},
                "it is a fraction"),
         ascending({"frequency_lowest", "frequency_highest"}, "they are the ends of a range"),
         {{"dram_background + dram_refresh + dpus_per_chip x (sram_static + mram_rate_at_work x (mram_access_at_work + "
           "mram_row / row_bytes)) <= chip_power",
           {"chip_power", "dram_background", "dram_refresh", "dpus_per_chip", "sram_static", "mram_rate_at_work",
            "mram_access_at_work", "mram_row", "row_bytes"},
           "the remaining power of a chip is that of its DPUs, and the bounds of energy depend on it",
           [of_dram](ConstantValues const& v) { return of_dram(v) <= v("chip_power"); }},
          {"dpus_per_rank <= dpus_per_chip x chips_per_rank",
           {"dpus_per_rank", "dpus_per_chip", "chips_per_rank"},
           "the DPUs in use are part of the chips, which are powered",
           [](ConstantValues const& v) { return v("dpus_per_rank") <= v("dpus_per_chip") * v("chips_per_rank"); }}}});
}

}  // namespace

ConstantRules constant_rules() { return together({counted_constants(), memory_constants(), power_constants()}); }

}  // namespace pimdse::models::upmem
