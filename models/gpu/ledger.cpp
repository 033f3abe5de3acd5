#include "models/gpu/ledger.hpp"

namespace pimdse::models::gpu {
namespace {

constexpr std::string_view in_idle_power = "not apart: part of the board's idle power, in idle_units";
constexpr std::string_view in_die = "not apart: part of the undivided die";

std::vector<LedgerEntry> energy() {
    using enum Account;
    return {{"arithmetic", assumed, "0.9 of the limit of power less idle power, where arithmetic is the roof"},
            {"sram", assumed, "caches on the way from the memory, 1 pJ/bit; those beside the units are in arithmetic"},
            {"sram_static", none, in_idle_power},
            {"dram_array", assumed, "3.12 pJ/bit (HBM2, O'Connor et al., MICRO 2017) or 3.75 (GDDR6)"},
            {"dram_interface", assumed, "0.8 pJ/bit (HBM2, O'Connor et al., MICRO 2017) or 3.75 (GDDR6)"},
            {"dram_background", none, in_idle_power},
            {"dram_refresh", none, in_idle_power},
            {"in_memory_logic", none, "memories compute nothing"},
            {"interconnect", assumed,
             "on the die: what boards draw where memory is the roof, less the memory; 5 pJ/bit between"},
            {"converters", none, "there are no analog arrays"},
            {"host_transfer", none, "token numbers alone pass, 4 B each"},
            {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; else nothing"},
            {"idle_units", assumed, "the board's idle power, all the time"}};
}

std::vector<LedgerEntry> area() {
    using enum Account;
    return {{"matrix_unit", none, in_die},
            {"vector_unit", none, in_die},
            {"sram", none, in_die},
            {"controllers", none, in_die},
            {"in_bank_logic", none, "memories compute nothing"},
            {"routers", none, in_die},
            {"crossbars", none, "there are no arrays that compute"},
            {"undivided", counted, "the processor's die (NVIDIA's whitepapers)"}};
}

}  // namespace

Ledger ledger() { return {energy(), area()}; }

}  // namespace pimdse::models::gpu
