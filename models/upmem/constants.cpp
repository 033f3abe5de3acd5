#include "models/upmem/constants.hpp"

#include <cmath>

namespace pimdse::models::upmem {

MachineConstants machine_constants(Constants const& constants, Assumptions const& assumptions) {
    MachineConstants m{constants};
    m.host = assumptions.host;
    m.server = included_host(assumptions);
    return m;
}

namespace {

ConstantRules counted_constants() {
    constexpr double max = 1'000'000'000, threads = 24;
    return together({whole_numbers({"tasklets_max"}, 1.0, threads, "the simulated pipeline has no more"),
                     whole_numbers({"dpus_per_rank", "ranks_max", "streams_max", "dpus_per_chip", "chips_per_rank",
                                    "ranks_per_channel", "host_cores"},
                                   1.0, max, "they are counts"),
                     whole_numbers({"dma_smallest", "dma_largest", "row_bytes", "access_bytes", "mram_size",
                                    "wram_size", "wram_size_upimulator", "iram_size", "register_size"},
                                   1.0, 0x1p40, "they are whole numbers of bytes"),
                     whole_numbers({"registers_per_tasklet"}, 1.0, max, "they are counts"),
                     within({"dispatch_reference"}, 2.0, max, "forwarding makes fewer cycles than this possible"),
                     within({"ranks_at_once", "small_set_max"}, 1.0, max, "at least one takes part"),
                     {{"small_set_max < small_set_none",
                       {"small_set_max", "small_set_none"},
                       "the additional time of few DPUs decreases between them",
                       [](ConstantValues const& v) { return v("small_set_max") < v("small_set_none"); }}}});
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
